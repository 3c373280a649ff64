"""`shoal mine`: what a release is good for, beside what it gives away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from shoal.adapters.certificates import certificate_places, hierarchies_named
from shoal.adapters.tables import arrow, shown
from shoal.api.mining import MiningGround, tasks_of
from shoal.cli import options, render
from shoal.cli.spelling import TERMINAL, typed
from shoal.errors import DataError, RecipeError
from shoal.mining.concrete import Way
from shoal.mining.mining import Mined
from shoal.mining.task import Figure

BETWEEN = re.compile(r",(?![^\[]*\])(?!\s*\w+=)")  # tasks, and not their parameters


@click.command()
@click.argument("releases", metavar="RELEASE...", nargs=-1, required=True)
@click.option(
    "--original",
    metavar="FILE",
    required=True,
    help="The original table (or URL#TABLE) to measure by.",
)
@click.option(
    "--test",
    metavar="FILE",
    help="Rows that had no part in the release: classifiers are tested on them.",
)
@click.option(
    "--class",
    "class_column",
    metavar="COLUMN",
    help="What is to be predicted.  [default: the first sensitive]",
)
@click.option(
    "--tasks",
    default="all",
    show_default=True,
    metavar="A,B",
    help="Only these, e.g. classification,queries.",
)
@click.option(
    "--certificate", metavar="FILE", help="Of one release; found beside each release by itself."
)
@options.take("quasi", "sensitive", "folder", "hierarchies")
@click.option(
    "--way",
    type=click.Choice(["sampled", "midpoint", "expanded"]),
    default="sampled",
    show_default=True,
    help="How generalized cells become single values.",
)
@click.option(
    "--tables",
    type=int,
    default=10,
    show_default=True,
    help="How many concrete tables are sampled.",
)
@options.take("as_json")
def command(
    releases: tuple[str, ...],
    original: str,
    test: str | None,
    class_column: str | None,
    tasks: str,
    certificate: str | None,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    folder: str | None,
    hierarchies: dict[str, str],
    way: Way,
    tables: int,
    as_json: bool,
) -> None:
    """Measure what releases of a table are good for, each beside the original and beside what it
    gives away.

    \b
    shoal mine released.csv --original people.csv --class disease
    shoal mine k5.csv k50.csv --original people.csv --test others.csv
    shoal mine released.csv --original people.csv \\
      --tasks queries,distributions -q age,sex,zip -s disease

    Rows of a release can't be paired with those of the original. Without --test, classifiers are
    therefore measured in ten folds: nine are anonymized anew as the certificate's recipe says, and
    the tenth, untouched, is what they are tested on.
    """
    if certificate and len(releases) > 1:
        raise RecipeError(
            "--certificate speaks of one release",
            remedy="certificates beside releases are found by themselves",
        )
    if folder and not Path(folder).is_dir():
        raise DataError(
            f"there is no folder '{folder}'", remedy="name the folder that holds <column>.csv files"
        )
    stages = render.Stages()
    try:
        chosen = tuple(
            tasks_of([part.strip() for part in BETWEEN.split(tasks)] if tasks != "all" else "all")
        )
        stages("reading")
        rows = None if test is None else arrow(test)[0]
        ground = MiningGround(arrow(original)[0], rows, class_column, chosen, way, tables, stages)
        roles = {"quasi": quasi or None, "sensitive": sensitive or None}
        mined = {
            shown(name): _mined(ground, name, certificate, roles, folder, hierarchies)
            for name in releases
        }
    finally:
        stages.close()
    if as_json:
        render.print_json(
            {"releases": {name: one.as_dict(TERMINAL) for name, one in mined.items()}}
        )
    else:
        show(mined)


def _mined(
    ground: MiningGround,
    release: str,
    certificate: str | None,
    roles: Mapping[str, tuple[str, ...] | None],
    folder: str | None,
    hierarchies: dict[str, str],
) -> Mined:
    stated = certificate or next(
        (place for place in certificate_places(release)[:1] if place.is_file()), None
    )
    named = hierarchies_named(stated)
    there = sorted(Path(folder).glob("*.csv")) if folder else []
    trees = {path.stem: str(path) for path in there if named.get(path.stem) != "none"}
    return ground.mine(release, stated, None, roles, {**trees, **hierarchies})


def show(mined: Mapping[str, Mined]) -> None:
    """Print utility, then risk, one column for each release; then what could not be measured."""
    console = render.stdout()
    for name, one in mined.items():
        console.print(f"{name}: {one.screen.headline}", markup=False, soft_wrap=True)
    figures = {
        (task, name): None
        for one in mined.values()
        for task, group in one.utility.items()
        for name in group
    }
    for task in dict.fromkeys(task for task, _ in figures):
        groups = [one.utility.get(task, {}) for one in mined.values()]
        rows = [
            _line(name, [group.get(name) for group in groups])
            for its_task, name in figures
            if its_task == task
        ]
        render.section(console, f"utility: {task}", ("", "unchanged", *mined), rows)
    risks = dict.fromkeys(name for one in mined.values() for name in one.risk)
    render.section(
        console,
        "risk",
        ("", *mined),
        [(name, *(one.risk.get(name) for one in mined.values())) for name in risks],
    )
    for name, one in mined.items():
        for task, lines in one.told.items():
            render.section(console, f"{task}: {name}", ("",), [(line,) for line in lines])
        for notice in map(typed, one.notices):
            console.print(f"{name}: {notice}" if len(mined) > 1 else notice, markup=False)


def _line(name: str, figures: Iterable[Figure | None]) -> tuple[object, ...]:
    """Return a figure of each release, and the original's.

    Releases of other columns see another original.
    """
    figures = list(figures)
    best = dict.fromkeys(figure.unchanged for figure in figures if figure is not None)
    alike = len(best) == 1
    return (
        name,
        next(iter(best)) if alike else "",
        *(None if one is None else _told(one, alike=alike) for one in figures),
    )


def _told(figure: Figure, *, alike: bool) -> object:
    if figure.low is not None and figure.high is not None:
        return f"{render.number(figure.value)} ({figure.low:.4f} to {figure.high:.4f})"
    if alike:
        return figure.value
    return f"{render.number(figure.value)} (unchanged: {render.number(figure.unchanged)})"
