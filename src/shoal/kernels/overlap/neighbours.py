"""Distances from each tuple to the k-th row around it: no group of k can hold a cheaper pair.

Tuples stand in a binary tree of boxes (Bentley 1975): each box is cut in two along the axis on
which it costs most. No tuple of a box is nearer than the box itself, because a cost never falls
when a box grows; so whole boxes are skipped, and a sum is abandoned once it reaches the best so
far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import LINE, Costs, between, fill_increments
from shoal.kernels.jit import compiled

BLOCK = 16  # tuples in a box that is cut no further, at most, if they differ
WIDE_BLOCK = 128  # where there are so many axes that hardly a box can be skipped
WIDE = 10  # axes


class Forest(NamedTuple):
    """Boxes, children behind their parents; box b holds the tuples `order[start[b]:end[b]]`."""

    order: Longs
    start: Longs
    end: Longs
    left: Longs  # the right child is the next one; -1 for a box that is cut no further
    lo: Ints  # [boxes, axes]
    hi: Ints


class TuplesOnLines(NamedTuple):
    """Tuples in the order of the forest, by codes and by positions on lines."""

    codes: Ints  # [tuples, axes]
    places: Ints  # [lines, tuples]
    lowest: Ints  # [boxes, lines]: places of the ends of boxes
    highest: Ints


class NeighbourSearch(NamedTuple):
    """Tuples in the order of the forest, and arrays to look for the k-th row around one of them."""

    codes: Ints  # [tuples, axes]
    places: Ints  # [lines, tuples]: positions on lines, a missing value twice as far as the end
    lowest: Ints  # [boxes, lines]: places of the ends of boxes
    highest: Ints
    full: Ints  # [lines]: the highest distance on each
    others: Longs  # axes that are no lines
    counts: Counts  # [tuples]: rows
    k: int
    steps: Ints  # the distance from the tuple at hand to each code of such an axis, axis by axis
    at: Longs  # [axes + 1]: where those of each axis begin
    near: Longs  # the distances of the nearest tuples so far, ascending
    held: Longs  # how many rows each of them has
    waiting: Longs  # [boxes, 2]: boxes that are still to be opened, and their distances
    along: Ints  # distances on lines to the tuples of one box


def kth_distances(
    costs: Costs, codes: Ints, counts: Counts, k: int, patience: int = 2**62
) -> Longs:
    """Compute the least distance from each tuple within which k rows stand, its own included.

    `codes[axis, tuple]`. Where there are fewer than k rows in all, the cost of everything. After
    `patience` looks at tuples the distances of all others are said to be 0: too little, never too
    much.
    """
    forest = grown(costs, codes, BLOCK if len(codes) <= WIDE else WIDE_BLOCK)
    distances = np.empty(len(forest.order), np.int64)
    in_order = np.ascontiguousarray(codes.T[forest.order])
    places = _places(costs, in_order)
    ends = [np.ascontiguousarray(_places(costs, of).T) for of in (forest.lo, forest.hi)]
    placed = TuplesOnLines(in_order, places, ends[0], ends[1])
    distances[forest.order] = _search(costs, forest, placed, counts[forest.order], k, patience)
    return distances


def _places(costs: Costs, codes: Ints) -> Ints:
    """Place tuples, or the ends of boxes, on lines: [lines, tuples]."""
    lines = np.flatnonzero(costs.shape == LINE)
    places = np.empty((len(lines), len(codes)), np.int32)
    for place, axis in enumerate(lines):
        position = costs.position[costs.position_at[axis] :][: costs.size[axis]]
        places[place] = np.append(position, 2 * costs.full[axis])[codes[:, axis]]
    return places


@compiled
def grown(costs: Costs, codes: Ints, block: int) -> Forest:
    """Build the tree of boxes, cut near the middle between different codes."""
    axes, tuples = codes.shape
    order = np.arange(tuples)
    most = 2 * tuples + 1  # every cut leaves a tuple on both sides
    start = np.zeros(most, np.int64)
    end = np.zeros(most, np.int64)
    left = np.full(most, -1)
    lo = np.empty((most, axes), np.int32)
    hi = np.empty((most, axes), np.int32)
    end[0] = tuples
    made = 1
    box = 0
    while box < made:
        part = order[start[box] : end[box]]
        axis = _measure(costs, codes, part, lo[box], hi[box])
        if len(part) > block and lo[box, axis] < hi[box, axis]:
            part = part[np.argsort(codes[axis][part], kind="mergesort")]
            copy(part, order[start[box] : end[box]])
            middle = start[box] + _cut(codes[axis][part])
            left[box] = made
            start[made] = start[box]
            end[made] = middle
            start[made + 1] = middle
            end[made + 1] = end[box]
            made += 2
        box += 1
    return Forest(order, start[:made], end[:made], left[:made], lo[:made], hi[:made])


@compiled
def _measure(costs: Costs, codes: Ints, part: Longs, lo: Ints, hi: Ints) -> int:
    """Fill in the box of some tuples; return the axis on which it costs most."""
    widest = 0
    most = -1
    for axis in range(codes.shape[0]):
        lo[axis] = hi[axis] = codes[axis, part[0]]
        for t in part:
            lo[axis] = min(lo[axis], codes[axis, t])
            hi[axis] = max(hi[axis], codes[axis, t])
        cost = between(costs, axis, lo[axis], hi[axis])
        if lo[axis] < hi[axis] and cost > most:
            widest = axis
            most = cost
    return widest


@compiled
def _cut(ascending: Ints) -> int:
    """Find the change of code that is nearest to the middle."""
    middle = len(ascending) // 2
    for off in range(len(ascending)):
        for place in (middle - off, middle + off):
            if 0 < place < len(ascending) and ascending[place - 1] != ascending[place]:
                return place
    return middle


@compiled
def _search(
    costs: Costs, forest: Forest, placed: TuplesOnLines, counts: Counts, k: int, patience: int
) -> Longs:
    """Compute the distance of each tuple; tuples stand in the order of the forest."""
    codes = placed.codes
    axes = len(costs.size)
    at = np.zeros(axes + 1, np.int64)
    for axis in range(axes):
        at[axis + 1] = at[axis] + costs.size[axis] + 1
    steps = np.empty(at[axes], np.int32)
    shown = np.full(axes, -1)
    distances = np.zeros(len(codes), np.int64)
    search = NeighbourSearch(
        codes,
        placed.places,
        placed.lowest,
        placed.highest,
        costs.full[costs.shape == LINE],
        np.flatnonzero(costs.shape != LINE),
        counts,
        k,
        steps,
        at,
        np.empty(k + 1, np.int64),
        np.empty(k + 1, np.int64),
        np.empty((len(forest.start), 2), np.int64),
        np.zeros((forest.end - forest.start).max(), np.int32),
    )
    looks = 0
    for t in range(len(codes)):
        if counts[t] < k:
            for axis in search.others:
                if codes[t, axis] != shown[axis]:  # neighbours in the forest share most codes
                    shown[axis] = codes[t, axis]
                    fill_increments(
                        costs, axis, shown[axis], shown[axis], steps[at[axis] : at[axis + 1]]
                    )
            distances[t], seen = _kth(forest, search, t, costs.full.sum())
            looks += seen
            if looks > patience:
                break
    return distances


@compiled
def _kth(forest: Forest, search: NeighbourSearch, t: int, limit: int) -> tuple[int, int]:
    """Compute the distance from one tuple to the k-th row around it, at most the limit.

    The nearer half of a box comes first, because near tuples make the search short. Returned beside
    it: how many tuples were looked at.
    """
    codes = search.codes
    counts = search.counts
    others = search.others
    steps = search.steps
    at = search.at
    along = search.along
    waiting = search.waiting
    size = 0
    boxes = 1
    looks = 0
    need = search.k - counts[t]
    waiting[0, 0] = 0
    waiting[0, 1] = 0
    while boxes:
        boxes -= 1
        box, bound = waiting[boxes]
        if bound >= limit:
            continue
        left = forest.left[box]
        if left < 0:
            start = forest.start[box]
            looks += forest.end[box] - start
            _along_lines(search.places, search.full, t, start, along[: forest.end[box] - start])
            for other in range(start, forest.end[box]):
                distance = along[other - start]
                if distance < limit and len(others):
                    distance += _beside_lines(others, steps, at, codes[other])
                if distance < limit and other != t:
                    size, limit = _insert(search, size, distance, counts[other], need, limit)
            continue
        one = _to_box(forest, search, t, left, limit)
        two = _to_box(forest, search, t, left + 1, limit)
        nearer = left if one <= two else left + 1
        waiting[boxes, 0] = 2 * left + 1 - nearer
        waiting[boxes, 1] = max(one, two)
        waiting[boxes + 1, 0] = nearer
        waiting[boxes + 1, 1] = min(one, two)
        boxes += 2
    return limit, looks


@compiled
def _along_lines(places: Ints, full: Ints, t: int, start: int, along: Ints) -> None:
    """Add up the distances on lines from the tuple at hand to those of one box."""
    along[:] = 0
    for line in range(len(places)):
        here = places[line, t]
        most = full[line]
        there = places[line, start : start + len(along)]
        for i in range(len(along)):
            along[i] += min(max(here - there[i], there[i] - here), most)


@compiled
def _beside_lines(others: Longs, steps: Ints, at: Longs, codes: Ints) -> int:
    """Compute the distance from the tuple at hand to another on axes that are no lines."""
    total = 0
    for axis in others:
        total += steps[at[axis] + codes[axis]]
    return total


@compiled
def _to_box(forest: Forest, search: NeighbourSearch, t: int, box: int, limit: int) -> int:
    """Compute the distance from the tuple at hand to the nearest corner of a box.

    The sum is abandoned at the limit.
    """
    total = 0
    lowest = search.lowest[box]
    highest = search.highest[box]
    for line in range(len(lowest)):
        place = search.places[line, t]
        beyond = max(lowest[line] - place, place - highest[line])
        total += min(max(beyond, 0), search.full[line])
        if total >= limit:
            return total
    for axis in search.others:
        code = search.codes[t, axis]
        at = search.at[axis]
        if code < forest.lo[box, axis]:
            total += search.steps[at + forest.lo[box, axis]]
        elif code > forest.hi[box, axis]:
            total += search.steps[at + forest.hi[box, axis]]
        if total >= limit:
            break
    return total


@compiled
def _insert(
    search: NeighbourSearch, size: int, distance: int, count: int, need: int, limit: int
) -> tuple[int, int]:
    """Insert a tuple of `count` rows among the `size` nearest; return their number and the limit.

    They stand in ascending order, and those beyond `need` rows are dropped. The limit is lowered to
    the distance of the last one as soon as they hold `need` rows.
    """
    near = search.near
    held = search.held
    place = size
    while place > 0 and near[place - 1] > distance:
        near[place] = near[place - 1]
        held[place] = held[place - 1]
        place -= 1
    near[place] = distance
    held[place] = count
    total = 0
    for i in range(size + 1):
        total += held[i]
        if total >= need:
            return i + 1, near[i]
    return size + 1, limit
