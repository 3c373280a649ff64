"""Threshold clustering on distinct tuples, in integers.

A row that costs nothing more joins before any other can make the box grow, so equal rows always end
up in one group: whole tuples join, and the tuple whose first row is lowest is the one that stands
first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Flags, Ints, Longs
from shoal.kernels.costs import Costs, of_union
from shoal.kernels.jit import compiled
from shoal.kernels.partition.k_member import WORST, Growth, growth_of, spread, widen
from shoal.kernels.partition.repair import BoxedGroups


class Free(NamedTuple):
    """Tuples without a group, in ascending order."""

    codes: Ints  # [axes, places]
    ids: Ints  # [places]: which tuple stands in which place
    value: Ints  # [tuples]: sensitive value, -1 is none
    labels: Ints  # [tuples]: group, -1 while free


class Limits(NamedTuple):
    """Rules by which a group grows."""

    delta: int  # what its box may cost
    bonus: int  # what a sensitive value is worth that is new to the group


@compiled
def kth_distance(costs: Costs, codes: Ints, counts: Counts, point: Ints, k: int) -> int:
    """Compute the least distance from a point within which k rows of the whole table stand.

    The point is one of these rows.
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
def grow(costs: Costs, free: Free, limits: Limits, alive: int, start: int, group: int) -> int:
    """Grow one group from the tuple in place `start`; return how many tuples are free then.

    It ends when every free tuple would make the box cost more than `delta`.
    """
    axes = free.codes.shape[0]
    growth = growth_of(costs, axes, alive)
    gone = np.zeros(alive, np.bool_)
    seen = np.zeros(int(free.value.max()) + 2, np.bool_)
    seen[-1] = True  # the place that value -1 reads: none is never new
    for axis in range(axes):
        growth.latest[axis] = free.codes[axis, start]
        growth.lo[axis] = free.codes[axis, start]
        growth.hi[axis] = free.codes[axis, start]
    spread(costs, free.codes, alive, growth.latest, growth.increments, growth.score)
    growth.cheapest[0] = start
    count = 1
    while count > 0:
        for place in growth.cheapest[:count]:
            t = free.ids[place]
            gone[place] = True
            free.labels[t] = group
            new = limits.bonus > 0 and not seen[free.value[t]]
            seen[free.value[t]] = True
            for axis in range(axes):
                growth.latest[axis] = free.codes[axis, place]
            # While box and values stay as they are, the tuples listed last are still the best.
            if widen(costs, free.codes, growth, alive) or new:
                break
        count = _list_best(free, limits, growth, gone, seen)
    return _compact(free, gone, alive)


@compiled
def _list_best(free: Free, limits: Limits, growth: Growth, gone: Flags, seen: Flags) -> int:
    """List the free places within delta that share the best score, ascending; return their number.

    `seen[value]` tells whether the group holds a sensitive value.
    """
    score = growth.score
    best = np.int64(WORST)
    count = 0
    for place in range(len(score)):
        if gone[place] or score[place] > limits.delta:
            continue
        bonus = 0 if seen[free.value[free.ids[place]]] else limits.bonus
        worth = np.int64(score[place]) - bonus
        if worth < best:
            best = worth
            count = 0
        if worth == best:
            growth.cheapest[count] = place
            count += 1
    return count


@compiled
def _compact(free: Free, gone: Flags, alive: int) -> int:
    """Close the gaps that gone tuples leave, in order; return how many tuples are left."""
    left = 0
    for place in range(alive):
        if not gone[place]:
            free.ids[left] = free.ids[place]
            for axis in range(free.codes.shape[0]):
                free.codes[axis, left] = free.codes[axis, place]
            left += 1
    return left


@compiled
def reattach(costs: Costs, groups: BoxedGroups, small: Longs, kept: Longs, joins: Longs) -> None:
    """Unite each small group, one after the other, with the kept one whose loss grows least.

    `joins` tells the new number of each small group; boxes grow as they join.
    """
    lo = groups.lo
    hi = groups.hi
    sizes = groups.sizes
    losses = groups.losses
    for group in small:
        best = -1
        least = np.int64(0)
        for other in kept:
            cost = of_union(costs, lo[group], hi[group], lo[other], hi[other])
            growth = (sizes[group] + sizes[other]) * cost - losses[other]
            if best < 0 or growth < least:
                best = other
                least = growth
        joins[group] = best
        sizes[best] += sizes[group]
        losses[best] += least
        lo[best] = np.minimum(lo[best], lo[group])
        hi[best] = np.maximum(hi[best], hi[group])
