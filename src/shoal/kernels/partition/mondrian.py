"""Mondrian in rounds: every open part is offered one cut, and the cuts that are accepted are made.

A part is a stretch of `order`, its rows ascending. `tries[part]` counts the cuts it was offered:
for each axis, widest first, the cut by nodes (trees alone), then at most the median, then below it.
A caller may leave out the first or the last of these three.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Ints, Labels, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import TREE, Costs, between
from shoal.kernels.jit import compiled

BY_NODES = 0
UPTO_MEDIAN = 1
BELOW_MEDIAN = 2
CUTS = 3


class OpenParts(NamedTuple):
    """Open parts: part p holds the rows `order[starts[p]:stops[p]]`."""

    order: Longs
    starts: Longs
    stops: Longs
    tries: Longs  # how many cuts each part was offered


class Room(NamedTuple):
    """Arrays that all parts share, so that none has to allocate its own."""

    lo: Ints  # [axes]: the box of the part at hand
    hi: Ints
    codes: Ints  # [rows]: of the part's rows on the axis at hand
    side: Ints  # [rows]: the side of each of them
    counts: Longs  # [nodes]: 0 between calls
    number: Ints  # [nodes]: -1 between calls


class CutRules(NamedTuple):
    """Say how a part may be cut."""

    least: int  # rows on each side
    first: int  # the first kind of cut that is tried on an axis, from BY_NODES to BELOW_MEDIAN
    last: int  # and the last one
    relaxed: bool  # rows that stand at the median may go to either side


@compiled
def propose(table: Ints, costs: Costs, parts: OpenParts, rules: CutRules, labels: Labels) -> Longs:
    """Find the next cut of each open part that leaves no side below `rules.least` rows.

    `table[row, axis]` are codes. The sides of part p are numbered from `firsts[p]` to `firsts[p +
    1] - 1` and written to the labels of its rows; a part without any cut left has no sides.
    """
    rows, axes = table.shape
    least = rules.least
    nodes = len(costs.cost) + 1
    room = Room(
        np.empty(axes, np.int32),
        np.empty(axes, np.int32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.zeros(nodes, np.int64),
        np.full(nodes, -1, np.int32),
    )
    lo = room.lo
    hi = room.hi
    side = room.side
    tries = parts.tries
    firsts = np.zeros(len(parts.starts) + 1, np.int64)
    for part in range(len(parts.starts)):
        firsts[part + 1] = firsts[part]
        members = parts.order[parts.starts[part] : parts.stops[part]]
        if len(members) < 2 * least:
            continue
        by_span = _by_span(table, costs, members, lo, hi)
        while tries[part] < axes * CUTS:
            axis = by_span[tries[part] // CUTS]
            cut = tries[part] % CUTS
            if cut < rules.first or cut > rules.last:
                tries[part] += 1
                continue
            codes = room.codes[: len(members)]
            for i, row in enumerate(members):
                codes[i] = table[row, axis]
            if cut == BY_NODES:
                sides = _cut_by_nodes(costs, axis, codes, least, room)
            elif rules.relaxed:
                sides = _cut_in_halves(codes, lo[axis], hi[axis], side)
            else:
                sides = _cut_at_median(codes, lo[axis], hi[axis], cut, least, side)
            if sides > 0:
                for i, row in enumerate(members):
                    labels[row] = firsts[part] + side[i]
                firsts[part + 1] += sides
                break
            tries[part] += 1
    return firsts


@compiled
def _by_span(table: Ints, costs: Costs, members: Longs, lo: Ints, hi: Ints) -> Longs:
    """Fill in the box of some rows; list the axes from widest to narrowest, ties by lowest."""
    copy(table[members[0]], lo)
    copy(table[members[0]], hi)
    for row in members:
        for axis in range(len(lo)):
            code = table[row, axis]
            lo[axis] = min(lo[axis], code)
            hi[axis] = max(hi[axis], code)
    narrow = np.empty(len(lo), np.int32)
    for axis in range(len(lo)):
        narrow[axis] = -between(costs, axis, lo[axis], hi[axis])
    return np.argsort(narrow, kind="mergesort")


@compiled
def _median(codes: Ints, lo: int, hi: int) -> int:
    """Find the least code that at least half of these rows do not exceed, by halving the range."""
    half = (len(codes) + 1) // 2
    while lo < hi:
        middle = (lo + hi) // 2
        if np.sum(codes <= middle) >= half:
            hi = middle
        else:
            lo = middle + 1
    return lo


@compiled
def _cut_at_median(codes: Ints, lo: int, hi: int, cut: int, least: int, side: Ints) -> int:
    """Cut rows at their median; return 2 sides, or 0 where one would hold fewer than `least` rows.

    The sides are up to the median and above it, or below the median and from it on.
    """
    last = _median(codes, lo, hi) - (1 if cut == BELOW_MEDIAN else 0)
    left = 0
    for i, code in enumerate(codes):
        side[i] = 0 if code <= last else 1
        left += 1 - side[i]
    return 2 if left >= least and len(codes) - left >= least else 0


@compiled
def _cut_in_halves(codes: Ints, lo: int, hi: int, side: Ints) -> int:
    """Cut rows in two halves; return 2.

    Rows that stand at the median go left, lowest row first, until the left half is full.
    """
    median = _median(codes, lo, hi)
    room = (len(codes) + 1) // 2 - np.sum(codes < median)
    for i, code in enumerate(codes):
        goes_left = code < median or (code == median and room > 0)
        side[i] = 0 if goes_left else 1
        if code == median and goes_left:
            room -= 1
    return 2


@compiled
def _cut_by_nodes(costs: Costs, axis: int, codes: Ints, least: int, room: Room) -> int:
    """Cut rows by the children of the lowest node above them; return the number of sides.

    It is 0 where a side would hold fewer than `least` rows, or the axis is no tree.
    """
    lo = room.lo[axis]
    hi = room.hi[axis]
    counts = room.counts
    number = room.number
    size = costs.size[axis]
    if costs.shape[axis] != TREE or lo == hi or hi == size:
        return 0
    at = costs.node_at[axis]
    if costs.node[at + lo] == costs.node[at + hi]:  # values that share a leaf
        return 0
    while costs.node[at + size + lo] != costs.node[at + size + hi]:
        at += size
    for code in codes:
        counts[costs.node[at + code]] += 1
    sides = 0
    for i, code in enumerate(codes):
        node = costs.node[at + code]
        if counts[node] < least:
            sides = 0
            break
        if number[node] < 0:
            number[node] = sides
            sides += 1
        room.side[i] = number[node]
    for code in codes:
        counts[costs.node[at + code]] = 0
        number[costs.node[at + code]] = -1
    return sides


@compiled
def split(
    parts: OpenParts, firsts: Longs, labels: Labels, accepted: Flags, opens: Flags
) -> OpenParts:
    """Make the accepted cuts; return the parts that are open now.

    These are the new sides, and the parts whose next cut has to be looked at. `opens[i]` tells that
    a part begins at place i of the order.
    """
    order, starts, stops, tries = parts
    most = firsts[-1] + len(starts)
    new_starts = np.empty(most, np.int64)
    new_stops = np.empty(most, np.int64)
    new_tries = np.zeros(most, np.int64)
    count = 0
    for part in range(len(starts)):
        sides = firsts[part + 1] - firsts[part]
        if sides > 0 and not accepted[part]:
            new_starts[count] = starts[part]
            new_stops[count] = stops[part]
            new_tries[count] = tries[part] + 1
            count += 1
        elif sides > 0:
            members = order[starts[part] : stops[part]].copy()
            ends = np.zeros(sides + 1, np.int64)
            for row in members:
                ends[labels[row] - firsts[part] + 1] += 1
            ends = starts[part] + np.cumsum(ends)
            for side in range(sides):
                new_starts[count] = ends[side]
                new_stops[count] = ends[side + 1]
                opens[ends[side]] = True
                count += 1
            for row in members:
                side = labels[row] - firsts[part]
                order[ends[side]] = row
                ends[side] += 1
    return OpenParts(order, new_starts[:count], new_stops[:count], new_tries[:count])
