"""Degrees: the cheapest raise after which every degree is shared by k nodes, and a proven bound.

    sort degrees, highest first; groups of k to 2 k - 1 neighbours in that order get one target
    best[j, p, c] = least sum of raises of the first j degrees, of parity p, that raises c nodes
                  = min over the last group, its size and its target (its highest degree, +1 or +2)

A graph has an even sum of degrees, and an edge adds 2 to it. So half of the even optimum is a lower
bound: no graph that holds all edges of the original and in which k nodes share every degree adds
fewer. Larger groups never help (cut one in two; the second takes its own highest degree, or one
above where parity asks), and neither do targets further up. The dynamic programme is that of K. Liu
and E. Terzi (2008, doi:10.1145/1376616.1376629), who look at sums of either parity; more than half
of their sequences belong to no graph at all.

The bound is raised where hubs are few. Whatever the release, the node of highest degree stands in
some group of g >= k nodes with one target t. A node of that group which is raised by a has at most
g - 1 others in it, and one fewer if it is a neighbour of the highest already; so it needs at least
a - (g - 1) new neighbours, or one more, among all others, who are raised by as much. Hence

    sum of raises >= sum over the group of a + max(a - those that it may have in the group, 0)

and the least of this over all t, g and members is a bound too. Members are chosen freely: a release
need not keep the order of degrees, and a bound that takes the next highest for granted is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Longs
from shoal.errors import PrivacyNotMet
from shoal.kernels.networks.counting import Near
from shoal.kernels.networks.degrees import NEVER, RAISES, cheapest, raised_nodes

WORK = 4e8  # steps of the dynamic programme, at most
MARKED = 5_000  # nodes up to which neighbours of the highest one are told apart


@dataclass(frozen=True)
class DegreeRaise:
    """The problem of raising degrees: degrees highest first, and k."""

    degrees: Longs
    k: int

    @cached_property
    def sums(self) -> Longs:
        """Sum the first degrees."""
        return np.concatenate(([0], np.cumsum(self.degrees)))

    @cached_property
    def alike(self) -> Longs:
        """Count the degrees from each one on that are equal to it."""
        ends = np.searchsorted(-self.degrees, -self.degrees, side="right")
        return (ends - np.arange(len(self.degrees))).astype(np.int64)

    @cached_property
    def most(self) -> int:
        """The number of raised nodes that is told apart, as far as there is time."""
        count = len(self.degrees)
        widest = int(self.degrees[0] - self.degrees[min(2 * self.k, count) - 1]) + 2
        most = min(2 * widest + 2 * self.k, count)
        each = count * self.k * RAISES * 2
        return most if each * most <= WORK else 0

    @cached_property
    def best(self) -> Longs:
        """The least raise of the first j degrees, by parity and by nodes that are raised."""
        return cheapest(self.degrees, self.alike, self.k, self.most, len(self.degrees) - 1)

    @property
    def parity(self) -> int:
        """The parity that raises must have for an even sum in the end: that of the degrees."""
        return int(self.sums[-1]) % 2

    @property
    def least(self) -> int:
        """The least sum of raises that some graph may have."""
        least = int(self.best[-1, self.parity].min())
        if least >= NEVER:
            facts = {"nodes": len(self.degrees), "k": self.k, "published": "nothing"}
            raise PrivacyNotMet("no degrees of these nodes can be shared by k", facts, "lower k")
        return least

    @property
    def least_of_either_parity(self) -> int:
        """The least sum of raises, whether it belongs to a graph or not."""
        return int(self.best[-1].min())

    def drawn(self, rng: np.random.Generator, within: int) -> Longs:
        """Draw targets whose raises sum to at most `within`, of all parts of the programme.

        First the number of nodes that are raised, then group after group, each choice alike.
        """
        here = self.best[-1, self.parity]
        held = int(rng.choice(np.flatnonzero(here <= within)))
        slack = within - int(here[held])
        targets = np.empty(len(self.degrees), np.int64)
        place = (len(self.degrees), self.parity, held)
        while place[0]:
            choices = self._choices(place, slack)
            before, target, slack = choices[int(rng.integers(len(choices)))]
            targets[before[0] : place[0]] = target
            place = before
        return targets

    def _choices(
        self, place: tuple[int, int, int], slack: int
    ) -> list[tuple[tuple[int, int, int], int, int]]:
        """List the last groups that may end at a place: the place before, target, slack left."""
        end, parity, held = place
        here = int(self.best[place])
        choices = []
        for size in range(self.k, min(2 * self.k - 1, end) + 1):
            begin = end - size
            for raised in range(RAISES):
                target = int(self.degrees[begin]) + raised
                if target >= len(self.degrees):
                    break
                cost = size * target - int(self.sums[end] - self.sums[begin])
                more = raised_nodes(self.alike, begin, size, raised)
                for earlier in self._earlier(held, more):
                    before = (begin, (parity + cost) % 2, earlier)
                    over = int(self.best[before]) + cost - here
                    if over <= slack:
                        choices.append((before, target, slack - over))
        return choices

    def _earlier(self, held: int, more: int) -> range:
        """List the numbers of raised nodes to which `more` were added to get here."""
        if held < self.most:
            return range(max(held - more, 0), held - more + 1)
        return range(max(self.most - more, 0), self.most + 1)


def bound_of(raising: DegreeRaise, near: Near, order: Longs) -> int:
    """Prove a number of edges that no graph with shared degrees stays below; see the module."""
    least = raising.least
    by_group = _by_group_of_the_highest(raising, near, order, 2 * len(order) * len(order))
    # An edge adds 2 to the sum of degrees, so that sums of raises are even.
    return max(least // 2, -(-by_group // 2))


def _by_group_of_the_highest(raising: DegreeRaise, near: Near, order: Longs, most: int) -> int:
    """Bound the sum of raises by the group of the highest node: the least over all groups."""
    degrees = raising.degrees
    count = len(degrees)
    if count < 2:
        return 0
    known = _neighbours_of_the_highest(near, order)
    best = most
    target = int(degrees[0])
    while target < count and raising.k * (target - int(degrees[0])) < best:
        raises = target - degrees[1:]
        sums = np.concatenate(([0], np.cumsum(raises)))  # the others of highest degree
        own = target - int(degrees[0])
        for size in range(raising.k, count + 1):
            if own + int(sums[size - 1]) >= best:
                break
            costs = raises + np.maximum(raises - (size - 1) + known, 0)
            members = np.partition(costs, size - 2)[: size - 1] if size > 1 else costs[:0]
            best = min(best, own + max(own - (size - 1), 0) + int(members.sum()))
        target += 1
    return best


def _neighbours_of_the_highest(near: Near, order: Longs) -> Longs:
    """Mark the neighbours of the highest node with 1, in order; nobody in a large graph.

    Without marks the cheapest members are those of highest degree, which is quick to see.
    """
    known = np.zeros(len(order) - 1, np.int64)
    if len(order) <= MARKED:
        highest = int(order[0])
        ends = near.ends[near.starts[highest] : near.starts[highest + 1]]
        known[np.isin(order[1:], ends)] = 1
    return known
