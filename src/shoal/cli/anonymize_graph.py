"""`shoal anonymize-graph`: from nodes and edges to a folder with a verified release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.api import graph
from shoal.api.graph_release import CERTIFICATE, GraphRelease, private_place
from shoal.cli import options, render
from shoal.cli.spelling import typed
from shoal.errors import RecipeError


@click.command()
@click.argument("nodes", metavar="NODES")
@click.argument("edges", metavar="[EDGES]", required=False)
@options.take("output", help="The folder of the release.", metavar="FOLDER", required=True)
@options.take(*graph.ASKED)
@options.take("folder", "recipe", "as_json", "verbose", "force")
@click.option(
    "--form",
    type=click.Choice(graph.FORMS),
    default="supergraph",
    show_default=True,
    help="Publish clusters, or an ordinary graph in which k nodes share every degree.",
)
@click.option(
    "--method",
    default="shoal",
    show_default=True,
    metavar="NAME:alpha=A",
    help="shoal or sangreea; alpha is the weight of attributes, from 0 to 1.",
)
@click.option(
    "--simplify", is_flag=True, help="Count each pair once, without direction; leave loops out."
)
@click.option(
    "--most-dense",
    type=float,
    default=1.0,
    show_default=True,
    help="Largest share of possible edges that a cluster or a pair of clusters may hold.",
)
def command(nodes: str, edges: str | None, output: str, **given: Any) -> None:
    """Publish a graph so that nobody is singled out by attributes or by neighbours.

    NODES is a table with an id in the column 'id' or else the first one, EDGES a table whose first
    two columns are ids. Or NODES alone is a GraphML or GML file, or a table of edges.

    \b
    shoal anonymize-graph people.csv knows.csv -o folder -q age,sex,zip -s party -k 5
    shoal anonymize-graph people.csv knows.csv -o folder -q age,sex --method sangreea:alpha=0.5
    shoal anonymize-graph knows.csv -o folder --form k-degree -k 5
    """
    own = {name: given.pop(name) for name in ("form", "method", "simplify", "most_dense")}
    as_json = given.pop("as_json")
    verbose = given.pop("verbose")
    force = given.pop("force")
    _refuse_standing(output, force=force)
    asked = _asked(given)
    stages = render.Stages()
    try:
        release = graph.anonymize(nodes, edges, progress=stages, **own, **asked)
        stages("writing")
        inputs = [place for place in (nodes, edges) if place is not None]
        release.write(output, force=force, inputs=inputs)
    finally:
        stages.close()
    with render.afterwards(f"the release is in place: {output}"):
        if as_json:
            render.print_json(release.summary)
        else:
            _show(release, output, verbose=verbose)


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """Take what was typed, hierarchies of a folder among it."""
    folder = given.pop("folder")
    recipe = given.pop("recipe")
    asked = {name: value for name, value in given.items() if value not in (None, (), {}, False)}
    trees = options.hierarchies_in(folder, given["quasi"], given["sensitive"], given["models"])
    if trees or asked.get("hierarchies"):
        asked["hierarchies"] = {**trees, **asked.get("hierarchies", {})}
    if asked.get("publish"):
        asked["publish"] = options.ways(asked["publish"], given["quasi"], "snapped")
    return asked if recipe is None else {**asked, "recipe": recipe}


def _refuse_standing(output: str, *, force: bool) -> None:
    """Refuse a folder that holds a release, before any work."""
    place = Path(output)
    if place.is_file():
        raise RecipeError(f"output '{output}' is a file", remedy="name a folder")
    if (place / CERTIFICATE).exists() and not force:
        problem = f"the folder '{output}' holds a release"
        raise RecipeError(problem, remedy="--force to replace it, or another folder")


def _show(release: GraphRelease, output: str, *, verbose: bool) -> None:
    """Show a release to people when it is done."""
    console = render.stderr()
    if verbose:
        for notice in release.notices:
            console.print(f"note: {typed(notice.words)}", markup=False)
        losses = [item for item in release.losses.items() if item[1] is not None]
        console.print(render.table("loss", ("", ""), losses, right=(1,)))
    ends = [
        f"hand over   {output}     keep private   {private_place(output)}",
        f"check it    shoal audit-graph {output}",
    ]
    render.screen(console, release.screen, ends, before="\n")
