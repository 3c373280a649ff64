"""Counts of rows inside boxes that may overlap, and of those inside another box too.

Tuples are put into a binary tree of boxes (Bentley 1975), each cut in the middle of its longest
side, measured as a share of the axis. A box of the tree that lies beside a box in question is
passed over, one that lies inside is added as a whole, and only what is cut in two is looked at more
closely.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Codes, Counts, Floats, Longs
from shoal.kernels.jit import compiled

BLOCK = 16  # tuples in a box that is cut no further, at most


class BoxTree(NamedTuple):
    """Boxes, children behind their parents; box b holds the tuples from start[b] to end[b]."""

    start: Longs
    end: Longs
    left: Longs  # the right child is the next one; -1 for a box that is cut no further
    lo: Codes  # [boxes, axes]
    hi: Codes
    rows: Counts


class PlacedTuples(NamedTuple):
    """Tuples in a tree of boxes, ready to be counted again and again."""

    tree: BoxTree
    points: Codes  # [tuples, axes], in the order of the tree
    counts: Counts

    @classmethod
    def of(cls, codes: Codes, counts: Counts) -> PlacedTuples:
        """Build the tree of tuples `codes[axis, tuple]`, each held by `counts[tuple]` rows."""
        points = np.array(codes.T, order="C")  # a copy, also of one axis: it is sorted in place
        rows = counts.astype(np.int64)
        tree = _grown(points, rows, 1.0 / (points.max(axis=0, initial=0) + 1.0))  # which sorts both
        return cls(tree, points, rows)

    def inside(self, lo: Codes, hi: Codes) -> tuple[Counts, Counts]:
        """Count for each box the rows inside, and those of them that are in another box too.

        A box reaches from `lo[axis, box]` to `hi[axis, box]`, both included.
        """
        first = np.ascontiguousarray(lo.T)
        last = np.ascontiguousarray(hi.T)
        change = np.zeros(len(self.points) + 1, np.int64)
        rows_inside = _counted(self.tree, self.points, self.counts, first, last, change)
        several = np.where(np.cumsum(change[:-1]) > 1, self.counts, 0)
        if not several.any():
            return rows_inside, np.zeros_like(rows_inside)
        upto = np.concatenate(([0], np.cumsum(several)))
        tree = self.tree._replace(rows=upto[self.tree.end] - upto[self.tree.start])
        return rows_inside, _counted(tree, self.points, several, first, last, change)

    def covered(self, lo: Codes, hi: Codes) -> int:
        """Count the rows that stand inside at least one box."""
        change = np.zeros(len(self.points) + 1, np.int64)
        first = np.ascontiguousarray(lo.T)
        _counted(self.tree, self.points, self.counts, first, np.ascontiguousarray(hi.T), change)
        return int(self.counts[np.cumsum(change[:-1]) > 0].sum())


def counted_inside(codes: Codes, counts: Counts, lo: Codes, hi: Codes) -> Counts:
    """Count for each box the rows inside."""
    return PlacedTuples.of(codes, counts).inside(lo, hi)[0]


@compiled
def _grown(points: Codes, counts: Counts, scale: Floats) -> BoxTree:
    """Build the tree of boxes; tuples and counts are put in its order."""
    tuples, axes = points.shape
    most = 2 * tuples + 1
    start = np.zeros(most, np.int64)
    end = np.zeros(most, np.int64)
    left = np.full(most, -1)
    lo = np.zeros((most, axes), np.int32)
    hi = np.zeros((most, axes), np.int32)
    rows = np.zeros(most, np.int64)
    end[0] = tuples
    made = 1
    box = 0
    while box < made:
        first = start[box]
        last = end[box]
        if first < last:
            lo[box] = points[first]
            hi[box] = points[first]
        for t in range(first, last):
            rows[box] += counts[t]
            for a in range(axes):
                lo[box, a] = min(lo[box, a], points[t, a])
                hi[box, a] = max(hi[box, a], points[t, a])
        axis = int(np.argmax((hi[box] - lo[box]) * scale))
        if last - first > BLOCK and lo[box, axis] < hi[box, axis]:
            middle = _cut(points, counts, first, last, axis, (lo[box, axis] + hi[box, axis]) // 2)
            left[box] = made
            start[made] = first
            end[made] = middle
            start[made + 1] = middle
            end[made + 1] = last
            made += 2
        box += 1
    return BoxTree(start[:made], end[:made], left[:made], lo[:made], hi[:made], rows[:made])


@compiled
def _cut(points: Codes, counts: Counts, first: int, last: int, axis: int, middle: int) -> int:
    """Put the tuples up to the middle first; return where the others start."""
    low = first
    high = last - 1
    while low <= high:
        if points[low, axis] <= middle:
            low += 1
        else:
            for a in range(points.shape[1]):
                points[low, a], points[high, a] = points[high, a], points[low, a]
            counts[low], counts[high] = counts[high], counts[low]
            high -= 1
    return low


@compiled
def _counted(
    tree: BoxTree, points: Codes, counts: Counts, lo: Codes, hi: Codes, change: Longs
) -> Counts:
    """Count for each box the rows inside.

    `change[t]` is by how many boxes more tuple t stands inside than tuple t - 1.
    """
    rows_inside = np.zeros(len(lo), np.int64)
    axes = points.shape[1]
    waiting = np.empty(32 * axes + 2, np.int64)  # a path cuts every axis at most 31 times
    for box in range(len(lo)):
        waiting[0] = 0
        wait = 1
        while wait:
            wait -= 1
            node = waiting[wait]
            beside = False
            inside = True
            for a in range(axes):
                beside |= tree.hi[node, a] < lo[box, a] or hi[box, a] < tree.lo[node, a]
                inside &= lo[box, a] <= tree.lo[node, a] and tree.hi[node, a] <= hi[box, a]
            if beside:
                continue
            if inside:
                rows_inside[box] += tree.rows[node]
                change[tree.start[node]] += 1
                change[tree.end[node]] -= 1
            elif tree.left[node] >= 0:
                waiting[wait] = tree.left[node]
                waiting[wait + 1] = tree.left[node] + 1
                wait += 2
            else:
                for t in range(tree.start[node], tree.end[node]):
                    fits = True
                    for a in range(axes):
                        fits &= lo[box, a] <= points[t, a] <= hi[box, a]
                    rows_inside[box] += counts[t] * fits
                    change[t] += fits
                    change[t + 1] -= fits
    return rows_inside
