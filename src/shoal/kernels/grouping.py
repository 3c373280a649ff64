"""Disjoint groups from neighbourhoods: the cheapest that are still free, then others grown from what is left."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, fill_increments, of_box
from shoal.kernels.jit import compiled

FREE = -1
FAR = 2**62


@compiled
def costs_of_boxes(costs: Costs, lo: Ints, hi: Ints) -> Longs:
    """What each box `lo[box, axis]` to `hi[box, axis]` costs."""
    found = np.zeros(len(lo), np.int64)
    for box in range(len(lo)):
        found[box] = of_box(costs, lo[box], hi[box])
    return found


@compiled
def take_whole(members: Ints, values: Ints, room: int, order: Longs, labels: Ints) -> int:
    """Neighbourhoods of which no row is taken become groups, in the order given; how many there are.

    Of each column `values[column, row]` a value may occur `room` times.
    """
    found = 0
    for row in order:
        free = True
        for member in members[row]:
            free = free and labels[member] == FREE
        if free and _bounded(members[row], values, room):
            for member in members[row]:
                labels[member] = found
            found += 1
    return found


@compiled
def _bounded(some: Ints, values: Ints, room: int) -> bool:
    for column in range(len(values)):
        for one in some:
            times = 0
            for other in some:
                times += values[column, one] == values[column, other]
            if times > room:
                return False
    return True


@compiled
def grow_groups(costs: Costs, codes: Ints, values: Ints, room: int, k: int, order: Longs, labels: Ints, found: int) -> int:
    """Grow groups of k from free rows, in the order given, by the row that costs least, the lowest first; how many."""
    left = np.zeros(len(order), np.int64)
    count = 0
    for row in range(len(order)):
        if labels[row] == FREE:
            left[count] = row
            count += 1
    at = np.zeros(len(costs.size) + 1, np.int64)
    at[1:] = np.cumsum(costs.size + 1)
    steps, group = np.zeros(at[-1], np.int32), np.zeros(k, np.int32)
    for seed in order:
        if count >= k and labels[seed] == FREE:
            if _grow(costs, codes, values, room, left[:count], at, steps, seed, group) < k:
                continue
            for member in group:
                labels[member] = found
            found += 1
            kept = 0
            for place in range(count):
                if labels[left[place]] == FREE:
                    left[kept] = left[place]
                    kept += 1
            count = kept
    return found


@compiled
def _grow(
    costs: Costs, codes: Ints, values: Ints, room: int, left: Longs, at: Longs, steps: Ints, seed: int, group: Ints
) -> int:
    """Fill in a group around a row, from the rows that are left; how many rows it reached."""
    lo, hi = codes[seed].copy(), codes[seed].copy()
    group[0] = seed
    for size in range(1, len(group)):
        for axis in range(len(lo)):
            fill_increments(costs, axis, lo[axis], hi[axis], steps[at[axis] : at[axis + 1]])
        best, least = -1, FAR
        for row in left:
            cost = 0
            for axis in range(len(lo)):
                cost += steps[at[axis] + codes[row, axis]]
                if cost >= least:
                    break
            if cost < least and _may_join(row, group[:size], values, room):
                best, least = row, cost
        if best < 0:
            return size
        group[size] = best
        for axis in range(len(lo)):
            lo[axis], hi[axis] = min(lo[axis], codes[best, axis]), max(hi[axis], codes[best, axis])
    return len(group)


@compiled
def _may_join(row: int, group: Ints, values: Ints, room: int) -> bool:
    for member in group:
        if member == row:
            return False
    for column in range(len(values)):
        times = 0
        for member in group:
            times += values[column, member] == values[column, row]
        if times >= room:
            return False
    return True


@compiled
def join_cheapest(costs: Costs, codes: Ints, values: Ints, l: int, labels: Ints, lo: Ints, hi: Ints, sizes: Longs) -> int:  # noqa: E741
    """Each free row joins the group whose rows' cost it raises least, if no value exceeds 1/l there; how many joined."""
    joined = 0
    for row in range(len(labels)):
        if labels[row] != FREE:
            continue
        allowed = np.ones(len(sizes), np.bool_)
        for column in range(len(values)):
            times = np.ones(len(sizes), np.int64)
            for other in range(len(labels)):
                if labels[other] != FREE and values[column, other] == values[column, row]:
                    times[labels[other]] += 1
            allowed &= times * l <= sizes + 1
        best, least = -1, FAR
        for group in range(len(sizes)):
            if allowed[group]:
                now = of_box(costs, lo[group], hi[group])
                then = of_box(costs, np.minimum(lo[group], codes[row]), np.maximum(hi[group], codes[row]))
                cost = then * (sizes[group] + 1) - now * sizes[group]
                if cost < least:
                    best, least = group, cost
        if best >= 0:
            lo[best], hi[best] = np.minimum(lo[best], codes[row]), np.maximum(hi[best], codes[row])
            labels[row] = best
            sizes[best] += 1
            joined += 1
    return joined
