"""`mondrian`: the table is cut in two at the median of its widest column, each part likewise.

It ends where no cut is allowed (LeFevre, DeWitt & Ramakrishnan 2006, doi 10.1109/ICDE.2006.101).

    every part, beginning with the whole table:
        for each column, from the widest in this part to the narrowest:
            if it has a hierarchy: cut by the children of the lowest node above the part
            else, or if that is not allowed: cut into values up to the median, and values above it
            else: cut into values below the median, and values from it on
            the first cut that is allowed is made
        without an allowed cut, the part is a group

A cut is allowed if every side holds at least k rows. Where the models ask for more than size, the
table is divided twice: by cuts after which every side is safe, and by all cuts that leave k rows,
after which unsafe groups are merged (see `repair`). What loses less is taken, and that is nearly
always the latter: few cuts are safe on both sides.

The width of a column is the cost of the part's box on it, ties by first column; the median is the
least value that half of the rows do not exceed. Values with a hierarchy stand in its depth-first
order, missing ones after all others, and are cut off like any value (but a part that mixes them
with others has no lowest node). Cost: n log n; nothing is random.

`relaxed`: the median cut deals the rows that stand at the median, lowest row first, so that both
halves are equal (the left one has the odd row). Then any part of 2k rows can be cut, groups hold k
to 2k-1 rows, and boxes may overlap. It loses more: equal values end up on both sides.

What we do differently: the cut below the median, and the cut by nodes before the median cut.
`cuts=median` is the paper's partitioning without either, `cuts=below-median` has the first alone.
On Adult (30,162 rows, 8 columns, 7 of them with trees; `python -m experiments.byun_vanitha_2018`)
the plain median cut loses 38,352, 50,101 and 80,664 at k = 5, 10 and 50; with the cut below the
median it is 21,158, 32,848 and 72,279, and with both 19,761, 31,340 and 64,509. All cut one column
at a time, as the paper does.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2. The median is 40: 20, 21, 23, 40 on one side,
42, 60, 61 on the other. The median of the first side is 21, and two rows are left on each side of
that; the other side is too small to be cut: {20, 21} {23, 40} {42, 60, 61}.

When to use it: for very large tables, and to compare with the field. It takes a fraction of the
time of `k-member`, loses about a fifth more than that at k = 5 on Adult, and less from k = 25 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Flags, Longs
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard, Watch, within
from shoal.kernels.partition import mondrian as kernels
from shoal.partition.method import Method
from shoal.partition.repair import loss_of, repair

TRIED = {
    "nodes": (kernels.BY_NODES, kernels.BELOW_MEDIAN),
    "below-median": (kernels.UPTO_MEDIAN, kernels.BELOW_MEDIAN),
    "median": (kernels.UPTO_MEDIAN, kernels.UPTO_MEDIAN),
}
"""The first and the last kind of cut that is tried on a column."""


@dataclass(frozen=True)
class Mondrian(Method):
    """Parts cut at the median of their widest column until no cut leaves k rows on both sides."""

    name = "mondrian"
    serves = ("group", "population")  # parts are cut along whole values, unless relaxed
    relaxed: bool = False
    cuts: Literal["nodes", "below-median", "median"] = "nodes"

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        least = max(k, guard.least)
        freely = self._cut(rows, least, None, watch)
        if guard.only_size:
            return freely
        repaired = repair(freely, rows, guard)
        guarded = self._cut(rows, least, guard, within(watch, 1.0, 1.0))
        ways = [repaired, guarded]
        return min(ways, key=lambda groups: (not guard.safe(groups).all(), loss_of(groups, rows)))

    def _cut(self, rows: Rows, least: int, guard: Guard | None, watch: Watch) -> Groups:
        """Cut the rows round by round, as long as the guard calls all sides safe.

        In a round every open part is offered its next cut, and all sides are judged at once.
        """
        table = np.ascontiguousarray(rows.codes.T)
        first, last = TRIED[self.cuts]
        rules = kernels.CutRules(least, first, last, self.relaxed)
        opens = np.zeros(rows.count, np.bool_)
        open_parts = _whole(rows.count)
        while len(open_parts.starts):
            watch(1 - int((open_parts.stops - open_parts.starts).sum()) / rows.count)
            labels = np.full(rows.count, WITHHELD, np.int32)
            firsts = kernels.propose(table, rows.costs, open_parts, rules, labels)
            accepted = _accepted(Groups(labels, int(firsts[-1])), firsts, guard)
            open_parts = kernels.split(open_parts, firsts, labels, accepted, opens)
        parts = np.empty(rows.count, np.int64)
        parts[open_parts.order] = np.cumsum(opens)
        return Groups.of(parts)


def _whole(count: int) -> kernels.OpenParts:
    """Begin with one open part that holds all rows, and no cut tried."""
    return kernels.OpenParts(
        order=np.arange(count), starts=np.array([0]), stops=np.array([count]), tries=np.array([0])
    )


def _accepted(sides: Groups, firsts: Longs, guard: Guard | None) -> Flags:
    """Tell for each part whether every side of its cut is safe."""
    if guard is None:
        return np.ones(len(firsts) - 1, np.bool_)
    unsafe = np.concatenate(([0], np.cumsum(~guard.safe(sides))))
    return np.asarray(unsafe[firsts[1:]] == unsafe[firsts[:-1]], np.bool_)
