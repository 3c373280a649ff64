"""Greedy k-member growth on distinct tuples, in integers.

Three things make it fast and leave every label as the plain loop has it: one row of increments for
each axis instead of a look-up for each pair; only axes whose ends moved are touched; and rows that
lie inside the box already cost nothing more, so all of them are taken in one go, lowest row first.
Where classes count, a row takes part in what its group calls a stranger, so rows are taken one by
one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Labels, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import Costs, fill_increments, of_box, of_union
from shoal.kernels.jit import compiled

WORST = np.int32(2**31 - 1)


class Pool(NamedTuple):
    """Tuples with the rows that they have left, each in a place of its own, in no order."""

    # [axes, places]; where classes count, those of the tuples are one more line
    codes: Ints
    ids: Ints  # [places]: which tuple stands in which place
    order: Ints  # rows, tuple by tuple, ascending inside each
    cursor: Longs  # [tuples]: where the next row of each tuple stands in order
    ends: Longs  # [tuples]: where its rows end
    labels: Labels  # [rows]: the group of each row, -1 while it is free


class Growth(NamedTuple):
    """The box of a group while it grows, and what it would cost with each tuple of a pool."""

    lo: Ints  # [axes]
    hi: Ints
    latest: Ints  # [axes]: the codes of the row that joined last
    increments: Ints  # [axes, codes]: the cost of the box on an axis with each code in it
    score: Ints  # [places]: the cost of the box with each tuple in it
    cheapest: Ints  # [places]: room for the places with the lowest score


class Settings(NamedTuple):
    """Rules by which groups grow."""

    k: int
    from_last_added: bool  # whether a seed is far from the row added last, not from the last seed
    classes: int  # how many there are
    penalty: int  # what a tuple of another class than most costs more; 0: classes don't count


@compiled
def growth_of(costs: Costs, axes: int, places: int) -> Growth:
    """Allocate the arrays for groups that grow among tuples in `places` places."""
    return Growth(
        np.empty(axes, np.int32),
        np.empty(axes, np.int32),
        np.empty(axes, np.int32),
        np.zeros((axes, int(costs.size.max()) + 1), np.int32),
        np.empty(places, np.int32),
        np.empty(places, np.int32),
    )


@compiled
def spread(
    costs: Costs, codes: Ints, alive: int, point: Ints, increments: Ints, score: Ints
) -> None:
    """Compute the distance of each of the first `alive` tuples to one point."""
    score[:alive] = 0
    for axis in range(len(point)):
        fill_increments(costs, axis, point[axis], point[axis], increments[axis])
        line = increments[axis]
        row = codes[axis]
        for i in range(alive):
            score[i] += line[row[i]]


@compiled
def furthest(pool: Pool, score: Ints, alive: int) -> int:
    """Find the place of the tuple with the highest score, ties to the lowest row."""
    best = -1
    best_score = np.int32(-1)
    best_row = 0
    for i in range(alive):
        if score[i] >= best_score:
            row = pool.order[pool.cursor[pool.ids[i]]]
            if score[i] > best_score or row < best_row:
                best = i
                best_score = score[i]
                best_row = row
    return best


@compiled
def list_cheapest(growth: Growth, alive: int) -> int:
    """List the places with the lowest score, in descending order; return their number."""
    score = growth.score
    lowest = WORST
    for i in range(alive):
        lowest = min(lowest, score[i])
    count = 0
    for i in range(alive - 1, -1, -1):
        if score[i] == lowest:
            growth.cheapest[count] = i
            count += 1
    return count


@compiled
def list_cheapest_alike(
    growth: Growth, classes: Ints, alive: int, held: Longs, penalty: int
) -> int:
    """List the places with the lowest score where classes count; return their number.

    A tuple whose class is not a most frequent one of the group pays a penalty more; `held[class]`
    counts the rows of the group.
    """
    score = growth.score
    most = held.max()
    lowest = np.int64(2**62)
    for i in range(alive):
        lowest = min(lowest, score[i] + (penalty if held[classes[i]] < most else 0))
    count = 0
    for i in range(alive - 1, -1, -1):
        if score[i] + (penalty if held[classes[i]] < most else 0) == lowest:
            growth.cheapest[count] = i
            count += 1
    return count


@compiled
def lowest_row(pool: Pool, listed: Ints) -> int:
    """Find the listed place whose tuple has the lowest next row; -1 if none has rows left."""
    best = -1
    best_row = 0
    for place in listed:
        t = pool.ids[place]
        if pool.cursor[t] < pool.ends[t]:
            row = pool.order[pool.cursor[t]]
            if best < 0 or row < best_row:
                best = place
                best_row = row
    return best


@compiled
def bury(pool: Pool, score: Ints, place: int, alive: int) -> int:
    """Remove a tuple without rows; return how many are left.

    The last living tuple takes its place: order means nothing here.
    """
    last = alive - 1
    pool.ids[place] = pool.ids[last]
    score[place] = score[last]
    for axis in range(pool.codes.shape[0]):
        pool.codes[axis, place] = pool.codes[axis, last]
    return last


@compiled
def bury_spent(pool: Pool, score: Ints, listed: Ints, alive: int) -> int:
    """Remove those listed tuples that have no rows left; return how many tuples are left.

    Places are listed in descending order, so none of them moves before its turn.
    """
    for place in listed:
        if pool.cursor[pool.ids[place]] == pool.ends[pool.ids[place]]:
            alive = bury(pool, score, place, alive)
    return alive


@compiled
def widen(costs: Costs, codes: Ints, growth: Growth, alive: int) -> bool:
    """Let the latest row join the box and update the scores; tell whether any may have changed."""
    lo = growth.lo
    hi = growth.hi
    point = growth.latest
    increments = growth.increments
    score = growth.score
    changed = False
    fresh = np.empty(increments.shape[1], np.int32)
    for axis in range(len(lo)):
        if lo[axis] <= point[axis] <= hi[axis]:
            continue
        lo[axis] = min(lo[axis], point[axis])
        hi[axis] = max(hi[axis], point[axis])
        fill_increments(costs, axis, lo[axis], hi[axis], fresh)
        line = increments[axis]
        row = codes[axis]
        moved = False
        for code in range(costs.size[axis] + 1):
            line[code] = fresh[code] - line[code]
            moved = moved or line[code] != 0
        if moved:
            for i in range(alive):
                score[i] += line[row[i]]
        copy(fresh[: costs.size[axis] + 1], line)
        changed = changed or moved
    return changed


@compiled
def grow_groups(
    costs: Costs, settings: Settings, pool: Pool, alive: int, reference: Ints, groups: Longs
) -> int:
    """Build the groups with these numbers, of k rows each; return how many tuples have rows left.

    `reference` is the point that the next seed is far from, and follows the groups.
    """
    axes = len(reference)
    growth = growth_of(costs, axes, len(pool.ids))
    held = np.zeros(max(settings.classes, 1), np.int64)
    for group in groups:
        spread(costs, pool.codes, alive, reference, growth.increments, growth.score)
        seed = furthest(pool, growth.score, alive)
        for axis in range(axes):
            code = pool.codes[axis, seed]
            reference[axis] = code
            growth.lo[axis] = code
            growth.hi[axis] = code
        spread(costs, pool.codes, alive, reference, growth.increments, growth.score)
        growth.cheapest[0] = seed
        held[:] = 0
        alive = grow_group(costs, settings, pool, alive, growth, held, group)
        if settings.from_last_added:
            copy(growth.latest, reference)
    return alive


@compiled
def grow_group(
    costs: Costs,
    settings: Settings,
    pool: Pool,
    alive: int,
    growth: Growth,
    held: Longs,
    group: int,
) -> int:
    """Let k rows join a group, the seed first; return how many tuples have rows left.

    `growth.cheapest[0]` is the place of the seed, and the box is that of the seed. `held[class]`
    counts the rows of the group, where classes count.
    """
    axes = len(growth.lo)
    by_class = settings.penalty > 0
    count = 1
    taken = 0
    while taken < settings.k:
        place = lowest_row(pool, growth.cheapest[:count])
        if place >= 0:
            t = pool.ids[place]
            pool.labels[pool.order[pool.cursor[t]]] = group
            pool.cursor[t] += 1
            taken += 1
            if by_class:
                held[pool.codes[axes, place]] += 1
            for axis in range(axes):
                growth.latest[axis] = pool.codes[axis, place]
        # While the scores stay as they are, the tuples listed last are still the cheapest.
        if place < 0 or widen(costs, pool.codes, growth, alive) or taken == 1 or by_class:
            alive = bury_spent(pool, growth.score, growth.cheapest[:count], alive)
            if taken == settings.k:
                count = 0
            elif by_class:
                count = list_cheapest_alike(growth, pool.codes[axes], alive, held, settings.penalty)
            else:
                count = list_cheapest(growth, alive)
    return bury_spent(pool, growth.score, growth.cheapest[:count], alive)


@compiled
def settle(costs: Costs, point: Ints, lo: Ints, hi: Ints, sizes: Longs, penalty: Longs) -> int:
    """Let a point join the group whose loss grows least, ties by lowest number; return the group.

    `penalty[group]` makes the box with the point in it dearer while they are compared.
    """
    best = -1
    best_growth = np.int64(0)
    for group in range(len(sizes)):
        box = of_union(costs, lo[group], hi[group], point, point) + penalty[group]
        growth = (sizes[group] + 1) * box - sizes[group] * of_box(costs, lo[group], hi[group])
        if best < 0 or growth < best_growth:
            best = group
            best_growth = growth
    sizes[best] += 1
    for axis in range(len(point)):
        lo[best, axis] = min(lo[best, axis], point[axis])
        hi[best, axis] = max(hi[best, axis], point[axis])
    return best
