"""`shoal inspect`: who is singled out, and a command to go on with."""

from __future__ import annotations

from typing import Any

import click

from shoal import api
from shoal.adapters import databases, tables
from shoal.cli import options, render
from shoal.cli.spelling import typed
from shoal.review.inspection import Inspection
from shoal.wording import COLUMN, Sentence, Set

PAIRS = 6  # how many are shown


@click.command()
@click.argument("file", metavar="FILE")
@options.take("table", "delimiter", "encoding", "as_json")
def command(file: str, table: str | None, as_json: bool, **reading: Any) -> None:
    """Suggest a role for each column, with the reason, and show which columns single people out.

    \b
    shoal inspect people.csv
    """
    file, table = databases.parted(file, table)
    inspection = api.inspect(tables.read(file, table, **reading))
    next_command = inspection.command(databases.shown(file) if table else file, table)
    call = inspection.call(databases.shown(file) if table else file, table)
    if as_json:
        told = inspection.as_dict()
        columns = [{**column, "reason": typed(column["reason"])} for column in told["columns"]]
        render.print_json({**told, "columns": columns, "command": next_command, "call": call})
        return
    console = render.stdout()
    shown = [
        (c.name, c.role, c.understood, c.different, c.missing, f"{c.alone:.1%}", typed(c.reason))
        for c in inspection.columns
    ]
    headings = ("column", "role", "understood as", "different", "missing", "alone", "why")
    console.print(render.table("", headings, shown, right=(3, 4, 5)))
    console.print(
        render.table(
            "pairs that single out most",
            ("", "alone"),
            [(" + ".join(p.columns), f"{p.alone:.1%}") for p in inspection.pairs[:PAIRS]],
            right=(1,),
        )
    )
    if inspection.people is not None:
        about = f"{inspection.rows:,} rows about {inspection.people:,} people"
        console.print(f"\n{about}, {len(inspection.columns):,} columns", markup=False)
    console.print(
        "\nall suggested quasi-identifiers together single out "
        f"{inspection.alone:.1%} of the rows\n",
        markup=False,
    )
    for question in questions(inspection):
        console.print(typed(question), markup=False)
    console.print(f"in Python:  {call}\n", markup=False, soft_wrap=True)
    render.say(next_command, to_stderr=False)


def questions(inspection: Inspection) -> list[Sentence]:
    """List what only the owner of a table knows: codes that look like numbers, missing words."""
    asked = []
    if inspection.repeated:
        names = " and ".join(f"'{name}'" for name in inspection.repeated)
        said = f"{names} repeat together: several rows about one person? Number the people "
        person = Set("person", COLUMN, "and name the column")
        alone = Set("rows_are_persons", True, "or say that each row is a person of their own")
        asked.append(Sentence(said, person, " ", alone))
    for column in inspection.columns:
        if column.role == "quasi" and column.may_be_code:
            code = Set("read_as", {column.name: "code"})
            asked.append(Sentence(f"'{column.name}' holds few whole numbers: codes? ", code))
        if column.role in ("quasi", "sensitive") and column.missing_words:
            words = [f"{column.name}={word}" for word in column.missing_words]
            asked.append(Sentence(f"'{column.name}' may say missing: ", Set("na", words)))
    return asked
