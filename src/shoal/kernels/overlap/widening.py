"""Boxes grow until they cover who they should: a union, and then the box as it will be published.

A box on a tree is published as the lowest common ancestor, which holds more than what lies between
its ends; one that mixes missing with others as everything. `Runs` tells how far that reaches. Boxes
stand in rows: `lo[row, axis]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import TREE, Costs, between
from shoal.kernels.jit import compiled


class Runs(NamedTuple):
    """The first and the last code under each node of a tree, level by level and code by code as
    `Costs.node`.
    """

    first: Ints
    last: Ints


@compiled
def runs_of(costs: Costs) -> Runs:
    """The runs of all trees."""
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
    return Runs(first, last)


@compiled
def close(costs: Costs, runs: Runs, lo: Ints, hi: Ints) -> None:
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
def close_all(costs: Costs, runs: Runs, lo: Ints, hi: Ints) -> None:
    """Widen every box to what it will be published as."""
    for row in range(len(lo)):
        close(costs, runs, lo[row], hi[row])


@compiled
def holds(lo: Ints, hi: Ints, codes: Ints) -> bool:
    """Whether a box covers a tuple."""
    for axis in range(len(codes)):
        if codes[axis] < lo[axis] or hi[axis] < codes[axis]:
            return False
    return True


@compiled
def increase(costs: Costs, lo: Ints, hi: Ints, codes: Ints, enough: int) -> int:
    """What it costs to widen a box until it covers a tuple; anything above `enough` where it is
    more than that.
    """
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
def include(costs: Costs, runs: Runs, lo: Ints, hi: Ints, codes: Ints) -> None:
    """Widen one box until it covers a tuple."""
    for axis in range(len(codes)):
        lo[axis] = min(lo[axis], codes[axis])
        hi[axis] = max(hi[axis], codes[axis])
    close(costs, runs, lo, hi)


@compiled
def cover_each(
    costs: Costs, runs: Runs, tuples: Ints, lo: Ints, hi: Ints, covering: Longs, k: int
) -> None:
    """Widen rows until at least k cover each tuple `tuples[tuple, axis]`: those that cost least,
    the lowest first.

    `covering` counts the rows that cover each tuple, and is kept up to date.
    """
    least = np.zeros(k + 1, np.int64)
    chosen = np.zeros(k + 1, np.int64)
    was_lo = np.zeros(lo.shape[1], np.int32)
    was_hi = np.zeros(lo.shape[1], np.int32)
    for tuple_ in range(len(tuples)):
        missing = k - covering[tuple_]
        if missing <= 0:
            continue
        found = _cheapest(costs, tuples[tuple_], lo, hi, missing, least, chosen)
        for place in range(found):
            row = chosen[place]
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
    costs: Costs, codes: Ints, lo: Ints, hi: Ints, count: int, least: Longs, chosen: Longs
) -> int:
    """So many rows that don't cover a tuple and cost least to widen, in ascending order; how many
    there are.
    """
    found = 0
    for row in range(len(lo)):
        if holds(lo[row], hi[row], codes):
            continue
        enough = least[found - 1] if found == count else 2**62
        cost = increase(costs, lo[row], hi[row], codes, enough)
        if cost >= enough:
            continue
        place = min(found, count - 1)
        while place > 0 and least[place - 1] > cost:
            least[place] = least[place - 1]
            chosen[place] = chosen[place - 1]
            place -= 1
        least[place] = cost
        chosen[place] = row
        found = min(found + 1, count)
    return found


@compiled
def fill_rows(
    costs: Costs,
    runs: Runs,
    tuples: Ints,
    records: Longs,
    lo: Ints,
    hi: Ints,
    covered: Longs,
    k: int,
) -> None:
    """Widen each row that covers fewer than k records, tuple by tuple as it costs least, the lowest
    tuple first.
    """
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
def return_all(costs: Costs, runs: Runs, codes: Ints, members: Ints, lo: Ints, hi: Ints) -> None:
    """Make covering mutual: whoever stands in the neighbourhood of a record `codes[record]` covers
    it in turn.
    """
    for record in range(len(members)):
        for member in members[record]:
            if not holds(lo[member], hi[member], codes[record]):
                include(costs, runs, lo[member], hi[member], codes[record])


@compiled
def return_cheapest(
    costs: Costs, runs: Runs, codes: Ints, members: Ints, lo: Ints, hi: Ints, asked: Ints
) -> None:
    """For each record asked for: of its neighbourhood's rows that don't cover it, the one that
    costs least does so in turn.
    """
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
