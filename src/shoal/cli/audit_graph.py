"""`shoal audit-graph`: a release recounted from its files, or who stands alone in a graph."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.api import graph
from shoal.api.graph_writing import CERTIFICATE
from shoal.cli import options, render
from shoal.cli.spelling import typed
from shoal.cli.verify import show
from shoal.review.verdict import verdict


@click.command()
@click.argument("nodes", metavar="FOLDER|NODES")
@click.argument("edges", metavar="[EDGES]", required=False)
@options.take("quasi")
@click.option(
    "--simplify", is_flag=True, help="Count each pair once, without direction; leave loops out."
)
@options.take("as_json", "verbose")
def command(
    nodes: str,
    edges: str | None,
    quasi: tuple[str, ...],
    simplify: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Recount a release of a graph from its files; exit 4 if it is not what its certificate says.

    Given nodes and edges instead, measure who stands alone by neighbours, and by attributes (-q).

    \b
    shoal audit-graph folder
    shoal audit-graph people.csv knows.csv -q age,sex,zip
    """
    if edges is None and (Path(nodes) / CERTIFICATE).is_file():
        verified = graph.verify(nodes)
        if as_json:
            items = [{**vars(item), "note": typed(item.note)} for item in verified.items]
            told = {"holds": verified.holds, "verdict": typed(verdict(verified)), "items": items}
            render.print_json(told)
        else:
            show(verified, verbose=verbose)
        verified.require()
        return
    audit = graph.audit(nodes, edges, quasi=quasi, simplify=simplify)
    if as_json:
        render.print_json(audit.as_dict())
    else:
        render.screen(render.stdout(), audit.screen)
