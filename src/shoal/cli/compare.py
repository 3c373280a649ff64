"""`shoal compare`: several methods at several k on one table, as a table and as charts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import pyarrow as pa

from shoal import api
from shoal.adapters import files, tables
from shoal.adapters.atomic_files import Staged, check_targets
from shoal.adapters.databases import is_url, parted
from shoal.cli import options, render
from shoal.comparison.accuracy import ACCURACY, COMMONEST, ORIGINAL
from shoal.comparison.cells import measures
from shoal.errors import RecipeError, did_you_mean
from shoal.recipe import Recipe
from shoal.review import charts
from shoal.screen import percent

SHOWN = ("total-information-loss", "squared-error-share", "query-error", "discernibility")
CELLS = ("exact-cells", "lost-cells")


def whole_numbers(_: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[int]:
    """Numbers separated by commas."""
    parts = [part.strip() for text in given for part in text.split(",") if part.strip()]
    wrong = [part for part in parts if not part.isdecimal()]
    if wrong:
        raise RecipeError(f"--k takes whole numbers, not '{wrong[0]}'", remedy="--k 2,5,10")
    return [int(part) for part in parts]


@click.command()
@click.argument("file", metavar="FILE")
@options.take("quasi", "sensitive", "person", "rows_are_persons")
@click.option(
    "--methods",
    multiple=True,
    default=["all"],
    show_default=True,
    metavar="A,B:P=V",
    help="Methods, or all of them; A+refine is A and refinement after it.",
)
@click.option(
    "-k",
    "--k",
    "k",
    multiple=True,
    default=["2,5,10,25,50,100"],
    show_default=True,
    callback=whole_numbers,
    metavar="2,5,10",
    help="Least sizes of groups.",
)
@options.take("models", "folder", "hierarchies")
@options.take("loss", help="What methods minimize: span, height, ...  [default: each its own]")
@options.take("withhold", "missing")
@options.take("seed", help="Repeats the search.  [default: 1]")
@click.option(
    "--class",
    "class_column",
    metavar="COLUMN",
    help="Also predict this column by a classifier that learns from each release.",
)
@options.take("recipe")
@options.take("output", help="All figures as a table (.csv, .parquet); '-' is standard output.")
@click.option(
    "--plot", metavar="FILE.svg", help="Loss against k and against time, as .svg, .png or .pdf."
)
@click.option(
    "--plot-loss",
    default=SHOWN[0],
    show_default=True,
    metavar="NAME",
    help="The loss that is drawn.",
)
@click.option(
    "--cells",
    metavar="FILE",
    help="Where finished cells are kept.  [default: NAME.compare.jsonl in this folder]",
)
@click.option(
    "--jobs",
    type=int,
    metavar="N",
    help="How many at once.  [default: as processors and memory allow]",
)
@options.take("table", "delimiter", "encoding", "as_json", "force")
def command(
    file: str,
    output: str | None,
    plot: str | None,
    plot_loss: str,
    as_json: bool,
    force: bool,
    **given: Any,
) -> None:
    """Measure every method at every k on the table FILE: losses, risks, shares of cells that
    are exact or lost, CPU seconds and sizes of groups; with --class, what a classifier learns.

    \b
    shoal compare people.csv -q age,sex,zip -s disease --methods all --k 2,5,10 --plot people.svg
    shoal compare people.csv -q age,zip --methods k-member,mondrian:relaxed=true \\
      --k 5 -o figures.csv
    shoal compare people.csv -q age,zip --methods mondrian,mondrian+refine --k 5
    shoal compare people.csv -q age,zip -s disease --class disease --methods shoal,full-domain
    shoal compare postgresql://localhost/ward --table patients -q age,zip

    Finished cells are kept: after Ctrl-C the same command goes on where it stopped. Delete the file
    to begin anew.
    """
    if as_json and output == "-":
        raise RecipeError(
            "--json and '-o -' both want standard output", remedy="write the table to a file"
        )
    kind = charts.check_drawable(plot) if plot else ""
    if plot_loss not in measures():
        raise RecipeError(
            f"there is no metric '{plot_loss}'", remedy=did_you_mean(plot_loss, measures())
        )
    file, table = parted(file, given.pop("table"))
    inputs = [] if is_url(file) else [file]
    check_targets([place for place in (output, plot) if place], force=force, inputs=inputs)
    people = tables.read(
        file, table, delimiter=given.pop("delimiter"), encoding=given.pop("encoding")
    )
    name = table or ("table" if file == "-" else Path(file).name)
    compared = _compared(people, name, given)
    rows = compared.to_pylist()
    with Staged(force=force, inputs=inputs) as staged:
        if plot:
            about = f"{people.num_rows:,} rows, seed {rows[0]['seed']}"
            drawing = charts.comparison(rows, plot_loss, name, about)
            staged.file(plot).write_bytes(charts.drawn(drawing, kind))
        if output:
            files.write_table(compared, staged.file(output), like=output)
    if as_json:
        render.print_json({"rows": people.num_rows, "cells": rows})
    else:
        _show(rows, to_stderr=output == "-")


def _compared(people: pa.Table, name: str, given: dict[str, Any]) -> pa.Table:
    """The table of figures; an interruption says where to go on."""
    recipe = Recipe.read(given.pop("recipe")) if given["recipe"] else given.pop("recipe")
    roles = [
        given[name] or (getattr(recipe, name) if recipe else ())
        for name in ("quasi", "sensitive", "models")
    ]
    in_folder = options.hierarchies_in(given.pop("folder"), *roles)
    trees = {**(recipe.hierarchies if recipe else {}), **in_folder, **given.pop("hierarchies")}
    cells = given.pop("cells") or f"{Path(name).stem}.compare.jsonl"
    asked = {
        name: value
        for name, value in given.items()
        if value not in (None, (), {}) and value is not False
    }
    stages = render.Stages()
    try:
        watch = stages("comparing")
        return api.compare(
            people, recipe=recipe, **asked, hierarchies=trees or None, cells=cells, progress=watch
        )
    except KeyboardInterrupt:
        stages.close()
        kept = f"finished cells are kept in {cells}; the same command goes on from there"
        render.say(f"interrupted: {kept}")
        sys.exit(130)
    finally:
        stages.close()


def _show(rows: list[dict[str, Any]], *, to_stderr: bool) -> None:
    """Print a line for each cell, and the refusals below."""
    done = [row for row in rows if not row["refused"]]
    shares = [*CELLS, *([ACCURACY] if any(row.get(ACCURACY) for row in done) else [])]
    headings = ("method", "k", *SHOWN, *shares, "seconds", "groups", "sizes")
    lines = [
        (
            row["method"],
            row["k"],
            *(row[name] for name in SHOWN),
            *("" if row[name] is None else percent(row[name]) for name in shares),
            *(row[name] for name in ("seconds", "groups")),
            _sizes(row),
        )
        for row in done
    ]
    console = render.stderr() if to_stderr else render.stdout()
    if best := _best(done):
        console.print(f"least is lost by {best}\n", markup=False, soft_wrap=True)
    console.print(render.table("", headings, lines, right=range(1, len(headings))))
    if ACCURACY in shares:
        console.print(_learnt(done), markup=False, soft_wrap=True)
    for row in rows:
        if row["refused"]:
            console.print(
                f"refused: {row['method']} at k = {row['k']:,}: {row['refused']}", markup=False
            )


def _learnt(done: list[dict[str, Any]]) -> str:
    """Say what accuracies stand beside."""
    row = next(row for row in done if row[ACCURACY] is not None)
    learnt = f"from the original {percent(row[ORIGINAL])}"
    return (
        f"accuracy: of a random forest that learnt from a part of the release; {learnt}, "
        f"always the commonest class {percent(row[COMMONEST])}"
    )


def _best(done: list[dict[str, Any]]) -> str:
    """Name the method that loses least at each k."""
    least: dict[int, dict[str, Any]] = {}
    for row in done:
        loss = row[SHOWN[0]]
        if loss is not None and loss < least.get(row["k"], {SHOWN[0]: float("inf")})[SHOWN[0]]:
            least[row["k"]] = row
    return ", ".join(f"{row['method']} at k = {k:,}" for k, row in sorted(least.items()))


def _sizes(row: dict[str, Any]) -> str:
    """Smallest, median and largest group."""
    return " / ".join(
        render.number(row[f"{which}-group"]) for which in ("smallest", "median", "largest")
    )
