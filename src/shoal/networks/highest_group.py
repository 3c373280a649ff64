"""The group of the highest node: a bound on added edges by the best group that it could stand in.

Whatever the release, the node of highest degree stands in some group S of at least k nodes with one
target t, and everyone in S is raised by a = t - degree. Edges that are added at S number

    sum of a over S  -  edges that are added inside S

and those inside S join pairs that are no neighbours yet and both lack one. The least of this over
all t and all S is a bound. Sets are looked at best first: a state is t, the size of S, and for the
highest nodes, one after the other, whether they are in. What its sets add at least, doubled:

    chosen nodes: 2 a each, less 1 for each chosen node that they may be joined to, within a
    and the cheapest of the others, as many as are still needed: 2 a, less 2 for each chosen node
    that it may be joined to, less 1 for each other that it may be, all within a

No state on the list stays below the first one, so its value is proven wherever the search stops; it
is the least of all where that state has chosen everybody.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Longs
from shoal.networks.network import Network

LARGEST = 500  # nodes: states look at all pairs of nodes
LISTED = 10  # groups
STEPS = {"low": 500, "default": 10_000, "high": 200_000}  # states that are divided


class _State(NamedTuple):
    """Some sets: chosen nodes, and how many of the nodes in order are decided."""

    least: int  # edges that all of its sets add, doubled
    lacking: int  # nodes that are still to be chosen: of equal states the fuller one comes first
    target: int
    chosen: tuple[int, ...]
    decided: int


class HighestGroups(NamedTuple):
    """A proven number of added edges, and the best groups that came up: target and members."""

    bound: int
    groups: list[tuple[int, list[int]]]


@dataclass(frozen=True)
class HighestGroup:
    """The problem: degrees, highest first, which nodes are neighbours, and k."""

    degrees: Longs
    linked: Flags  # [nodes, nodes]
    k: int

    @classmethod
    def of(cls, network: Network, order: Longs, k: int) -> HighestGroup:
        """Look at a graph whose nodes are put in order, those of highest degree first."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        linked = np.zeros((len(order), len(order)), np.bool_)
        linked[place[network.one], place[network.other]] = True
        return cls(network.degrees[order].astype(np.int64), linked | linked.T, k)

    @cached_property
    def apart(self) -> Flags:
        """Mark pairs of two nodes that are no neighbours."""
        return ~self.linked & ~np.eye(len(self.degrees), dtype=np.bool_)

    def search(self, most: int, steps: int) -> HighestGroups:
        """Prove a number of added edges, where a release with `most` is known; list best groups."""
        waiting = self._first(most)
        heapq.heapify(waiting)
        best: list[_State] = []
        proven = None
        for _ in range(steps):
            if not waiting or len(best) == LISTED:
                break
            first = heapq.heappop(waiting)
            if first.lacking:
                for state in self._divided(first):
                    if state.least < 2 * most:
                        heapq.heappush(waiting, state)
                continue
            proven = first.least if proven is None else proven
            best.append(first)
        if proven is None:
            proven = waiting[0].least if waiting else 2 * most
        groups = [(state.target, list(state.chosen)) for state in best]
        return HighestGroups(min(-(-proven // 2), most), groups)

    def _first(self, most: int) -> list[_State]:
        """List targets and sizes; nothing is decided but the highest node itself."""
        states = []
        count = len(self.degrees)
        highest = int(self.degrees[0])
        for target in range(highest, count):
            if self.k * (target - highest) >= 2 * most:
                break
            raises = np.cumsum(target - self.degrees)
            for size in range(self.k, count + 1):
                if int(raises[size - 1]) >= 2 * most:  # half of these edges at least are added
                    break
                least = self._least(target, (0,), 1, size - 1)
                if least < 2 * most:
                    states.append(_State(least, size - 1, target, (0,), 1))
        return states

    def _divided(self, state: _State) -> list[_State]:
        """Decide the next node: in, or out where enough others are left."""
        node = state.decided
        lacking = state.lacking
        left = len(self.degrees) - node
        ways = [((*state.chosen, node), lacking - 1)]
        if left > lacking:
            ways.append((state.chosen, lacking))
        divided = []
        for chosen, wanted in ways:
            least = max(self._least(state.target, chosen, node + 1, wanted), state.least)
            divided.append(_State(least, wanted, state.target, chosen, node + 1))
        return divided

    def _least(self, target: int, chosen: tuple[int, ...], decided: int, lacking: int) -> int:
        """Count what all sets of a state add at least, doubled."""
        raises = target - self.degrees
        within = list(chosen)
        lack = raises[within] > 0
        pairs = self.apart[np.ix_(within, within)] & lack[:, None] & lack
        inside = int(np.minimum(pairs.sum(axis=1), raises[within]).sum())
        fixed = 2 * int(raises[within].sum()) - inside
        if not lacking:
            return fixed
        open_raises = raises[decided:]
        to_chosen = self.apart[decided:, within][:, lack].sum(axis=1)
        joined = np.minimum(open_raises, to_chosen)
        others = np.minimum(self._apart_after[decided][decided:], lacking - 1)
        costs = 2 * open_raises - 2 * joined - np.minimum(open_raises - joined, others)
        return fixed + int(np.partition(costs, lacking - 1)[:lacking].sum())

    @cached_property
    def _apart_after(self) -> Longs:
        """[from, node]: nodes from there on that are no neighbours of the node."""
        return np.cumsum(self.apart[::-1], axis=0)[::-1].astype(np.int64)
