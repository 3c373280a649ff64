"""Exchanging: targets of nodes that ask for fewer new edges, by small changes that cool down.

    state:  a target for each node, none below its degree, and each shared by k nodes or nobody
    change: move a node to another target; let two nodes exchange theirs; raise or lower all nodes
            of a target by one; join them to a higher target; cut some off to a lower one
    cost:   sum of raises, and a price for what can't be realized

What can't be realized is read off a necessary test (K. Liu and E. Terzi, 2008): the l nodes that
lack most have neighbours among themselves and among all others, and not more than there are. A
change is taken if the cost falls, or rises by less than a heat that cools down. Targets that pass
the test are realized (`realizing`), and the fewest edges are kept. The first runs begin with the
best groups of the highest node (`highest_group`), cooler than others, which begin near the cheapest
targets.

The dynamic programme keeps the order of degrees. Where hubs know each other that is dear: their new
neighbours must come from elsewhere, and are pulled above their own groups. Here these are found.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Longs
from shoal.errors import PrivacyNotMet
from shoal.networks.degrees import DegreeRaise
from shoal.networks.network import Network
from shoal.networks.realizing import Realization
from shoal.partition.refinement import Effort

LARGEST = 500  # nodes: each change looks at pairs of raised nodes
WORK = {"low": 0, "default": 700_000_000, "high": 14_000_000_000}  # pairs that are looked at
CHANGES = {"low": 0, "default": 120_000, "high": 2_400_000}  # that are tried, at most
RUN = 10_000  # changes of a run; then another one begins
WIDER = 1.3  # how much dearer than the cheapest targets a beginning may be
UNREALIZED = 2.0  # the price of a neighbour that can't be found
HOTTEST = 4.0
COLDEST = 0.2
WARM = 1.0  # where a run begins with a good group

Edges = list[tuple[int, int]]
Groups = Sequence[tuple[int, list[int]]]  # target and members


@dataclass
class TargetExchange:
    """A graph, the problem of raising its degrees, and the fewest edges that came up."""

    network: Network
    raising: DegreeRaise
    best: Edges
    rng: np.random.Generator

    @cached_property
    def linked(self) -> Longs:
        """Mark the pairs of nodes that are neighbours."""
        count = self.network.count
        linked = np.zeros((count, count), np.int64)
        linked[self.network.one, self.network.other] = 1
        linked[self.network.other, self.network.one] = 1
        return linked

    def fewer(self, effort: Effort, bound: int, groups: Groups = ()) -> Edges:
        """Try changes, run after run, until the bound is met or the work is done."""
        count = self.network.count
        if count > LARGEST:
            return self.best
        tries = min(CHANGES[effort], WORK[effort] // (count * count))
        for run, begin in enumerate(range(0, tries, RUN)):
            if len(self.best) <= bound:
                break
            if run < len(groups):
                self._run(self._begun_with(*groups[run]), WARM, min(RUN, tries - begin))
            else:
                self._run(self._begun(), HOTTEST, min(RUN, tries - begin))
        return self.best

    def _run(self, targets: Longs, hottest: float, tries: int) -> None:
        cost = self._cost(targets)
        for number in range(tries):
            heat = hottest * (COLDEST / hottest) ** (number / tries)
            changed = self._changed(targets)
            if changed is None:
                continue
            now = self._cost(changed)
            if now <= cost or self.rng.random() < math.exp((cost - now) / heat):
                targets, cost = changed, now
                self._realize(targets)

    def _begun(self) -> Longs:
        """Draw targets near the cheapest ones."""
        targets = np.empty(self.network.count, np.int64)
        self._draw(targets, np.arange(self.network.count), self.raising.k)
        return targets

    def _begun_with(self, target: int, members: list[int]) -> Longs:
        """Give some nodes a target, and draw those of the others, if they can be shared."""
        targets = np.full(self.network.count, target, np.int64)
        others = np.setdiff1d(np.arange(self.network.count), members)
        try:
            self._draw(targets, others, self.raising.k)
        except PrivacyNotMet:
            return self._begun()
        return targets

    def _draw(self, targets: Longs, nodes: Longs, k: int) -> None:
        """Draw targets of some nodes near their cheapest ones."""
        if not len(nodes):
            return
        order = nodes[np.lexsort((self.rng.random(len(nodes)), -self.network.degrees[nodes]))]
        raising = DegreeRaise(self.network.degrees[order].astype(np.int64), k)
        targets[order] = raising.drawn(self.rng, int(raising.least * WIDER) + 2)

    def _cost(self, targets: Longs) -> float:
        lacking = targets - self.network.degrees
        total = int(lacking.sum())
        return total + total % 2 + UNREALIZED * self._unrealized(lacking)

    def _unrealized(self, lacking: Longs) -> int:
        """Count neighbours that the l nodes which lack most can't have; the worst l."""
        order = np.argsort(-lacking, kind="stable")
        order = order[: int(np.count_nonzero(lacking))]
        if not len(order):
            return 0
        wanted = lacking[order]
        first = np.arange(1, len(order) + 1)[:, None]
        free = first - np.cumsum(self.linked[np.ix_(order, order)], axis=0)
        others = np.arange(len(order)) >= first
        there = np.where(others, np.minimum(free, wanted), free - 1).sum(axis=1)
        return max(int((np.cumsum(wanted) - there).max()), 0)

    def _realize(self, targets: Longs) -> None:
        lacking = targets - self.network.degrees
        total = int(lacking.sum())
        if total % 2 or total >= 2 * len(self.best) or self._unrealized(lacking):
            return
        edges = Realization(self.network.near, lacking, self.rng).edges()
        if edges is not None:
            self.best = edges

    def _changed(self, targets: Longs) -> Longs | None:
        """Draw a change; None where it is not allowed."""
        draw = (self._moved, self._exchanged, self._shifted, self._joined_or_cut)
        return draw[int(self.rng.integers(len(draw)))](targets)

    def _moved(self, targets: Longs) -> Longs | None:
        node = int(self.rng.integers(len(targets)))
        if np.count_nonzero(targets == targets[node]) <= self.raising.k:
            return None
        used = np.unique(targets)
        there = used[(used >= self.network.degrees[node]) & (used != targets[node])]
        if not len(there):
            return None
        changed = targets.copy()
        changed[node] = there[self.rng.integers(len(there))]
        return changed

    def _exchanged(self, targets: Longs) -> Longs | None:
        pair = self.rng.integers(len(targets), size=2)
        other = pair[::-1]
        if (targets[other] < self.network.degrees[pair]).any():
            return None
        changed = targets.copy()
        changed[pair] = targets[other]
        return changed

    def _shifted(self, targets: Longs) -> Longs | None:
        used = np.unique(targets)
        target = used[self.rng.integers(len(used))]
        members = targets == target
        target += 2 * self.rng.integers(2) - 1
        highest = int(self.network.degrees[members].max())
        if not highest <= target < len(targets):
            return None
        changed = targets.copy()
        changed[members] = target
        return changed

    def _joined_or_cut(self, targets: Longs) -> Longs | None:
        """Cut nodes of low degree off a large group; join a small one to the next higher."""
        used = np.unique(targets)
        place = int(self.rng.integers(len(used)))
        members = np.flatnonzero(targets == used[place])
        changed = targets.copy()
        k = self.raising.k
        if len(members) < 2 * k:
            if place + 1 == len(used):
                return None
            changed[members] = used[place + 1]
            return changed
        degrees = self.network.degrees[members]
        members = members[np.lexsort((self.rng.random(len(members)), degrees))]
        cut = members[: self.rng.integers(k, len(members) - k + 1)]
        target = int(self.network.degrees[cut].max()) + int(self.rng.integers(2))
        if target >= used[place]:
            return None
        changed[cut] = target
        return changed
