"""`shoal apply`: a new table, published by the groups that a ledger knows."""

from __future__ import annotations

from typing import Any

import click
from msgspec.structs import replace

from shoal.adapters import databases, tables
from shoal.adapters.certificates import certificate_places
from shoal.adapters.papers import refuse_unplaced, signature_places
from shoal.adapters.signing import Signer
from shoal.api.applying import apply
from shoal.cli import options, render
from shoal.cli.released import Placed, show, summary
from shoal.errors import RecipeError
from shoal.recipe import Run

TAKEN = (
    "leavers",
    "recipient",
    "certificate",
    "sign",
    "table",
    "to",
    "delimiter",
    "encoding",
    "force",
    "as_json",
    "verbose",
)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("ledger", metavar="LEDGER")
@click.argument("source", metavar="IN")
@options.take("output", required=True)
@options.take(*TAKEN)
def command(ledger: str, source: str, **given: Any) -> None:
    """Publish the table IN as OUT by the groups of the last release in LEDGER, with its recipe.

    \b
    shoal apply ward.ledger february.csv -o february.released.csv

    Rows of known people take the box of their group. Newcomers take an old box where k of them fit
    into it, and wait otherwise. Groups of which too few people are in the table are left out,
    unless --leavers keep publishes them as they were.
    """
    run = Run.of(**{name: value for name, value in given.items() if value not in (None, False)})
    if run.as_json and run.output == "-":
        raise RecipeError(
            "--json and '-o -' both want standard output", remedy="write the release to a file"
        )
    output, to = databases.parted(run.output, run.to)
    run = replace(run, output=output, to=to)
    papers = certificate_places(output, run.certificate, to)
    refuse_unplaced(papers, signed=run.sign is not None)
    beside = [*papers, *signature_places(papers)]
    tables.check_outputs(output, to, beside, force=run.force, source=(source, run.table))
    signer = Signer.of(run.sign)
    stages = render.Stages()
    try:
        release = _released(ledger, source, run, signer, stages)
    finally:
        stages.close()
    with render.afterwards(f"the release is in place: {tables.shown(output, to)}"):
        if run.as_json:
            render.print_json(summary(release))
        else:
            show(release, Placed(output, run.certificate, to, ()), [], verbose=run.verbose)


def _released(
    ledger: str, source: str, run: Run, signer: Signer | None, stages: render.Stages
) -> Any:
    """Read the table, make the release and write it."""
    stages("reading")
    people = tables.read(source, run.table, delimiter=run.delimiter, encoding=run.encoding)
    release = apply(
        ledger,
        people,
        leavers=run.leavers or "withdraw",
        recipient=run.recipient,
        sign=signer,
        progress=stages,
    )
    stages("writing")
    release.write(
        run.output, table=run.to, certificate=run.certificate, force=run.force, inputs=[source]
    )
    return release
