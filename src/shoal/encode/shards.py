"""Shards: parts of a table, cut by ranges of its axes, that are divided one by one.

    the whole table is one part, which is to become n shards
    while some part is to become several shards:
        count its rows by the codes of each axis
        cut it at one place of one axis: codes below go to one side, the others to the other
        each side is to become as many shards as is its share of the rows

Of all places that leave both sides at least `least` rows, and no shard much larger than the others,
that one is taken across which groups would pay most to reach: between two nodes below the root of a
hierarchy hardly any good group would stand anyway. Between two values of a line they would pay next
to nothing; there a share of what the part spans counts instead. Ties go to the more even cut, then
to the lower axis and the lower code. There are at most eleven levels of cuts: a side is given no
more shards than the levels below it can cut, where some place allows that, and what is still in one
piece at the end stays so.

All of this reads counts that add up, and decides in integers: it does not matter in which order
rows come, nor where they are counted. The shard of a row follows from its codes alone, so equal
rows stay together. A shard that can't keep a promise joins the one beside it, across the latest cut
between them.

Cost: a pass over the rows for each level of cuts, log2(n) or a few more, never more than eleven.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.arrays import AnyArray, Codes, Counts, Flags, Ints
from shoal.encode.axes import Axis
from shoal.kernels.costs import TREE, Costs, between

MOST_PLACES = 1024  # at which an axis may be cut
# Levels of cuts, each of which takes a pass over the rows (on a cluster, a job): 2,048 shards.
MOST_LEVELS = 11
END = 2**31 - 1
LINES = 2  # a line is worth the cost of what the part spans, by this

Counting = Callable[["Cuts"], Sequence[Counts]]
"""Counts rows of open parts by place: `counts[axis][part, place]`, as `Grid.counted` does."""


@dataclass(frozen=True)
class Cuts:
    """A tree of cuts, as plain arrays: node 0 is the table.

    `left[node]` and the node behind it are the two sides of a cut.
    """

    axis: Ints
    at: Ints  # codes below go to the left; END where nothing is cut
    left: Ints  # the node itself where nothing is cut
    wanted: Ints  # how many shards are to come of it
    depth: Ints

    @classmethod
    def none(cls, shards: int) -> Cuts:
        """Build the tree of a table that is still whole."""
        return cls(
            axis=np.array([0], np.int32),
            at=np.array([END], np.int32),
            left=np.array([0], np.int32),
            wanted=np.array([shards], np.int32),
            depth=np.array([0], np.int32),
        )

    @property
    def open(self) -> Ints:
        """List the parts that are still to be cut."""
        return np.flatnonzero(self.wanted > 1).astype(np.int32)

    def node_of(self, codes: Codes) -> Ints:
        """Find the part in which each row stands."""
        node = np.zeros(codes.shape[1], np.int32)
        rows = np.arange(codes.shape[1])
        for _ in range(int(self.depth.max())):
            node = self.left[node] + (codes[self.axis[node], rows] >= self.at[node]).astype(
                np.int32
            )
        return node

    def cut(self, node: int, axis: int, at: int, wanted: tuple[int, int]) -> Cuts:
        """Add one cut to the tree."""
        here = np.arange(len(self.axis)) == node
        new = len(self.axis)
        depth = int(self.depth[node]) + 1
        return Cuts(
            axis=np.array([*np.where(here, axis, self.axis), 0, 0], np.int32),
            at=np.array([*np.where(here, at, self.at), END, END], np.int32),
            left=np.array([*np.where(here, new, self.left), new, new + 1], np.int32),
            wanted=np.array([*np.where(here, 1, self.wanted), *wanted], np.int32),
            depth=np.array([*self.depth, depth, depth], np.int32),
        )

    def uncut(self, node: int) -> Cuts:
        """Mark a part of the tree as one that stays whole."""
        return replace(
            self,
            wanted=np.where(np.arange(len(self.wanted)) == node, 1, self.wanted).astype(np.int32),
        )

    def in_order(self, node: int = 0) -> Iterator[int]:
        """List parts and, between them, the nodes that were cut, from left to right."""
        whole = self.left[node] == node
        if not whole:
            yield from self.in_order(int(self.left[node]))
        yield node
        if not whole:
            yield from self.in_order(int(self.left[node]) + 1)


@dataclass(frozen=True)
class Grid:
    """Places where axes may be cut: in front of some of their codes."""

    first: tuple[Ints, ...]  # [axis][place]: the code in front of which it would be cut
    place: tuple[Ints, ...]  # [axis][code]: the last such place
    costs: Costs

    @classmethod
    def of(cls, axes: Sequence[Axis], costs: Costs) -> Grid:
        """Allow cuts in front of each code, or of some where these are too many.

        Where cells have a widest one, only between these: all rows of one are in one shard.
        """
        bounded = [axis.parts is not None for axis in axes]
        first = tuple(_places(axis) for axis in axes)
        if any(bounded):
            first = tuple(_part_places(axis) for axis in axes)
        place = tuple(
            (np.searchsorted(some, np.arange(axis.size + 1), "right") - 1).astype(np.int32)
            for axis, some in zip(axes, first, strict=True)
        )
        return cls(first, place, costs)

    def counted(self, cuts: Cuts, codes: Codes, times: AnyArray | None = None) -> list[Counts]:
        """Count the rows of each open part by place, on each axis.

        Each row counts `times` times. The counts of parts of a table add up.
        """
        part = np.full(len(cuts.axis), -1)
        part[cuts.open] = np.arange(len(cuts.open))
        of_row = part[cuts.node_of(codes)]
        there = np.flatnonzero(of_row >= 0)
        times = None if times is None else times[there]
        counts = []
        for a, place in enumerate(self.place):
            wide = len(self.first[a])
            flat = np.bincount(
                of_row[there] * wide + place[codes[a, there]],
                times,
                minlength=len(cuts.open) * wide,
            )
            counts.append(flat.astype(np.int64).reshape(len(cuts.open), wide))
        return counts

    def worth(self, axis: int, counts: Counts) -> Counts:
        """Compute what groups of a part would pay to reach across each place of an axis."""
        if self.costs.shape[axis] == TREE:
            return self.across[axis]
        held = self.first[axis][np.flatnonzero(counts)]
        return np.full(len(counts), between(self.costs, axis, held[0], held[-1]) // LINES)

    @cached_property
    def across(self) -> list[Counts]:
        """Compute what lies between each place of a tree and the code in front of it."""
        return [
            np.array(
                [0, *(between(self.costs, axis, code - 1, code) for code in first[1:])], np.int64
            )
            if self.costs.shape[axis] == TREE
            else np.zeros(0, np.int64)
            for axis, first in enumerate(self.first)
        ]


def _places(axis: Axis) -> Ints:
    """List the codes in front of which an axis may be cut, not too many.

    A long line is cut evenly, a large tree between nodes.
    """
    if axis.size < MOST_PLACES:
        return np.arange(axis.size + 1, dtype=np.int32)
    if axis.points is not None:
        upto = np.cumsum(axis.counts) * (MOST_PLACES - 2) // max(int(axis.counts.sum()), 1)
        starts = np.flatnonzero(np.diff(upto, prepend=-1))
    else:
        levels = [np.flatnonzero(np.diff(nodes, prepend=-1)) for nodes in axis.node]
        starts = next((some for some in levels if len(some) < MOST_PLACES), levels[-1][:1])
    return np.append(starts, axis.size).astype(np.int32)


def _part_places(axis: Axis) -> Ints:
    """List the first codes of the widest cells, as many as an axis may have places."""
    if axis.parts is None:
        return np.zeros(1, np.int32)
    starts = np.flatnonzero(np.diff(axis.parts, prepend=-1)).astype(np.int32)
    return starts[:: -(-len(starts) // MOST_PLACES)]


def cut(grid: Grid, shards: int, least: int, counting: Counting, levels: int = MOST_LEVELS) -> Cuts:
    """Cut a table into at most this number of shards, each of at least `least` rows.

    Every level of cuts takes a pass over the rows; there are at most `levels`.
    """
    cuts = Cuts.none(shards)
    while levels and len(cuts.open):
        levels -= 1
        counts = counting(cuts)
        opened = cuts.open.tolist()
        for part, node in enumerate(opened):
            cuts = _cut_part(
                grid, cuts, node, least, [of_axis[part] for of_axis in counts], 2**levels
            )
    return cuts


def _cut_part(
    grid: Grid, cuts: Cuts, node: int, least: int, counts: Sequence[Counts], most: int
) -> Cuts:
    """Cut a part at the best place; leave it whole where some side would always be too small.

    `most` is the number of shards that each side can still be cut into.
    """
    rows = int(counts[0].sum())
    shards = int(cuts.wanted[node])
    best: tuple[int, ...] = ()
    for a, of_places in enumerate(counts):
        before = np.cumsum(of_places) - of_places
        worths = grid.worth(a, of_places)
        for place in np.flatnonzero((before >= least) & (rows - before >= least)).tolist():
            left = int(before[place])
            lefts = min(max((2 * shards * left + rows) // (2 * rows), 1), shards - 1)
            largest = max(-(-left // lefts), -(-(rows - left) // (shards - lefts)))
            even = 2 * shards * largest <= 3 * rows and max(lefts, shards - lefts) <= most
            worth = int(worths[place]) if even else 0
            best = max(best, (even, worth, -largest, -a, -place, lefts))
    if not best:
        return cuts.uncut(node)
    axis = -best[3]
    place = -best[4]
    lefts = best[5]
    return cuts.cut(node, axis, int(grid.first[axis][place]), (lefts, shards - lefts))


@dataclass(frozen=True)
class Shards:
    """The shards of a table, numbered along the cuts from left to right."""

    cuts: Cuts
    number: Ints  # of the shard that each part of the tree belongs to

    @classmethod
    def of(cls, cuts: Cuts) -> Shards:
        """Make each part a shard."""
        number = np.full(len(cuts.axis), -1, np.int32)
        parts = list(cuts.in_order())[::2]
        number[parts] = np.arange(len(parts))
        return cls(cuts, number)

    @property
    def count(self) -> int:
        """Count the shards."""
        return int(self.number.max()) + 1

    def shard_of(self, codes: Codes) -> Ints:
        """Find the shard of each row."""
        return self.number[self.cuts.node_of(codes)]

    def joining(self, sizes: Counts, fit: Callable[[Ints], Flags]) -> Ints:
        """Number shards anew so that all fit: one that does not joins the one beside it.

        It is the smallest, and joins across the latest cut. `sizes` counts the rows of each shard,
        and `fit(number)` judges shards that were renumbered so.
        """
        borders = self.cuts.depth[list(self.cuts.in_order())[1::2]]
        number = np.arange(self.count, dtype=np.int32)
        while number[-1] > 0 and not (fits := fit(number)).all():
            rows = np.bincount(number, sizes)
            worst = int(np.argmin(np.where(fits, np.inf, rows)))
            first, last = np.flatnonzero(number == worst)[[0, -1]]
            sides = [
                (int(borders[border]), -int(border))
                for border in (first - 1, last)
                if 0 <= border < len(borders)
            ]
            number -= (np.arange(len(number)) > -max(sides)[1]).astype(np.int32)
        return number

    def joined(self, number: Ints) -> Shards:
        """Join the shards that get the same number."""
        return Shards(self.cuts, np.append(number, -1)[self.number].astype(np.int32))
