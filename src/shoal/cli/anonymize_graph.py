"""`shoal anonymize-graph`: from nodes and edges to a folder with a verified release."""

from __future__ import annotations

from typing import Any

import click

from shoal.api import graph
from shoal.api.graph_release import GraphRelease
from shoal.api.graph_writing import check_places, private_place
from shoal.cli import options, render
from shoal.cli.spelling import typed

OWN = ("form", "method", "simplify", "most_dense", "removals", "sign")


@click.command()
@click.argument("nodes", metavar="NODES")
@click.argument("edges", metavar="[EDGES]", required=False)
@options.take("output", help="The folder of the release.", metavar="FOLDER", required=True)
@options.take(*graph.ASKED)
@options.take("folder", "recipe", "report", "sign", "as_json", "verbose", "force")
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
@click.option(
    "--removals", is_flag=True, help="Let k-degree remove edges too, where that changes fewer."
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
    own = {name: given.pop(name) for name in OWN}
    as_json = given.pop("as_json")
    verbose = given.pop("verbose")
    written: dict[str, Any] = {name: given.pop(name) for name in ("force", "report")}
    written["inputs"] = [place for place in (nodes, edges, own["sign"]) if place is not None]
    check_places(output, **written)
    asked = _asked(given)
    stages = render.Stages()
    try:
        release = graph.anonymize(nodes, edges, progress=stages, **own, **asked)
        stages("writing")
        release.write(output, **written)
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
        f"check it    shoal verify {output}",
    ]
    render.screen(console, release.screen, ends, before="\n")
