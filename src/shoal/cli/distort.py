"""`shoal distort`: from a table to one whose numbers are perturbed, in files or databases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from shoal import api
from shoal.adapters import databases, distorted, tables
from shoal.adapters.certificates import certificate_places
from shoal.adapters.distorted import Distorted
from shoal.adapters.papers import refuse_unplaced, signature_places
from shoal.adapters.signing import Signer
from shoal.attacks.attack import Finding
from shoal.cli import options, render
from shoal.cli.spelling import TERMINAL
from shoal.errors import RecipeError
from shoal.flows.distortion import DistortionOutcome, DistortionRequest
from shoal.flows.distortion_attacks import DEFAULT


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", metavar="IN")
@options.take("output", required=True, help="Where the table goes; '-' is standard output.")
@click.option(
    "--columns",
    multiple=True,
    required=True,
    callback=options.columns,
    metavar="A,B|all",
    help="Columns of numbers to perturb, or all of them.",
)
@click.option(
    "--method",
    default=DEFAULT,
    show_default=True,
    metavar="NAME[:P=V]",
    help="How; see shoal methods.",
)
@click.option(
    "--round", "rounded", is_flag=True, help="Round to the precision that each column had."
)
@click.option("--shuffle", "shuffled", is_flag=True, help="Publish rows in random order.")
@click.option(
    "--clusters",
    type=int,
    default=4,
    show_default=True,
    help="How many clusters effects are measured with.",
)
@options.take(
    "seed", help="Repeats the noise, for experiments alone: do not publish what it makes."
)
@click.option(
    "--as-published", is_flag=True, help="Publish even what attacks take the protection off."
)
@options.take("certificate", "sign")
@options.take("table", "to", "delimiter", "encoding", "as_json", "force")
def command(source: str, output: str, as_json: bool, force: bool, **given: Any) -> None:
    """Publish the table IN as OUT with noise on its numbers; exit 4 if an attack takes the noise
    off again.

    \b
    shoal distort people.csv -o noisy.csv --columns income,age
    shoal distort people.parquet -o noisy.parquet --columns all \\
      --method correlated-noise:scale=0.05 --round
    shoal distort people.csv -o noisy.csv --columns all \\
      --method chaotic:scale=0.1,r=4 --as-published
    shoal distort sqlite:///ward.db --table pay -o sqlite:///open.db --to noisy --columns income

    Every other column stays as it is: leave out names and numbers of people first. Parquet files of
    more than a million rows and CSV files of more than 268 MB are perturbed part by part, whatever
    memory there is.
    """
    if as_json and output == "-":
        raise RecipeError(
            "--json and '-o -' both want standard output", remedy="write the table to a file"
        )
    certificate = given.pop("certificate")
    sign = given.pop("sign")
    output, to = databases.parted(output, given.pop("to"))
    reading = {name: given.pop(name) for name in ("table", "delimiter", "encoding")}
    asked = DistortionRequest(
        **{**given, "columns": "all" if given["columns"] == ("all",) else given["columns"]}
    )
    beside = certificate_places(output, certificate, to)
    refuse_unplaced(beside, signed=sign is not None)
    papers = [*beside, *signature_places(beside)]
    tables.check_outputs(output, to, papers, force=force, source=(source, reading["table"]))
    signer = Signer.of(sign)  # a passphrase is asked for before the work begins
    stages = render.Stages()
    try:
        places = {"certificate": certificate, "force": force}
        done = _distorted(source, (output, to), asked, places, reading, signer, stages)
    finally:
        stages.close()
    with render.afterwards(f"the table is in place: {tables.shown(output, to)}"):
        if as_json:
            render.print_json(summary(done))
        else:
            show(done, output, beside, to)


def _distorted(
    source: str,
    target: tuple[str, str | None],
    asked: DistortionRequest,
    places: dict[str, Any],
    reading: dict[str, Any],
    signer: Signer | None,
    stages: render.Stages,
) -> Distorted | DistortionOutcome:
    output, to = target
    if distorted.goes_in_parts(source, output, asked):
        tables.refuse_table(reading.pop("table"))
        return distorted.write_in_parts(
            source, output, asked, **places, signer=signer, stage=stages, **reading
        )
    stages("reading")
    people = tables.read(source, **reading)
    done = api.distort(people, **vars(asked), sign=signer, progress=stages)
    stages("writing")
    done.write(output, table=to, **places, inputs=[source])
    return done


def summary(done: Distorted | DistortionOutcome) -> dict[str, Any]:
    """Collect what `--json` prints."""
    public = done.certificate.public
    return {
        "rows": public.rows,
        "method": public.method,
        "columns": public.columns.as_dict(),
        "rounded": public.rounded,
        "shuffled": public.shuffled,
        "effects": dict(done.effects),
        "holds": done.findings.holds,
        "attacks": done.findings.as_dict(TERMINAL)["attacks"],
        "seconds": dict(done.seconds),
        "notices": [*done.notices, *public.not_promised, *_read_off(done)],
    }


def _read_off(done: Distorted | DistortionOutcome) -> list[str]:
    """Name, for the maker alone, the columns whose values come back by rounding."""
    names = ", ".join(map(repr, done.certificate.private.read_off))
    told = "Whoever rounds them reads these columns off as they were, since their values lie far"
    return [f"{told} apart: {names}"] if names else []


def _state(finding: Finding) -> str:
    """Say in one word how an attack ended."""
    if finding.refuses:
        return "SUCCEEDS"
    return "withstood" if finding.gates else "reported"


def _show_effects(console: Console, done: Distorted | DistortionOutcome) -> None:
    effects = [item for item in done.effects.items() if item[1] is not None]
    render.section(console, "what it did to the numbers", ("", ""), effects)
    console.print("\n[bold]what attacks regain[/bold]")
    for finding in done.findings.all:
        console.print(f"{_state(finding):<9}  {finding.name}: {finding.words}", markup=False)


def show(
    done: Distorted | DistortionOutcome, output: str, places: Sequence[Path], to: str | None = None
) -> None:
    """Print for people what was done, what attacks regain and what is not promised."""
    console = render.stderr()
    public = done.certificate.public
    for notice in done.notices:
        console.print(f"note: {notice}", markup=False)
    names = public.columns.perturbed
    perturbed = f"{render.counted(len(names), 'column')} perturbed by {public.method}"
    console.print(f"\n{public.rows:,} rows, {perturbed}", markup=False)
    _show_effects(console, done)
    console.print("")
    for sentence in (*public.not_promised, *_read_off(done)):
        console.print(sentence, markup=False)
    if output != "-":
        console.print(f"\ntable        {tables.shown(output, to)}", markup=False)
        console.print(f"certificate  {places[0]}\nkeep private {places[1]}", markup=False)
