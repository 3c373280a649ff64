"""`shoal audit`: what a table gives away, from its published values alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import click

from shoal import registry
from shoal.adapters import tables
from shoal.api.auditing import AuditRequest, unrequired
from shoal.cli import options, render
from shoal.engines.spark import reading as spark_reading
from shoal.review.audit import Audit
from shoal.review.risks.risk import Question, Risk

ASKED = {
    "singling out": "singling out: is a row the only one of its kind?",
    "linkability": "linkability: who finds a person's row?",
    "inference": "inference: what is learnt about a person?",
}


@click.command()
@click.argument("file", metavar="FILE")
@options.take("quasi", required=True)
@options.take("sensitive", "keep")
@click.option(
    "--require",
    multiple=True,
    metavar="MODEL",
    help="Exit 4 unless it holds: k=5, l-diversity:l=3.",
)
@click.option(
    "--missing",
    type=click.Choice(["own", "wildcard"]),
    default="own",
    show_default=True,
    help="A missing cell is a value of its own, or (a second figure) matches everything.",
)
@options.take("population", "folder", "hierarchies")
@options.take("engine", help="Where rows are counted; on Spark, FILE is a folder of Parquet files.")
@options.take("remote", "table", "delimiter", "encoding", "as_json")
@options.take("verbose", help=render.ALL_FIGURES)
def command(
    file: str,
    quasi: tuple[str, ...],
    sensitive: tuple[str, ...],
    keep: tuple[str, ...],
    require: tuple[str, ...],
    missing: Literal["own", "wildcard"],
    population: int | float | str | None,
    folder: str | None,
    hierarchies: dict[str, str],
    engine: str | None,
    remote: str | None,
    table: str | None,
    as_json: bool,
    verbose: bool,
    **reading: Any,
) -> None:
    """Measure k, the other models and the risks of any table, beside what they would be if it told
    nothing.

    \b
    shoal audit released.csv -q age,sex,zip -s disease
    shoal audit released.csv -q age,sex,zip --require k=5 --json
    shoal audit survey.csv -q age,sex,zip --population 0.1
    shoal audit postgresql://localhost/hospital --table released -q age,sex,zip -s disease
    shoal audit released/ -q age,sex,zip -s disease --engine spark --remote sc://localhost:15002
    """
    clustered = options.on_spark(engine, remote, table=table, **reading)
    if clustered:
        cells = spark_reading.read(file, str(remote))
    else:
        cells = tables.read(file, table, typed=False, **reading)
    trees = {**options.hierarchies_in(folder, quasi, sensitive, require), **hierarchies}
    asked = AuditRequest(quasi, sensitive, keep, require, missing, population, trees)
    audited = unrequired(cells, asked)
    if as_json:
        render.print_json(audited.as_dict())
    else:
        render.screen(render.stdout(), audited.screen)
    if verbose and not as_json:
        show(audited)
    audited.require()


def show(audited: Audit) -> None:
    """Print models, then risks by what an adversary wants beside baselines, then columns."""
    console = render.stdout()
    models = [
        (name, column or "-", value)
        for name, by in audited.models.items()
        for column, value in by.items()
    ]
    render.section(console, "models", ("", "column", "measured"), models)
    risks = registry.names(Risk)
    for question in get_args(Question):
        names = [name for name in audited.risks if risks[name].question == question]
        rows = [line for name in names for line in _lines(name, risks[name], audited)]
        render.section(console, ASKED[question], ("", "measured", "if it told nothing", ""), rows)
        for reason, without in _unknown(names, risks, audited).items():
            console.print(f"{reason}: {', '.join(without)}", markup=False)
    special = [(render.counted(size, "column"), rows) for size, rows in audited.special.items()]
    render.section(console, "how few columns single a row out", ("", "rows"), special)
    columns = [(name, *vars(column).values()) for name, column in audited.columns.items()]
    render.section(
        console,
        "each quasi-identifier by itself",
        ("", "distinction", "separation", "rows alone"),
        columns,
    )
    if audited.kept:
        kept = ", ".join(audited.kept.columns)
        title = f"cells with {kept}, each combination of which {audited.kept.k:,} rows share"
        render.section(console, title, ("", "measured"), audited.kept.risks.items())
    if audited.wildcard:
        render.section(
            console, "missing cells match everything", ("", ""), vars(audited.wildcard).items()
        )


def _lines(name: str, risk: type[Risk], audited: Audit) -> Iterator[tuple[object, ...]]:
    """Return a line for each figure that there is: name, figure, baseline and meaning."""
    values = render.parted({name: audited.risks[name]})
    baselines = render.parted({name: audited.baselines[name]})
    for part, value in values.items():
        if value is not None:
            yield part, value, baselines[part], registry.summary(risk)


def _unknown(
    names: Sequence[str], risks: Mapping[str, type[Risk]], audited: Audit
) -> dict[str, list[str]]:
    """Figures that there are not, by the reason."""
    reasons: dict[str, list[str]] = {}
    for name in names:
        if audited.risks[name] is None:
            alone = risks[name].needs_population and not audited.among_everyone
            reasons.setdefault(
                "not computable without --population" if alone else "not computable here", []
            ).append(name)
    return reasons
