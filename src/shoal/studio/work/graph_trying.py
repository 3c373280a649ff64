"""Trying weights: measures what each alpha keeps of attributes and of structure.

    take the graph, or a part of 2,000 people who are near each other
    try alpha 0, 1/2 and 1, then always the middle of the widest gap of the curve so far:
        make a release with little effort, and tell its NGIL and the structure that it keeps

Little effort keeps less, so a release keeps no less than its preview, or hardly less. A part of a
graph has edges that lead out of it, which are left out.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from shoal.api import graph
from shoal.arrays import Longs
from shoal.errors import notices_shown_by_door
from shoal.networks.network import Network, network_of
from shoal.recipe import Recipe
from shoal.studio.work.graph_reading import tables_of
from shoal.studio.work.telling import Tell

FIRST = (0.5, 0.0, 1.0)  # alphas
POINTS = 11
FINEST = 0.02  # alphas nearer than that differ by the chance of a search
MOST = 2_000  # people of a part
SEED = 1  # curves of one graph are drawn from one part


def do(
    tell: Tell, graph_folder: str, recipe: Mapping[str, Any], *, simplify: bool, most_dense: float
) -> dict[str, Any]:
    """Report one point for each alpha."""
    tell("looking at the graph")
    nodes, edges = tables_of(graph_folder)
    named = network_of(nodes, edges, simplify=simplify)
    people, known = part_of(nodes, named.network, MOST)
    ids = pa.array(np.arange(people.num_rows))
    people = people.set_column(people.column_names.index(named.id_column), named.id_column, ids)
    quick = {"effort": "low", "seed": SEED}
    asked = msgspec.structs.replace(Recipe.of(**recipe), **quick)
    points: dict[float, tuple[float, float]] = {}
    while (alpha := following(points)) is not None:
        tell(f"alpha = {alpha:g}")
        method = f"shoal:alpha={alpha:g}"
        with notices_shown_by_door():
            release = graph.anonymize(
                people, known, recipe=asked, method=method, most_dense=most_dense
            )
        lost = release.loss("ngil") or 0.0
        kept = release.loss("structure-kept")
        points[alpha] = (lost, kept or 0.0)
        told = {"alpha": alpha, "lost": lost, "kept": kept}
        tell.say("point", **told, people=people.num_rows, of=nodes.num_rows)
    return {}


def following(points: Mapping[float, tuple[float, float]]) -> float | None:
    """Choose the next alpha; None once the curve has its points.

    >>> following({0.5: (0.2, 0.1), 0.0: (0.8, 0.7), 1.0: (0.1, 0.0)})
    0.25
    """
    fresh = [alpha for alpha in FIRST if alpha not in points]
    if fresh:
        return fresh[0]
    gaps = [
        (math.dist(points[low], points[high]), low, high)
        for low, high in pairwise(sorted(points))
        if high - low >= 2 * FINEST
    ]
    if len(points) >= POINTS or not gaps:
        return None
    _, low, high = max(gaps)
    return round((low + high) / 2, 3)


def part_of(nodes: pa.Table, network: Network, most: int) -> tuple[pa.Table, pa.Table]:
    """Return all people and edges, or a part of `most` people around one drawn at random."""
    rows = np.arange(network.count) if network.count <= most else _around(network, most)
    number = np.full(network.count, -1, np.int64)
    number[rows] = np.arange(len(rows))
    one = number[network.one]
    other = number[network.other]
    inside = (one >= 0) & (other >= 0)
    return nodes.take(pa.array(rows)), pa.table({"one": one[inside], "other": other[inside]})


def _around(network: Network, most: int) -> Longs:
    """Gather people by their distance from one of them, and from another where there are few."""
    starts, ends = network.near
    seen = np.zeros(network.count, np.bool_)
    taken: list[int] = []
    for begin in np.random.default_rng(SEED).permutation(network.count).tolist():
        waiting = deque([] if seen[begin] else [begin])
        seen[begin] = True
        while waiting and len(taken) < most:
            person = waiting.popleft()
            taken.append(person)
            near = ends[starts[person] : starts[person + 1]]
            fresh = near[~seen[near]]
            seen[fresh] = True
            waiting.extend(fresh.tolist())
        if len(taken) >= most:
            break
    return np.sort(np.array(taken, np.int64))
