"""Boxes grow until they cover who they should: a union, and then the box as it will be published.

A box on a tree is published as the lowest common ancestor, which holds more than what lies between
its ends; one that mixes missing with others as everything. `NodeRuns` tells how far that reaches.
Boxes stand in rows: `lo[row, axis]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import TREE, Costs, between
from shoal.kernels.jit import compiled


class NodeRuns(NamedTuple):
    """The first and the last code under each node of a tree, laid out like `Costs.node`."""

    first: Ints
    last: Ints


class RowBoxes(NamedTuple):
    """The box of each row: `lo[row, axis]` to `hi[row, axis]`."""

    lo: Ints
    hi: Ints


@compiled
def runs_of(costs: Costs) -> NodeRuns:
    """Compute the runs of all trees."""
    first = np.zeros_like(costs.node)
    last = np.zeros_like(costs.node)
    for axis in range(len(costs.size)):
        size = costs.size[axis]
        for level in range(costs.levels[axis]):
            at = costs.node_at[axis] + level * size
            for code in range(size):
                same = code > 0 and costs.node[at + code] == costs.node[at + code - 1]
                first[at + code] = first[at + code - 1] if same else code
            for code in range(size - 1, -1, -1):
                same = code < size - 1 and costs.node[at + code] == costs.node[at + code + 1]
                last[at + code] = last[at + code + 1] if same else code
    return NodeRuns(first, last)


@compiled
def close(costs: Costs, runs: NodeRuns, lo: Ints, hi: Ints) -> None:
    """Widen one box to what it will be published as."""
    for axis in range(len(lo)):
        size = costs.size[axis]
        if hi[axis] == size:
            lo[axis] = lo[axis] if lo[axis] == size else 0
        elif costs.shape[axis] == TREE:
            at = costs.node_at[axis]
            while costs.node[at + lo[axis]] != costs.node[at + hi[axis]]:
                at += size
            hi[axis] = runs.last[at + lo[axis]]
            lo[axis] = runs.first[at + lo[axis]]


@compiled
def close_all(costs: Costs, runs: NodeRuns, lo: Ints, hi: Ints) -> None:
    """Widen every box to what it will be published as."""
    for row in range(len(lo)):
        close(costs, runs, lo[row], hi[row])


@compiled
def holds(lo: Ints, hi: Ints, codes: Ints) -> bool:
    """Tell whether a box covers a tuple."""
    for axis in range(len(codes)):
        if codes[axis] < lo[axis] or hi[axis] < codes[axis]:
            return False
    return True


@compiled
def increase(costs: Costs, lo: Ints, hi: Ints, codes: Ints, enough: int) -> int:
    """Compute what it costs to widen a box until it covers a tuple; inexact above `enough`."""
    total = 0
    for axis in range(len(codes)):
        code = codes[axis]
        if code < lo[axis] or hi[axis] < code:
            wider = between(costs, axis, min(lo[axis], code), max(hi[axis], code))
            total += wider - between(costs, axis, lo[axis], hi[axis])
            if total > enough:
                break
    return total


@compiled
def include(costs: Costs, runs: NodeRuns, lo: Ints, hi: Ints, codes: Ints) -> None:
    """Widen one box until it covers a tuple."""
    for axis in range(len(codes)):
        lo[axis] = min(lo[axis], codes[axis])
        hi[axis] = max(hi[axis], codes[axis])
    close(costs, runs, lo, hi)


@compiled
def cover_each(
    costs: Costs, runs: NodeRuns, tuples: Ints, boxes: RowBoxes, covering: Longs, k: int
) -> None:
    """Widen the boxes of rows until at least k rows cover each tuple `tuples[tuple, axis]`.

    Those rows are widened for which it costs least, ties by lowest. `covering` counts the rows that
    cover each tuple, and is kept up to date.
    """
    lo, hi = boxes
    least = np.zeros(k + 1, np.int64)
    chosen = np.zeros(k + 1, np.int64)
    was_lo = np.zeros(lo.shape[1], np.int32)
    was_hi = np.zeros(lo.shape[1], np.int32)
    for tuple_ in range(len(tuples)):
        missing = k - covering[tuple_]
        if missing <= 0:
            continue
        count = _cheapest(costs, tuples[tuple_], boxes, missing, least, chosen)
        for row in chosen[:count]:
            was_lo[:] = lo[row]
            was_hi[:] = hi[row]
            include(costs, runs, lo[row], hi[row], tuples[tuple_])
            for other in range(len(tuples)):
                if holds(lo[row], hi[row], tuples[other]) and not holds(
                    was_lo, was_hi, tuples[other]
                ):
                    covering[other] += 1


@compiled
def _cheapest(
    costs: Costs, codes: Ints, boxes: RowBoxes, most: int, least: Longs, chosen: Longs
) -> int:
    """List up to `most` rows that don't cover a tuple and cost least to widen; return their number.

    `chosen` are the rows and `least` what each costs, in ascending order of cost.
    """
    lo, hi = boxes
    count = 0
    for row in range(len(lo)):
        if holds(lo[row], hi[row], codes):
            continue
        enough = least[count - 1] if count == most else 2**62
        cost = increase(costs, lo[row], hi[row], codes, enough)
        if cost >= enough:
            continue
        place = min(count, most - 1)
        while place > 0 and least[place - 1] > cost:
            least[place] = least[place - 1]
            chosen[place] = chosen[place - 1]
            place -= 1
        least[place] = cost
        chosen[place] = row
        count = min(count + 1, most)
    return count


@compiled
def fill_rows(
    costs: Costs,
    runs: NodeRuns,
    tuples: Ints,
    records: Longs,
    boxes: RowBoxes,
    covered: Longs,
    k: int,
) -> None:
    """Widen each row's box until it covers at least k records.

    It is widened tuple by tuple, by the cheapest each time, ties by lowest. `records[tuple]` counts
    the records of a tuple, and `covered[row]` those that a row covers.
    """
    lo, hi = boxes
    for row in range(len(lo)):
        while covered[row] < k:
            best = -1
            enough = 2**62
            for tuple_ in range(len(tuples)):
                if not holds(lo[row], hi[row], tuples[tuple_]):
                    cost = increase(costs, lo[row], hi[row], tuples[tuple_], enough)
                    if cost < enough:
                        best = tuple_
                        enough = cost
            if best < 0:
                break
            include(costs, runs, lo[row], hi[row], tuples[best])
            covered[row] = 0
            for tuple_ in range(len(tuples)):
                if holds(lo[row], hi[row], tuples[tuple_]):
                    covered[row] += records[tuple_]


@compiled
def return_all(costs: Costs, runs: NodeRuns, codes: Ints, members: Ints, boxes: RowBoxes) -> None:
    """Make covering mutual: all rows in the neighbourhood of a record cover that record in turn.

    `codes[record, axis]`; `members[record]` is the neighbourhood.
    """
    lo, hi = boxes
    for record in range(len(members)):
        for member in members[record]:
            if not holds(lo[member], hi[member], codes[record]):
                include(costs, runs, lo[member], hi[member], codes[record])


@compiled
def return_cheapest(
    costs: Costs, runs: NodeRuns, codes: Ints, members: Ints, boxes: RowBoxes, asked: Ints
) -> None:
    """Let one more row of its neighbourhood cover each record asked for: the cheapest to widen."""
    lo, hi = boxes
    for record in asked:
        best = -1
        enough = 2**62
        for member in members[record]:
            if not holds(lo[member], hi[member], codes[record]):
                cost = increase(costs, lo[member], hi[member], codes[record], enough)
                if cost < enough:
                    best = member
                    enough = cost
        if best >= 0:
            include(costs, runs, lo[best], hi[best], codes[record])
