"""`sangreea`: clusters grown greedily from nodes of high degree (Campan and Truta).

    while nodes are left:
        seed = the node of highest degree without a cluster
        grow to k nodes, each time by the node X for which
            alpha * NGIL(cluster + X) + (1 - alpha) * distance(X, cluster)   is least
    nodes of a last cluster below k each join the cluster for which that sum is least

`distance` of two nodes is the share of all other nodes that are a neighbour of one and not of the
other; that to a cluster is the mean over its members. Paper: A. Campan and T. Truta, "Data and
structural k-anonymity in social networks", 2009, doi:10.1007/978-3-642-01718-6_4.

Where the paper leaves a choice, we read it so:

| the paper | our reading |
|---|---|
| NGIL of a cluster alone | widths over the range of the whole table, which its Table 2 needs |
| two seeds of equal degree, two candidates of equal score | the lower row |
| dispersal of the last nodes | in the order of rows, each seeing those before it |
| two nodes in all | distance 0 |

Costs are whole numbers (2^20 for everything on an axis) and alpha is a fraction, so scores are
compared exactly. Time is quadratic in the number of nodes: refused above 50,000.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch
from shoal.kernels.costs import UNIT, between
from shoal.kernels.networks.sangreea import add_shared, grow
from shoal.networks.method import GraphMethod, by_height
from shoal.wording import Remedy, Set

MOST_NODES = 50_000


@dataclass(frozen=True)
class Sangreea(GraphMethod):
    """Clusters grown greedily from nodes of high degree, by attributes and neighbours."""

    name = "sangreea"

    def _cluster(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        if rows.count > MOST_NODES:
            raise RecipeError(
                f"method 'sangreea' takes quadratic time: {rows.count:,} nodes are too many",
                {"most nodes": MOST_NODES},
                Remedy(Set("method", "shoal")),
            )
        return Groups.of(grown(self, by_height(rows), k))


def grown(method: GraphMethod, rows: Rows, k: int) -> Ints:
    """Grow clusters, and hand the nodes of a last one below k to the others."""
    seeds = np.argsort(-method.network.degrees, kind="stable").astype(np.int32)
    labels = grow(rows.costs, rows.codes, method.network.near, k, method.share, seeds)
    last = int(labels.max())
    rest = np.flatnonzero(labels == last)
    if len(rest) >= k:
        return labels
    labels[rest] = -1
    for node in rest.tolist():
        labels[node] = _nearest(method, rows, labels, node, last)
    return labels


def _nearest(method: GraphMethod, rows: Rows, labels: Ints, node: int, clusters: int) -> int:
    """Find the cluster that a last node joins, by exact fractions; ties by lowest number."""
    network = method.network
    top, bottom = method.share.tolist()
    shared = np.zeros(network.count, np.int64)
    add_shared(network.near, node, shared)
    there = labels >= 0
    sizes = np.bincount(labels[there], minlength=clusters)
    apart = network.degrees + int(network.degrees[node]) - 2 * shared
    differ = _summed(apart, labels, clusters)
    boxes = _boxes_with(rows, labels, node, clusters)
    others = max(network.count - 2, 1)
    axes = len(rows.axes)

    def score(cluster: int) -> tuple[Fraction, int]:
        size = int(sizes[cluster])
        lost = Fraction(top * int(boxes[cluster]), axes * UNIT)
        away = Fraction((bottom - top) * int(differ[cluster]), size * others)
        return lost + away, cluster

    return min(range(clusters), key=score)


def _summed(values: Longs, labels: Ints, clusters: int) -> Longs:
    there = labels >= 0
    sums = np.zeros(clusters, np.int64)
    np.add.at(sums, labels[there], values[there])
    return sums


def _boxes_with(rows: Rows, labels: Ints, node: int, clusters: int) -> Longs:
    """Compute the cost of each cluster's box with one more node."""
    there = labels >= 0
    costs = np.zeros(clusters, np.int64)
    for axis, codes in enumerate(rows.codes):
        lo = np.full(clusters, codes[node], np.int64)
        hi = np.full(clusters, codes[node], np.int64)
        np.minimum.at(lo, labels[there], codes[there])
        np.maximum.at(hi, labels[there], codes[there])
        ends = zip(lo.tolist(), hi.tolist(), strict=True)
        costs += [between(rows.costs, axis, low, high) for low, high in ends]
    return costs
