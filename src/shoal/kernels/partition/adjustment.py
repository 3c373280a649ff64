"""Rows move between groups until each holds k.

The farthest leave, and free rows join the nearest group that lacks rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Labels, Longs
from shoal.kernels.jit import compiled
from shoal.kernels.partition.centroids import (
    ANCESTOR,
    MISSING,
    WORST,
    Centres,
    TupleSpace,
    distance,
    fill_distances,
    lowest,
    recentre,
    rounded,
)


class Grouping(NamedTuple):
    """Labels of rows; group g holds the rows `order[starts[g]:starts[g + 1]]`, ascending."""

    labels: Labels
    order: Longs
    starts: Longs


class Filling(NamedTuple):
    """Groups that rows join; `members[c, :sizes[c]]` are the tuples of group c."""

    labels: Labels  # [rows]
    sizes: Longs
    members: Ints  # [groups, 2k]


class Means(NamedTuple):
    """Sums that the mean of each line and group is made of."""

    sums: Longs  # [lines, groups]: of positions that are not missing
    there: Longs  # [lines, groups]: how many these are


@compiled
def trim(space: TupleSpace, centres: Centres, tuples: Ints, grouping: Grouping, k: int) -> None:
    """Let every group keep its k nearest rows, ties by lowest; label the others -1."""
    labels, order, starts = grouping
    for c in range(len(starts) - 1):
        rows = order[starts[c] : starts[c + 1]]
        if len(rows) > k:
            distances = np.empty(len(rows), np.int64)
            for i, row in enumerate(rows):
                distances[i] = distance(space, centres, tuples[row], c)
            for i in np.argsort(distances, kind="mergesort")[k:]:
                labels[rows[i]] = -1


@compiled
def fill(
    space: TupleSpace,
    centres: Centres,
    tuples: Ints,
    queue: Longs,
    groups: Filling,
    k: int,
    follow: bool,
) -> None:
    """Let each row of the queue join the nearest group of fewer than k rows, else the nearest.

    Centres follow at once, if asked to.
    """
    labels, sizes, members = groups
    seen = np.zeros(space.node.max() + 1 if len(space.node) else 1, np.int64)
    out = np.empty(len(sizes), np.int32)
    lacking = np.sum(sizes < k)
    for row in queue:
        t = tuples[row]
        fill_distances(space, centres, t, out)
        if lacking > 0:
            for c in range(len(out)):
                out[c] = out[c] if sizes[c] < k else WORST
        c = lowest(out)
        labels[row] = c
        members[c, sizes[c]] = t
        sizes[c] += 1
        lacking -= sizes[c] == k
        if follow:
            recentre(space, centres, c, members[c, : sizes[c]], seen)


@compiled
def attract(
    space: TupleSpace, centres: Centres, tuples: Ints, queue: Longs, means: Means, labels: Labels
) -> None:
    """Let each row of the queue join the nearest group, whose centre (an ancestor) follows."""
    sums, there = means
    assert centres.kind == ANCESTOR
    out = np.empty(centres.mean.shape[1], np.int32)
    for row in queue:
        fill_distances(space, centres, tuples[row], out)
        c = lowest(out)
        labels[row] = c
        for line in range(len(space.reach)):
            position = space.lines[tuples[row], line]
            if position != MISSING:
                sums[line, c] += position
                there[line, c] += 1
                centres.mean[line, c] = rounded(sums[line, c], there[line, c])
        for tree in range(len(space.full)):
            _climb(space, centres, tree, c, space.leaves[tuples[row], tree])


@compiled
def _climb(space: TupleSpace, centres: Centres, tree: int, c: int, code: int) -> None:
    """Move a centre up to the lowest node above itself and a code, unless one is missing."""
    missing = space.codes[tree + 1] - space.codes[tree] - 1
    top = space.steps[tree + 1] - 1
    if code == missing:
        return
    fresh = centres.held[top, c] == space.node[space.at[top] + missing]  # all were missing so far
    for step in range(space.steps[tree], space.steps[tree + 1]):
        node = space.node[space.at[step] + code]
        if fresh:
            centres.held[step, c] = node
        elif centres.held[step, c] != node:
            centres.held[step, c] = -1
