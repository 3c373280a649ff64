"""`shoal demo`: the main job in one command, on a table of invented patients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pyarrow as pa
from rich.table import Table

from shoal import api
from shoal.adapters import files
from shoal.adapters.atomic_files import Staged
from shoal.adapters.demo_data import NATIONALITIES, patients
from shoal.cli import render
from shoal.cli.released import Placed, show
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.nested import Nested
from shoal.recipe import Recipe

QUASI = ("birth_date", "sex", "postcode", "nationality", "admission_date")
RECIPE: dict[str, Any] = {
    "quasi": QUASI,
    "sensitive": ["diagnosis", "cost"],
    "identifiers": ["name"],
    "k": 5,
    "hierarchies": {"postcode": "masks(length=5)", "nationality": NATIONALITIES},
}
TREE = "nationality.csv"
SHOWN = 5


@click.command()
@click.argument("folder", metavar="[FOLDER]", default="shoal-demo")
@click.option("--seed", type=int, default=1, help="Repeats the search.")
@click.option(
    "--graph", "as_graph", is_flag=True, help="Patients and who shared a ward, as a graph."
)
def command(folder: str, seed: int, as_graph: bool) -> None:
    """Anonymize 5,000 invented hospital patients at k=5, and show rows, risks and losses before and
    after.

    Files go to FOLDER (shoal-demo): the table, the hierarchy of nationalities, a recipe to play
    with, the release and its certificates.
    """
    home = Path(folder)
    if as_graph:
        from shoal.cli import demo_graph  # only who has graphs loads their parts

        demo_graph.run(home, seed)
        return
    home.mkdir(parents=True, exist_ok=True)
    people = patients()
    with Staged(force=True) as staged:
        files.write_table(people, staged.file(home / "patients.csv"), like="patients.csv")
        paths = [";".join(path) for path in Nested(NATIONALITIES).listed_paths]
        staged.file(home / TREE).write_text("\n".join(paths) + "\n", encoding="utf-8")
    trees = {**RECIPE["hierarchies"], "nationality": str(home / TREE)}
    recipe = Recipe.of(**{**RECIPE, "hierarchies": trees, "seed": seed})
    if not (home / "recipe.toml").exists():  # it is there to play with, and so never overwritten
        with Staged() as staged:
            staged.file(home / "recipe.toml").write_text(recipe.to_toml(home), encoding="utf-8")
    stages = render.Stages()
    try:
        release = api.anonymize(people, recipe=recipe, progress=stages)
        release.write(home / "released.csv", force=True)
    finally:
        stages.close()
    console = render.stderr()
    console.print(_rows("before: five of 5,000 patients, all invented", people.slice(0, SHOWN)))
    console.print(_rows("\nafter: one group of the release", _group_amid(release.table)))
    show(release, Placed(str(home / "released.csv")))
    console.print(
        f"\nnow you     shoal anonymize {home}/patients.csv -o mine.csv"
        f" --recipe {home}/recipe.toml -k 10",
        markup=False,
    )


def _group_amid(table: pa.Table) -> pa.Table:
    """Take the group in the middle of a release, whose rows stand in the order of their cells."""
    cells = list(zip(*(table[name].to_pylist() for name in QUASI), strict=True))
    first = cells.index(cells[len(cells) // 2])
    return table.slice(first, cells.count(cells[first]))


def _rows(title: str, table: pa.Table) -> Table:
    """Build a table of a few rows; here cells may be shown, for nobody in it exists."""
    texts = [text_of(column.combine_chunks()).to_pylist() for column in table.columns]
    return render.table(
        title,
        table.column_names,
        [[cell or "" for cell in row] for row in zip(*texts, strict=True)],
    )
