"""`shoal audit`: what a table gives away, from its published values alone."""

from __future__ import annotations

from typing import Any, Literal

import click

from shoal import api
from shoal.adapters import files
from shoal.cli import options, render


@click.command()
@click.argument("file", metavar="FILE")
@options.quasi(required=True)
@options.sensitive
@click.option("--require", multiple=True, metavar="MODEL", help="Exit 4 unless it holds: k=5, l-diversity:l=3.")
@click.option(
    "--missing", type=click.Choice(["own", "wildcard"]), default="own", show_default=True,
    help="A missing cell is a value of its own, or (a second figure) matches everything.",
)  # fmt: skip
@options.reading
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
def command(
    file: str, quasi: tuple[str, ...], sensitive: tuple[str, ...], require: tuple[str, ...],
    missing: Literal["own", "wildcard"], as_json: bool, **reading: Any,
) -> None:  # fmt: skip
    """Measure k, the other models and the re-identification risk of any table.

    \b
    shoal audit released.csv -q age,sex,zip -s disease
    shoal audit released.csv -q age,sex,zip --require k=5 --json
    """
    table = files.read(file, typed=False, **reading)
    found = api.audit(table, quasi=quasi, sensitive=sensitive, require=require, missing=missing)
    if as_json:
        render.print_json(found.as_dict())
        return
    console = render.stdout()
    console.print(f"{found.rows:,} rows in {found.groups:,} groups; k = {found.k:,}", markup=False)
    measured = [(name, column or "-", value) for name, by in found.models.items() for column, value in by.items()]
    console.print(render.table("models", ("", "column", "measured"), measured, right=(2,)))
    console.print(render.table("risks", ("", ""), found.risks.items(), right=(1,)))
    if found.wildcard:
        console.print(render.table("missing cells match everything", ("", ""), vars(found.wildcard).items(), right=(1,)))
