"""Threshold clustering on distinct tuples, in integers.

A row that costs nothing more joins before any other can make the box grow, so equal rows always end
up in one group: whole tuples join, and the tuple whose first row is lowest is the one that stands
first.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Counts, Flags, Ints, Longs
from shoal.kernels.costs import Costs, of_box, of_union
from shoal.kernels.jit import compiled
from shoal.kernels.partition.k_member import WORST, spread, widen


@compiled
def kth_distance(costs: Costs, codes: Ints, counts: Counts, point: Ints, k: int) -> int:
    """The least distance from a point within which k rows stand; of the whole table, so that the
    point is one of them.
    """
    increments = np.zeros((codes.shape[0], int(costs.size.max()) + 1), np.int32)
    score = np.empty(codes.shape[1], np.int32)
    spread(costs, codes, len(score), point, increments, score)
    low = 0
    high = int(costs.full.sum())
    while low < high:  # by halving: no sorting, no list
        middle = (low + high) // 2
        if np.sum(np.where(score <= middle, counts, 0)) >= k:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def grow(
    costs: Costs,
    codes: Ints,  # [axes, places]: the free tuples in ascending order, `alive` of them
    ids: Ints,  # [places]: which tuple stands in which place
    alive: int,
    start: int,  # the place of the seed
    delta: int,
    value: Ints,  # [tuples]: sensitive value, -1 is none
    bonus: int,  # what a sensitive value is worth that is new to the group
    labels: Ints,  # [tuples]
    group: int,
) -> int:
    """Grow one group until every free tuple would make its box cost more than delta; how many
    tuples are free then.
    """
    axes = codes.shape[0]
    increments = np.zeros((axes, int(costs.size.max()) + 1), np.int32)
    score = np.empty(alive, np.int32)
    found = np.empty(alive, np.int32)
    gone = np.zeros(alive, np.bool_)
    seen = np.zeros(int(value.max()) + 2, np.bool_)
    seen[-1] = True  # the place that value -1 reads: none is never new
    lo = codes[:, start].copy()
    hi = codes[:, start].copy()
    spread(costs, codes, alive, lo, increments, score)
    found[0] = start
    count = 1
    while count > 0:
        for f in range(count):
            place = found[f]
            gone[place] = True
            labels[ids[place]] = group
            new = bonus > 0 and not seen[value[ids[place]]]
            seen[value[ids[place]]] = True
            # while box and values stay as they are, the tuples found last are still the best
            if widen(costs, codes[:, place].copy(), lo, hi, increments, codes, alive, score) or new:
                break
        count = _best(score, gone, ids, delta, value, seen, bonus, found)
    return _compact(codes, ids, gone, alive)


@compiled
def _best(
    score: Ints,
    gone: Flags,
    ids: Ints,
    delta: int,
    value: Ints,
    seen: Flags,
    bonus: int,
    found: Ints,
) -> int:
    """How many free tuples within delta share the best score, listed in ascending order."""
    best = np.int64(WORST)
    count = 0
    for place in range(len(score)):
        if gone[place] or score[place] > delta:
            continue
        worth = np.int64(score[place]) - (0 if seen[value[ids[place]]] else bonus)
        if worth < best:
            best = worth
            count = 0
        if worth == best:
            found[count] = place
            count += 1
    return count


@compiled
def _compact(codes: Ints, ids: Ints, gone: Flags, alive: int) -> int:
    """Close the gaps, in order."""
    left = 0
    for place in range(alive):
        if not gone[place]:
            ids[left] = ids[place]
            for axis in range(codes.shape[0]):
                codes[axis, left] = codes[axis, place]
            left += 1
    return left


@compiled
def reattach(
    costs: Costs, lo: Ints, hi: Ints, sizes: Longs, small: Longs, kept: Longs, joins: Longs
) -> None:
    """Each small group, one after the other, joins the kept one whose loss grows least with it;
    boxes grow as they join.
    """
    loss = np.empty(len(sizes), np.int64)
    for group in kept:
        loss[group] = sizes[group] * of_box(costs, lo[group], hi[group])
    for group in small:
        best = -1
        least = np.int64(0)
        for other in kept:
            cost = of_union(costs, lo[group], hi[group], lo[other], hi[other])
            growth = (sizes[group] + sizes[other]) * cost - loss[other]
            if best < 0 or growth < least:
                best = other
                least = growth
        joins[group] = best
        sizes[best] += sizes[group]
        loss[best] += least
        lo[best] = np.minimum(lo[best], lo[group])
        hi[best] = np.maximum(hi[best], hi[group])
