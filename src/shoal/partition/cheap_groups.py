"""Cheap groups: all groups of a few rows that cost little more than the prices of their rows.

A group of s rows costs s times the cost of its box; what that is above the prices of its rows is
its *excess*. Groups are grown row by row, in the order of the table, all of one size together:

    a group that is growing is dropped if no way to go on could end with an excess below the limit:
        each row that comes pays at least the box around the group and that row, less its price;
        the rows that are there pay at least what the nearest of the rows that must come asks for

Equal rows are taken in their order, so that a group comes up once. Everything is in integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Flags, Longs
from shoal.kernels.costs import Costs, between

CHUNK = 4_000  # groups that are extended at a time
NEVER = 1 << 52  # more than anything costs


class TooMuchWork(Exception):
    """More groups came up than may be looked at."""


@dataclass(frozen=True, eq=False)
class FewRows:
    """A few rows, equal ones side by side, and the cost of every box around some of them."""

    codes: Longs
    """[axes, rows]: ranks among the codes of these rows."""
    first: Flags
    """[rows]: whether the row before it is another one."""
    costs: tuple[Longs, ...]
    """For each axis, the cost from one rank to another."""
    k: int

    @classmethod
    def of(cls, costs: Costs, codes: AnyArray, k: int, times: int = 1) -> FewRows:
        """Lay out rows that stand in the order of their codes, given as [axes, rows].

        Costs are multiplied by `times`.
        """
        ranked = np.empty(codes.shape, np.int64)
        tables = []
        for axis, line in enumerate(codes):
            held, ranked[axis] = np.unique(line, return_inverse=True)
            table = np.zeros((len(held), len(held)), np.int64)
            for lo, hi in zip(*np.triu_indices(len(held)), strict=True):
                table[lo, hi] = between(costs, axis, int(held[lo]), int(held[hi]))
            tables.append(times * table)
        first = np.ones(codes.shape[1], np.bool_)
        first[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
        return cls(ranked, first, tuple(tables), k)

    @property
    def count(self) -> int:
        """Count the rows."""
        return int(self.codes.shape[1])

    def cost(self, rows: Longs) -> int:
        """Compute what a group of rows costs: its size times its box."""
        there = self.codes[:, rows]
        ends = zip(self.costs, there.min(axis=1), there.max(axis=1), strict=True)
        return len(rows) * sum(int(table[lo, hi]) for table, lo, hi in ends)

    def joined(self, lo: Longs, hi: Longs) -> Longs:
        """Compute the cost of each box, given by its ends, after each row has joined it."""
        total = np.zeros((lo.shape[1], self.count), np.int64)
        for table, line, low, high in zip(self.costs, self.codes, lo, hi, strict=True):
            total += table[np.minimum(low[:, None], line), np.maximum(high[:, None], line)]
        return total


@dataclass(frozen=True, eq=False)
class GroupsGrown:
    """Groups of one size that are growing."""

    members: Longs  # [groups, size], each in order
    lo: Longs  # [axes, groups]
    hi: Longs

    def some(self, which: slice) -> GroupsGrown:
        """Select some of the groups."""
        return GroupsGrown(self.members[which], self.lo[:, which], self.hi[:, which])


def groups_below(rows: FewRows, prices: Longs, limit: int, work: int) -> list[Longs]:
    """List all groups of k to 2k - 1 rows with an excess of at most `limit`; their rows, by size.

    `prices` are those of the rows. Raises where more than `work` groups have to be looked at.
    """
    every = np.arange(rows.count)[rows.first]
    growing = GroupsGrown(every[:, None], rows.codes[:, every], rows.codes[:, every])
    listed = []
    for size in range(1, 2 * rows.k):
        chunks = range(0, len(growing.members), CHUNK)
        work -= len(growing.members)
        if work < 0:
            raise TooMuchWork
        if size >= rows.k:
            listed.append(growing.members[_excess(rows, growing, prices) <= limit])
        if size == 2 * rows.k - 1 or not len(growing.members):
            break
        grown = [_grown(rows, growing.some(slice(at, at + CHUNK)), prices, limit) for at in chunks]
        growing = GroupsGrown(
            np.concatenate([part.members for part in grown]),
            np.concatenate([part.lo for part in grown], axis=1),
            np.concatenate([part.hi for part in grown], axis=1),
        )
    return listed


def _excess(rows: FewRows, groups: GroupsGrown, prices: Longs) -> Longs:
    """Compute what each group costs above the prices of its rows."""
    box = np.zeros(len(groups.members), np.int64)
    for table, lo, hi in zip(rows.costs, groups.lo, groups.hi, strict=True):
        box += table[lo, hi]
    return groups.members.shape[1] * box - prices[groups.members].sum(axis=1)


def _grown(rows: FewRows, groups: GroupsGrown, prices: Longs, limit: int) -> GroupsGrown:
    """Extend groups by every row after their last one that may end below the limit."""
    size = groups.members.shape[1]
    last = groups.members[:, -1:]
    here = np.arange(rows.count)
    allowed = (here > last) & (rows.first | (here == last + 1))
    after = here > last
    joined = rows.joined(groups.lo, groups.hi)
    asked = np.where(after, joined - prices, NEVER)
    must = max(rows.k - size, 1)  # rows that have to come, the one that comes now among them
    cheapest = np.sort(asked, axis=1)[:, : 2 * rows.k - 1 - size]
    others = cheapest[:, : must - 1].sum(axis=1) + np.minimum(cheapest[:, must - 1 :], 0).sum(
        axis=1
    )
    paid = prices[groups.members].sum(axis=1)
    # the box must hold all rows that have to come: the nearest of them ask for this much
    nearest = np.sort(np.where(after, joined, NEVER), axis=1)[:, must - 1 : must]
    if nearest.shape[1] == 0:
        nearest = np.full((len(paid), 1), NEVER)
    least = size * np.maximum(joined, nearest) + joined - prices + (others - paid)[:, None]
    group, row = np.nonzero(allowed & (least <= limit) & (nearest < NEVER))
    joining = rows.codes[:, row]
    return GroupsGrown(
        np.concatenate((groups.members[group], row[:, None]), axis=1),
        np.minimum(groups.lo[:, group], joining),
        np.maximum(groups.hi[:, group], joining),
    )
