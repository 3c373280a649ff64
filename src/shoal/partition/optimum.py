"""Optimum: the best grouping of a small table, with a proof that there is no better one.

    begin with groups that are there, and what they lose
    prices:   the linear programme of `relaxed_cover`, groups added while some cost less than their
              rows are worth: first grown greedily from every pair of rows, then all of them
    groups:   list every group whose excess over its prices is below what may still be gained
              (`cheap_groups`); a better grouping consists of these alone
    branch:   solve the programme over them; where a row stands partly with another one, try both:
              always together, and never

Proof: prices are integers, and no group costs less than its rows are worth; so the prices of all
rows are a bound, and what a grouping loses above it is the excess of its groups, none of them below
0. No group needs 2k rows or more: two parts of it lose no more. A branch is left where its bound,
in integers again, reaches the best grouping so far. All work is counted, never timed: where it is
not enough, the bound that was reached is returned, and nothing is claimed.

It looks at size alone; models are the caller's matter. For up to `MOST_KINDS` different rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import AnyArray, Flags, Longs
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import UNIT, Costs
from shoal.partition.cheap_groups import NEVER, FewRows, TooMuchWork, groups_below
from shoal.partition.relaxed_cover import RelaxedCover, Unsolved

MOST_KINDS = 60  # different rows
MOST_ROWS = 120
MOST_K = 5
MOST_AXES = 12
WORK = 2_000_000  # groups that are looked at, at most, in one search
MOST_GROUPS = 40_000  # among which the best grouping is looked for
BRANCHES = 400
ROUNDS = 60
ADDED = 150  # groups in one round
NEARLY = 1e-6
# Costs are multiplied by this: what rounding takes off all prices together is less than one unit of
# a loss, and a loss is whole.
FINE = 4_096
SCALE = UNIT * FINE


@dataclass(frozen=True, eq=False)
class BestGrouping:
    """The best labels that came up, what they lose, and what every grouping loses at least."""

    labels: Longs
    loss: int
    least: int

    @property
    def proven(self) -> bool:
        """Tell whether no grouping is better."""
        return self.loss <= self.least


def is_small(rows: Rows, k: int) -> bool:
    """Tell whether a table is small enough for a search of all its groupings."""
    few = rows.count <= MOST_ROWS and rows.distinct.codes.shape[1] <= MOST_KINDS
    return few and 1 < k <= MOST_K and k <= rows.count and 0 < len(rows.axes) <= MOST_AXES


def optimum_of(rows: Rows, costs: Costs, k: int, begun: Groups) -> BestGrouping:
    """Look for a better grouping of a small table than the one at hand, which withholds nobody."""
    order = np.lexsort(rows.codes[::-1])
    few = FewRows.of(costs, rows.codes[:, order], k, FINE)
    labels = begun.labels[order]
    search = _PricedSearch(few, labels)
    search.run()
    if search.least < search.loss and not few.first.all():
        # Equal rows that are torn can't be branched on unless each is a kind of its own.
        apart = _PricedSearch(replace(few, first=np.ones(rows.count, np.bool_)), search.labels())
        apart.least = search.least
        apart.run()
        search = apart
    best = np.empty(rows.count, np.int64)
    best[order] = search.labels()
    return BestGrouping(best, search.loss // FINE, min(search.least, search.loss) // FINE)


class _PricedSearch:
    """The best groups so far, and what is proven."""

    def __init__(self, rows: FewRows, labels: AnyArray) -> None:
        groups = [np.flatnonzero(labels == group) for group in range(int(labels.max()) + 1)]
        self.rows = rows
        self.kind = np.cumsum(rows.first) - 1
        self.counts = np.bincount(self.kind)
        self.room = rows.count // rows.k
        self.best = [self.kind[group] for group in groups]
        self.loss = sum(rows.cost(group) for group in groups)
        self.least = 0

    def run(self) -> None:
        """Raise prices, list groups, and branch; where that is too much, the bound stays."""
        try:
            prices, fee = self._priced()
            bound = self._bound(prices, fee)
            self.least = max(self.least, rounded_up(bound))
            if self.least >= self.loss:
                return
            excess = self.loss - FINE - bound - fee
            groups = [group for part in self._below(prices, excess) for group in part]
            if len(groups) <= MOST_GROUPS:
                _Branching(self, groups).run()
        except (TooMuchWork, Unsolved, np.linalg.LinAlgError):
            return

    def columns(self, groups: list[Longs]) -> tuple[Longs, Longs]:
        """Count the rows of each kind in groups, as [kinds, groups]; and what each one costs."""
        counts = np.zeros((len(self.counts), len(groups)), np.int64)
        for column, group in enumerate(groups):
            np.add.at(counts[:, column], self.kind[group], 1)
        return counts, np.array([self.rows.cost(group) for group in groups], np.int64)

    def _bound(self, prices: Longs, fee: int) -> int:
        return int(prices @ self.counts) - fee * self.room

    def _below(self, prices: Longs, excess: int) -> list[Longs]:
        return groups_below(self.rows, prices[self.kind], excess, WORK)

    def _priced(self) -> tuple[Longs, int]:
        """Find prices of each kind of row, and a fee for each group, that every group can pay."""
        first = np.cumsum(self.counts) - self.counts
        groups = [np.sort(first[group] + _repeats(group)) for group in self.best]
        counts, costs = self.columns(groups)
        most = dear(self.rows)
        cover = RelaxedCover.of(counts, costs / SCALE, np.append(self.counts, self.room), most)
        for _ in range(ROUNDS):
            prices, fee = whole(cover.solve())
            added = _cheapest(grown_greedily(self.rows, prices[self.kind]), self, prices, -fee)
            if not added:
                added = _cheapest(self._below(prices, -fee - 1), self, prices, -fee)
            if not added:
                return prices, fee
            counts, costs = self.columns(added)
            cover.add(counts, costs / SCALE)
        raise Unsolved

    def labels(self) -> Longs:
        """Give each row the number of its group; equal rows in their order."""
        labels = np.full(self.rows.count, -1, np.int64)
        next_row = np.cumsum(self.counts) - self.counts
        for number, group in enumerate(self.best):
            for kind in group:
                labels[next_row[kind]] = number
                next_row[kind] += 1
        return labels


def whole(prices: AnyArray) -> tuple[Longs, int]:
    """Round the prices of rows down and the fee of a group up, a little more than by rounding."""
    down = np.floor(prices[:-1] * SCALE).astype(np.int64) - 2
    return down, max(0, int(np.ceil(-prices[-1] * SCALE)))


def dear(rows: FewRows) -> float:
    """Choose a cost of covering a row by nothing at which no cover does so, unless it has to."""
    return 20.0 * len(rows.codes) * rows.count


def rounded_up(bound: int) -> int:
    """Round a bound up to the next loss that there may be."""
    return -(-bound // FINE) * FINE


def _repeats(kinds: Longs) -> Longs:
    """Number the equal ones of sorted kinds: 0, 1, 2 ..."""
    return np.arange(len(kinds)) - np.searchsorted(kinds, kinds)


def _cheapest(
    candidates: list[Longs], search: _PricedSearch, prices: Longs, limit: int
) -> list[Longs]:
    """Select the groups with the least excess below a limit, each kind of group once."""
    excess = [
        search.rows.cost(group) - int(prices[search.kind[group]].sum())
        for part in candidates
        for group in part
    ]
    groups = [group for part in candidates for group in part]
    chosen: dict[tuple[int, ...], Longs] = {}
    for at in np.argsort(excess, kind="stable"):
        if excess[at] >= limit or len(chosen) == ADDED:
            break
        chosen.setdefault(tuple(sorted(search.kind[groups[at]].tolist())), groups[at])
    return list(chosen.values())


def grown_greedily(rows: FewRows, prices: Longs) -> list[Longs]:
    """Grow a group from every pair of rows, by the row that adds the least excess; by size.

    Only groups that cost less than their rows are worth are returned.
    """
    one, other = np.triu_indices(rows.count, 1)
    members = np.stack((one, other), axis=1)
    lo = np.minimum(rows.codes[:, one], rows.codes[:, other])
    hi = np.maximum(rows.codes[:, one], rows.codes[:, other])
    listed = []
    for size in range(2, 2 * rows.k):
        if size >= rows.k:
            box = sum(t[low, high] for t, low, high in zip(rows.costs, lo, hi, strict=True))
            listed.append(members[size * box < prices[members].sum(axis=1)])
        if size == min(2 * rows.k - 1, rows.count):
            break
        asked = (size + 1) * rows.joined(lo, hi) - prices
        np.put_along_axis(asked, members, NEVER, axis=1)
        row = asked.argmin(axis=1)
        members = np.concatenate((members, row[:, None]), axis=1)
        lo = np.minimum(lo, rows.codes[:, row])
        hi = np.maximum(hi, rows.codes[:, row])
    return listed


class _Branching:
    """Groups of which a better grouping must consist, and the branches that are left to look at."""

    def __init__(self, search: _PricedSearch, groups: list[Longs]) -> None:
        self.search = search
        self.groups = [search.kind[group] for group in groups]
        self.counts, self.costs = search.columns(groups)
        sums = np.append(search.counts, search.room)
        most = dear(search.rows)
        self.cover = RelaxedCover.of(self.counts, self.costs / SCALE, sums, most)
        self.alone = len(sums)  # columns of the cover that are no groups

    def run(self) -> None:
        """Look at branches, deepest first, until none is left: then the best is proven."""
        waiting = [np.zeros(len(self.groups), np.bool_)]
        for _ in range(BRANCHES):
            if not waiting:
                self.search.least = self.search.loss
                return
            waiting += self._branches(waiting.pop())

    def _branches(self, forbidden: Flags) -> list[Flags]:
        """Solve one branch; return those that it leaves."""
        prices = self.cover.solve(np.append(np.zeros(self.alone, np.bool_), forbidden))
        if self._bound(prices, forbidden) >= self.search.loss:
            return []
        assert self.cover.basis is not None and self.cover.shares is not None
        shares = np.zeros(self.alone + len(self.groups))
        shares[self.cover.basis] = self.cover.shares
        shares = shares[self.alone :]
        if np.abs(shares - np.round(shares)).max(initial=0.0) < NEARLY:
            self._keep(np.round(shares).astype(np.int64))
            if self._bound(prices, forbidden) >= self.search.loss:
                return []
        pair = self._torn(shares)
        if pair is None:
            raise Unsolved  # equal rows alone are torn
        one, other = (self.counts[kind] > 0 for kind in pair)
        return [forbidden | (one & other), forbidden | (one & ~other)]

    def _bound(self, prices: AnyArray, forbidden: Flags) -> int:
        """Compute what a grouping of the groups that are allowed loses at least."""
        down, fee = whole(prices)
        allowed = ~forbidden
        excess = self.costs[allowed] + fee - down @ self.counts[:, allowed]
        short = max(0, -int(excess.min(initial=0)))
        down = down - -(-short // self.search.rows.k)
        return rounded_up(int(down @ self.search.counts) - fee * self.search.room)

    def _keep(self, times: Longs) -> None:
        """Keep a grouping if it is one, and the best so far."""
        loss = int(times @ self.costs)
        if (self.counts @ times == self.search.counts).all() and loss < self.search.loss:
            self.search.loss = loss
            chosen = np.repeat(np.arange(len(times)), times)
            self.search.best = [self.groups[at] for at in chosen]

    def _torn(self, shares: AnyArray) -> tuple[int, int] | None:
        """Find a kind of a single row that stands with another one in part of its shares."""
        together = (self.counts * shares) @ (self.counts > 0).T
        open_ = np.minimum(together, 1 - together)
        open_[self.search.counts > 1] = 0.0
        np.fill_diagonal(open_, 0.0)
        at = int(np.argmax(open_))
        if open_.ravel()[at] < NEARLY:
            return None
        return at // len(open_), at % len(open_)
