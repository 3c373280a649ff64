"""`shoal mine-graph`: what a release of a graph is good for, beside the original."""

from __future__ import annotations

import click

from shoal.api import graph
from shoal.cli import options, render


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.argument("nodes", metavar="NODES")
@click.argument("edges", metavar="[EDGES]", required=False)
@click.option(
    "--samples",
    type=int,
    default=20,
    show_default=True,
    help="How many graphs are drawn from a release in clusters.",
)
@click.option(
    "--simplify", is_flag=True, help="Count each pair once, without direction; leave loops out."
)
@options.take("as_json")
def command(
    folder: str, nodes: str, edges: str | None, samples: int, simplify: bool, as_json: bool
) -> None:
    """Measure degrees, clustering, distances, spectrum and communities on graphs from a release.

    \b
    shoal mine-graph folder people.csv knows.csv
    """
    mined = graph.mine(folder, nodes, edges, samples=samples, simplify=simplify)
    if as_json:
        render.print_json(mined.as_dict())
    else:
        render.screen(render.stdout(), mined.screen)
