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

The bound is raised where hubs are few. Let the first group have j nodes, S be what they are raised
by, and F the pairs of them that are not neighbours yet. At most 2 F of S can be met among them, so
the others are raised by at least S - 2 F; and a hub that is raised by a and has f of these pairs
needs a - f different others. Hence

    sum of raises >= S + max(S - 2 F, least raise of the others that raises that many of them)

and the least of this over all first groups is a bound too. So is S - F for the least raise S of the
first j nodes, whatever j is. Nodes of equal degree at the end of a group are interchangeable: F
counts all pairs with them.
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
HUBS = 400  # first nodes at which the bound of a prefix is looked at


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
    free = _free_pairs(raising, near, order)
    plain = raising.least // 2
    first = _by_first_group(raising, near, order, free)
    return max(plain, first, _by_prefixes(raising, free))


def _free_pairs(raising: DegreeRaise, near: Near, order: Longs) -> Longs:
    """Bound the pairs among the first j nodes that are not neighbours, whoever ties."""
    degrees = raising.degrees
    count = min(len(order), max(HUBS, 2 * raising.k))
    rank = np.full(len(order), len(order), np.int64)
    rank[order] = np.arange(len(order))
    sure = np.zeros(count + 1, np.int64)  # neighbours among the first nodes
    for place in range(count):
        node = int(order[place])
        ranks = rank[near.ends[near.starts[node] : near.starts[node + 1]]]
        sure[place + 1] = sure[place] + int((ranks < place).sum())
    free = np.zeros(count + 1, np.int64)
    for j in range(1, count + 1):
        tied = j < len(degrees) and degrees[j] == degrees[j - 1]
        begin = int(np.searchsorted(-degrees, -degrees[j - 1], side="left")) if tied else j
        free[j] = j * (j - 1) // 2 - sure[min(begin, j)]
    return free


def _by_first_group(raising: DegreeRaise, near: Near, order: Longs, free: Longs) -> int:
    """Bound the edges by the first group, its raise, and whom the others must be."""
    count = len(raising.degrees)
    bounds = []
    for size in range(raising.k, min(2 * raising.k - 1, count) + 1):
        if 0 < count - size < raising.k:
            continue
        rest = DegreeRaise(raising.degrees[size:], raising.k)
        for raised in range(RAISES):
            target = int(raising.degrees[0]) + raised
            if target >= count:
                break
            lacking = target - raising.degrees[:size]
            total = int(lacking.sum())
            needed = _others_needed(lacking, near, order[:size], raising.degrees)
            others = _least_of_rest(rest, needed, (total + raising.parity) % 2, count)
            bounds.append(total + max(others, total - 2 * int(free[size])))
    return -(-min(bounds) // 2)


def _others_needed(lacking: Longs, near: Near, hubs: Longs, degrees: Longs) -> int:
    """Count how many different others some hub needs; hubs that tie may be anyone."""
    among = {int(hub) for hub in hubs}
    tied = len(hubs) < len(degrees) and degrees[len(hubs)] == degrees[len(hubs) - 1]
    needed = 0
    for place, hub in enumerate(hubs.tolist()):
        known = {int(end) for end in near.ends[near.starts[hub] : near.starts[hub + 1]]}
        sure = degrees[place] > degrees[len(hubs) - 1] or not tied
        ties = int((degrees[: len(hubs)] == degrees[len(hubs) - 1]).sum()) if tied else 0
        inside = len(among - known) - 1
        if tied:  # whoever ties may be no neighbour
            inside = min(inside + ties, len(hubs) - 1)
        if sure:
            needed = max(needed, int(lacking[place]) - inside)
    return needed


def _least_of_rest(rest: DegreeRaise, needed: int, parity: int, count: int) -> int:
    """Compute the least raise of the nodes behind the first group, that raises enough of them."""
    if not len(rest.degrees):
        return 0 if needed <= 0 and parity == 0 else NEVER
    most = max(needed, 0)
    if count * rest.k * RAISES * 2 * (most + 1) * rest.k > WORK:
        most = 0
    best = cheapest(rest.degrees, rest.alike, rest.k, most, count - 1)
    return int(best[-1, parity, most])


def _by_prefixes(raising: DegreeRaise, free: Longs) -> int:
    """Bound the edges at the first j nodes, whatever the groups: least raise less free pairs."""
    least = raising.best.min(axis=(1, 2))
    bounds = [0]
    for j in range(1, len(free)):
        raises = [least[j]]
        for begin in range(max(j - 2 * raising.k + 1, 0), j):
            inside = (j - begin) * raising.degrees[begin] - (raising.sums[j] - raising.sums[begin])
            raises.append(least[begin] + inside)
        bounds.append(int(min(raises)) - int(free[j]))
    return max(bounds)
