"""`shoal attack`: what an adversary gets out of a release."""

from __future__ import annotations

from pathlib import Path

import click

from shoal import api
from shoal.adapters.certificates import certificate_places, hierarchies_named
from shoal.attacks.attack import Finding
from shoal.attacks.findings import Findings
from shoal.cli import options, render
from shoal.cli.spelling import TERMINAL, typed
from shoal.errors import DataError


@click.command()
@click.argument("release", metavar="RELEASE")
@click.option(
    "--original", metavar="FILE", help="The original table (or URL#TABLE): scores the guesses."
)
@click.option(
    "--register",
    metavar="FILE",
    help="What the attacker knows: quasi-identifiers of people, maybe inexact.",
)
@click.option(
    "--earlier",
    multiple=True,
    metavar="RELEASE",
    help="Another release of the same people, with the same roles.",
)
@click.option(
    "--certificate",
    metavar="FILE",
    help="Tells roles, recipe and promises; found beside the release by itself.",
)
@options.take("quasi", "sensitive")
@options.take("k", help="The k that was promised, where no certificate tells it.")
@options.take("folder", "hierarchies", "table")
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    metavar="NAME:P=V",
    help="Only these; see shoal attacks.  [default: all]",
)
@options.take("as_json")
@options.take("verbose", help=render.ALL_FIGURES)
def command(
    release: str,
    original: str | None,
    register: str | None,
    earlier: tuple[str, ...],
    certificate: str | None,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    k: int | None,
    folder: str | None,
    hierarchies: dict[str, str],
    table: str | None,
    attacks: tuple[str, ...],
    as_json: bool,
    verbose: bool,
) -> None:
    """Try what an adversary gets out of a release; exit 4 if an attack that gates succeeds.

    \b
    shoal attack released.csv --original people.csv
    shoal attack released.csv --original people.csv -q age,sex,zip -s disease -k 5
    shoal attack released.csv --original people.csv --register voters.csv --attack distance-linkage
    """
    if folder and not Path(folder).is_dir():
        raise DataError(
            f"there is no folder '{folder}'", remedy="name the folder that holds <column>.csv files"
        )
    stated = certificate or next(
        (place for place in certificate_places(release, table=table)[:1] if place.is_file()), None
    )
    named = hierarchies_named(stated)
    there = sorted(Path(folder).glob("*.csv")) if folder else []
    trees = {path.stem: str(path) for path in there if named.get(path.stem) != "none"}
    findings = api.attack(
        release,
        original=original,
        register=register,
        earlier=earlier,
        certificate=stated,
        quasi=quasi or None,
        sensitive=sensitive or None,
        k=k,
        hierarchies={**trees, **hierarchies},
        attacks=attacks or "all",
        table=table,
    )
    if as_json:
        render.print_json(findings.as_dict(TERMINAL))
    else:
        render.screen(render.stdout(), findings.screen)
    if verbose and not as_json:
        show(findings)
    findings.require()


def show(findings: Findings) -> None:
    """Print the figures, then what they mean and what would stop the attack."""
    console = render.stdout()
    rows = [_figures(finding) for finding in findings.all if finding.trials]
    header = ("", "attack", "control", "advantage", "95 % interval", "")
    console.print("")
    console.print(render.table("", header, rows, right=(1, 2, 3, 4)))
    for finding in findings.all:
        console.print(f"\n{finding.called}: {typed(finding.words)}", markup=False)
        if finding.trials:
            console.print(f"  what would stop it: {typed(finding.stops_it)}", markup=False)


def _figures(finding: Finding) -> tuple[object, ...]:
    """Return the line of an attack in the table of figures."""
    return (
        finding.called,
        finding.attack,
        finding.control,
        finding.advantage,
        f"{finding.low:.3f} to {finding.high:.3f}",
        _consequence(finding),
    )


def _consequence(finding: Finding) -> str:
    if finding.refuses:
        return "refuses"
    return "gates" if finding.gates else "reports"
