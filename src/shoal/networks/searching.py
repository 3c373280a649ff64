"""`shoal` for graphs: swaps of nodes that lower the real objective, by exact changes. Our own.

    objective = alpha * NGIL + (1 - alpha) * SIL / SIL(one cluster)
    begin:  the better of SaNGreeA's clusters (few nodes) and groups by attributes alone, those of
            2 k nodes or more cut into pieces of k
    search: draw a node and a cluster that may suit it (of someone two edges away, of a neighbour,
            of someone near by attributes or degree); swap it with a member of that cluster if the
            objective falls, or rises by less than a heat that cools down

The greedy of SaNGreeA never sees SIL; here every swap is weighed by the change of the objective
itself, in time that grows with the neighbours of the two nodes (`kernels/networks/search`). Sizes
stay as they began: cutting a cluster never loses more, so they are k, or a little above.

Where models ask for more than size, the search begins with groups that are safe by attributes, and
swaps only nodes with equal sensitive values: whatever was true of the values in a group stays true.

`effort` counts swaps that are tried, never seconds; a seed repeats a result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import AnyArray, Ints
from shoal.encode.rows import Rows, combined
from shoal.groups import Groups, Guard, Note, Watch
from shoal.kernels.costs import UNIT, boxes, of_box
from shoal.kernels.networks import search as kernels
from shoal.kernels.networks.search import EdgeCounts, NodeClusters, Proposals, SwapSearch, Weights
from shoal.networks.method import GraphMethod, by_height
from shoal.networks.network import Network
from shoal.networks.sangreea import grown
from shoal.networks.structure import Structure, trivial_sil
from shoal.partition.refinement import Effort
from shoal.partition.shoal import Shoal

GREEDY = 5_000  # nodes up to which SaNGreeA's clusters are a beginning
SQUARE = 1 << 24  # pairs of clusters up to which counts stand in a square
TRIES = {"low": 40, "default": 400, "high": 4_000}  # swaps tried for each node of a small graph
WORK = {"low": 1e6, "default": 6e6, "high": 1e8}  # swaps tried for all nodes together, at most
LEAST_TRIES = 2  # for each node, however many there are
SWEEPS = 40
HEAT = 0.01  # of the first sweep, as a share of the mean change
COLDEST = 1e-3  # the heat of the last sweep but one, as a share of the first


@dataclass(frozen=True)
class GraphShoal(GraphMethod):
    """Swaps that lower the objective itself, attributes and structure, by exact changes."""

    name = "shoal"
    takes_effort: ClassVar[bool] = True
    effort: Effort = "default"

    def _cluster(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        rows = by_height(rows)
        begun = self._beginning(rows, k, guard, rng)
        search = _Swapping(self, rows, begun, _alike(rows, guard), rng)
        return search.run(watch)

    def _beginning(self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator) -> Groups:
        """Choose the better of two beginnings; where models ask for more, only safe groups."""
        quick = Shoal(effort="low")
        by_attributes = quick.divide(rows, k, guard, rng)
        if not guard.only_size:
            return by_attributes
        least = max(k, guard.least)
        begun = _cut(by_attributes, self.network, least)
        if rows.count > GREEDY:
            return begun
        greedy = Groups.of(grown(self, rows, least))
        return min(begun, greedy, key=lambda groups: self.objective(rows, groups))

    def prices(self, rows: Rows) -> tuple[float, float]:
        """Give the price of a unit of attribute cost, and that of Q (SIL is 2 m - 2 Q)."""
        attributes = self.alpha / (max(rows.count * len(rows.axes), 1) * UNIT)
        most = trivial_sil(self.network.count, self.network.edges)
        return attributes, (1.0 - self.alpha) * 2.0 / most if most else 0.0

    def objective(self, rows: Rows, groups: Groups) -> float:
        """Compute alpha * NGIL + (1 - alpha) * SIL / SIL(one cluster)."""
        attributes, structure = self.prices(rows)
        lost = int((groups.sizes * _box_costs(rows, groups)).sum())
        return attributes * lost + structure * Structure.of(self.network, groups).sil() / 2.0


class _Swapping:
    """A search by swaps: clusters whose members change, and counts of edges that follow."""

    def __init__(
        self, method: GraphShoal, rows: Rows, begun: Groups, alike: Ints, rng: np.random.Generator
    ) -> None:
        self.method = method
        self.rows = rows
        self.network = method.network
        order, begin = begun.by_group
        place = np.empty(rows.count, np.int32)
        place[order] = np.arange(rows.count, dtype=np.int32)
        self.clusters = NodeClusters(
            begun.labels.copy(), order.astype(np.int32), place, begin, _box_costs(rows, begun)
        )
        self.count = begun.count
        self.notes = begun.notes
        self.table = _counted(self.network, begun)
        self.proposals = Proposals(*_orders(rows, self.network), alike)
        self.reach = max(2 * int(begun.sizes.min(initial=1)), 8)
        self.state = rng.integers(1, 2**63, size=1).astype(np.uint64)

    def run(self, watch: Watch) -> Groups:
        """Cool down sweep by sweep; the last ones take what lowers the loss, and nothing else."""
        attributes, structure = self.method.prices(self.rows)
        if self.count < 2:
            return Groups.of(self.clusters.labels, self.notes)
        tries = self._tries()
        notes = self.notes
        heat = self._first_heat(attributes, structure)
        if tries < SWEEPS * self.rows.count // 2:
            heat = 0.0  # too few tries to cool down from anywhere
        try:
            for sweep in range(SWEEPS):
                watch(sweep / SWEEPS)
                warm = heat * COLDEST ** (sweep / (0.8 * SWEEPS))
                if sweep >= 0.8 * SWEEPS:
                    warm = 0.0
                self._sweep(Weights(attributes, structure, warm, self.reach), tries // SWEEPS)
        except KeyboardInterrupt:
            notes = (*notes, Note("interrupted", "the search was stopped; what it had is used"))
        return Groups.of(self.clusters.labels, notes)

    def _tries(self) -> int:
        most = WORK[self.method.effort]
        each = min(TRIES[self.method.effort], most / max(self.rows.count, 1))
        return int(max(each, LEAST_TRIES) * self.rows.count)

    def _first_heat(self, attributes: float, structure: float) -> float:
        """Take a fraction of the mean change that a swap makes."""
        told = self._sweep(Weights(attributes, structure, 0.0, self.reach), 2000)
        return HEAT * told[2] / max(told[3], 1.0)

    def _sweep(self, weights: Weights, tries: int) -> AnyArray:
        if len(self.table.keys) > 1 and self.table.used[0] > len(self.table.keys) // 2:
            self.table = _renewed(self.table, self.count)
        search = SwapSearch(
            self.rows.costs,
            self.rows.codes,
            self.network.near,
            self.clusters,
            self.table,
            self.proposals,
        )
        return kernels.sweep(search, weights, tries, self.state)


def _box_costs(rows: Rows, groups: Groups) -> AnyArray:
    """Compute the cost of the box of each group."""
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    pairs = zip(lo.T, hi.T, strict=True)
    return np.array([of_box(rows.costs, *pair) for pair in pairs], np.int64)


def _cut(groups: Groups, network: Network, k: int) -> Groups:
    """Cut groups of 2 k nodes or more into pieces of k, nodes of like degree together."""
    order = np.lexsort((network.degrees, groups.labels))
    labels = groups.labels[order]
    begin = np.concatenate(([0], np.cumsum(groups.sizes)))
    within = np.arange(len(order)) - begin[labels]
    pieces = groups.sizes // k
    piece = np.minimum(within * pieces[labels] // groups.sizes[labels], pieces[labels] - 1)
    first = np.concatenate(([0], np.cumsum(pieces)))
    cut = np.empty(len(order), np.int64)
    cut[order] = first[labels] + piece
    return Groups.of(cut, groups.notes)


def _alike(rows: Rows, guard: Guard) -> Ints:
    """Number nodes by their sensitive values; all alike where the models ask for size alone."""
    if guard.only_size or not rows.sensitive:
        return np.zeros(rows.count, np.int32)
    codes = np.array([column.codes for column in rows.sensitive])
    keys = combined(codes, [column.size + 1 for column in rows.sensitive])
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _orders(rows: Rows, network: Network) -> tuple[Ints, Ints]:
    """Sort nodes by attributes, each axis once the first, and by degree."""
    axes = [*rows.codes]
    sorted_by = [np.argsort(-network.degrees, kind="stable")]
    for first in range(min(len(axes), 4)):
        keys = [*axes[first:], *axes[:first]]
        sorted_by.append(np.lexsort(keys[::-1]))
    orders = np.array(sorted_by, np.int32)
    ranks = np.empty_like(orders)
    for order, rank in zip(orders, ranks, strict=True):
        rank[order] = np.arange(len(order), dtype=np.int32)
    return orders, ranks


def _counted(network: Network, groups: Groups) -> EdgeCounts:
    """Count edges of pairs of clusters, in a square or by hash."""
    if groups.count**2 <= SQUARE:
        table = EdgeCounts(
            np.zeros(1, np.int64), np.zeros(groups.count**2, np.int32), np.zeros(1, np.int64)
        )
    else:
        table = _empty(4 * network.edges)
    kernels.fill(table, groups.count, groups.labels, network.one, network.other)
    return table


def _empty(places: int) -> EdgeCounts:
    size = 1 << max(math.ceil(math.log2(max(places, 16))), 4)
    return EdgeCounts(np.full(size, -1, np.int64), np.zeros(size, np.int32), np.zeros(1, np.int64))


def _renewed(table: EdgeCounts, count: int) -> EdgeCounts:
    """Make the hash table anew, without pairs that have lost all edges."""
    held = int(np.count_nonzero(table.counts))
    renewed = _empty(max(4 * held, len(table.keys)))
    kernels.refill(renewed, count, table.keys, table.counts)
    return renewed
