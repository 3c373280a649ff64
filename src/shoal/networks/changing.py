"""Changing: the fewest edges to add, or to add and remove, by an integer programme; and its bound.

    x(u, v)  whether an edge is added between two that have none, or taken away where one is
    y(v, t)  whether node v ends with t neighbours
    z(t)     whether any node does

    each node has one number of neighbours, and its edges make it so
    y(v, t) <= z(t), and the sum of y(., t) is at least k z(t)
    least: the number of edges that change

It is exact where the search ends, and a proven bound wherever it stops. A way with `most` changes
is known already, so y(v, t) is left out where v and its k - 1 cheapest companions at t alone would
change more. Graphs with too many variables are left alone, and so is what is proven to be within a
few percent of the fewest: the programme takes minutes there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.adapters.integer_programmes import IntegerProgramme, is_installed, solved
from shoal.arrays import Longs
from shoal.networks.network import Network
from shoal.partition.refinement import Effort

LARGEST = 12_000  # variables
BRANCHES = {"low": 0, "default": 30, "high": 5_000}
NEAR = {"low": 0.05, "default": 0.05, "high": 0.0}  # a gap that is left as it is
UNLIMITED = float("inf")


@dataclass(frozen=True)
class EdgeChanges:
    """Edges that are added and removed, each as a pair of nodes, the lower one first."""

    added: list[tuple[int, int]]
    removed: list[tuple[int, int]]

    @property
    def count(self) -> int:
        """Count the edges that change."""
        return len(self.added) + len(self.removed)


@dataclass(frozen=True)
class ChangeSearch:
    """The problem: a graph, k, whether edges may go, and how many changes a known way takes."""

    network: Network
    k: int
    removes: bool
    most: int

    def better(self, effort: Effort, bound: int) -> tuple[EdgeChanges | None, int]:
        """Look for fewer changes; return them, or None, and a number that none stays below."""
        near = self.most <= bound + NEAR[effort] * bound
        if near or not BRANCHES[effort] or not is_installed():
            return None, bound
        if self.network.possible > LARGEST:
            return None, bound
        ends = list(self._ends())
        if len(ends) + len(self._pairs()) > LARGEST:
            return None, bound
        programme, pairs = self._programme(ends)
        end = solved(programme, BRANCHES[effort])
        if end is None:
            return None, bound
        changes = self._changes(pairs, np.flatnonzero(end.values[: len(pairs)] > 0.5))
        fewest = min(changes.count, self.most)
        least = max(bound, min(end.least, fewest))
        return (changes if changes.count < self.most else None), least

    def _pairs(self) -> list[tuple[int, int]]:
        """List the pairs of nodes that may change."""
        one, other = np.triu_indices(self.network.count, 1)
        linked = np.isin(one.astype(np.int64) * self.network.count + other, self.network.keys)
        allowed = np.ones(len(one), np.bool_) if self.removes else ~linked
        return list(zip(one[allowed].tolist(), other[allowed].tolist(), strict=True))

    def _ends(self) -> Iterator[tuple[int, int]]:
        """List nodes with the numbers of neighbours that they can end with, within `most`."""
        degrees = self.network.degrees
        for target in range(self.network.count):
            apart = np.abs(target - degrees)
            there = np.ones(len(degrees), np.bool_) if self.removes else degrees <= target
            if int(there.sum()) < self.k:
                continue
            cheapest = np.sort(apart[there])
            for node in np.flatnonzero(there & (apart <= self.most)).tolist():
                if _group_cost(cheapest, int(apart[node]), self.k) <= 2 * self.most:
                    yield node, target

    def _programme(
        self, ends: list[tuple[int, int]]
    ) -> tuple[IntegerProgramme, list[tuple[int, int]]]:
        programme = IntegerProgramme()
        pairs = self._pairs()
        known = set(self.network.keys.tolist())
        at_node: list[list[tuple[int, float]]] = [[] for _ in range(self.network.count)]
        for one, other in pairs:
            there = one * self.network.count + other in known
            number = programme.variable(1.0)
            for node in (one, other):
                at_node[node].append((number, 1.0 if there else -1.0))
        by_node: list[list[tuple[int, int]]] = [[] for _ in at_node]
        by_target: dict[int, list[int]] = {}
        for node, target in ends:
            number = programme.variable()
            by_node[node].append((number, target))
            by_target.setdefault(target, []).append(number)
        for node, choices in enumerate(by_node):
            programme.bounded([(number, 1.0) for number, _ in choices], 1, 1)
            degree = float(self.network.degrees[node])
            changed = [(number, float(target)) for number, target in choices]
            programme.bounded([*changed, *at_node[node]], degree, degree)
        for numbers in by_target.values():
            used = programme.variable()
            shared = [(number, 1.0) for number in numbers]
            programme.bounded([*shared, (used, -float(self.k))], 0, UNLIMITED)
            for number in numbers:
                programme.bounded([(used, 1.0), (number, -1.0)], 0, UNLIMITED)
        return programme, pairs

    def _changes(self, pairs: list[tuple[int, int]], chosen: Longs) -> EdgeChanges:
        known = set(self.network.keys.tolist())
        changed = [pairs[place] for place in chosen.tolist()]
        there = [one * self.network.count + other in known for one, other in changed]
        added = [pair for pair, old in zip(changed, there, strict=True) if not old]
        return EdgeChanges(added, [pair for pair, old in zip(changed, there, strict=True) if old])


def _group_cost(cheapest: Longs, own: int, k: int) -> int:
    """Sum what a node and its k - 1 cheapest companions change at one number of neighbours."""
    if own <= int(cheapest[k - 1]):  # it is one of the k cheapest itself
        return int(cheapest[:k].sum())
    return own + int(cheapest[: k - 1].sum())
