"""`shoal attack-graph`: what someone who knows people's neighbours gets out of a release."""

from __future__ import annotations

from typing import Any

import click

from shoal.api import graph
from shoal.cli import options, render
from shoal.cli.attack import show
from shoal.cli.spelling import TERMINAL


@click.command()
@click.argument("release", metavar="FOLDER")
@click.argument("nodes", metavar="NODES")
@click.argument("edges", metavar="[EDGES]", required=False)
@click.option(
    "--simplify", is_flag=True, help="Count each pair once, without direction; leave loops out."
)
@options.take("hierarchies", "as_json")
@options.take("verbose", help=render.ALL_FIGURES)
def command(
    release: str, nodes: str, edges: str | None, as_json: bool, verbose: bool, **given: Any
) -> None:
    """Try what an adversary gets out of a release of a graph, who knows the original.

    Exit 4 if an attack succeeds that the form promises against. Where the private part of the
    certificate stands beside the folder, more attacks can be scored.

    \b
    shoal attack-graph folder people.csv knows.csv
    """
    findings = graph.attack(release, nodes, edges, **given)
    if as_json:
        render.print_json(findings.as_dict(TERMINAL))
    else:
        render.screen(render.stdout(), findings.screen)
        if verbose:
            show(findings)
    findings.require()
