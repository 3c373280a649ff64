"""Greedy k-member growth on distinct tuples, in integers.

Three things make it fast and leave every label as the plain loop has it: one row of increments for
each axis instead of a look-up for each pair; only axes whose ends moved are touched; and rows that
lie inside the box already cost nothing more, so all of them are taken in one go, lowest row first.
Where classes count, a row takes part in what its group calls a stranger, so rows are taken one by
one.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, fill_increments, of_box, of_union
from shoal.kernels.jit import compiled

WORST = np.int32(2**31 - 1)


@compiled
def spread(
    costs: Costs, codes: Ints, alive: int, point: Ints, increments: Ints, score: Ints
) -> None:
    """The distance of every living tuple to one point."""
    score[:alive] = 0
    for axis in range(len(point)):
        fill_increments(costs, axis, point[axis], point[axis], increments[axis])
        line = increments[axis]
        row = codes[axis]
        for i in range(alive):
            score[i] += line[row[i]]


@compiled
def furthest(score: Ints, alive: int, ids: Ints, order: Ints, cursor: Longs) -> int:
    """The tuple with the highest score, ties to the lowest row."""
    best = -1
    best_score = np.int32(-1)
    best_row = 0
    for i in range(alive):
        if score[i] >= best_score:
            row = order[cursor[ids[i]]]
            if score[i] > best_score or row < best_row:
                best = i
                best_score = score[i]
                best_row = row
    return best


@compiled
def cheapest(score: Ints, alive: int, found: Ints) -> int:
    """How many tuples have the lowest score; `found` lists them in descending order of place."""
    lowest = WORST
    for i in range(alive):
        lowest = min(lowest, score[i])
    count = 0
    for i in range(alive - 1, -1, -1):
        if score[i] == lowest:
            found[count] = i
            count += 1
    return count


@compiled
def cheapest_alike(
    score: Ints, classes: Ints, alive: int, held: Longs, penalty: int, found: Ints
) -> int:
    """The same where classes count: a tuple whose class is not a most frequent one of the group
    pays a penalty more.
    """
    most = held.max()
    lowest = np.int64(2**62)
    for i in range(alive):
        lowest = min(lowest, score[i] + (penalty if held[classes[i]] < most else 0))
    count = 0
    for i in range(alive - 1, -1, -1):
        if score[i] + (penalty if held[classes[i]] < most else 0) == lowest:
            found[count] = i
            count += 1
    return count


@compiled
def lowest_row(found: Ints, count: int, ids: Ints, order: Ints, cursor: Longs, ends: Longs) -> int:
    """Among found tuples that still have rows, the one whose next row is lowest; -1 if none has."""
    best = -1
    best_row = 0
    for f in range(count):
        t = ids[found[f]]
        if cursor[t] < ends[t]:
            row = order[cursor[t]]
            if best < 0 or row < best_row:
                best = found[f]
                best_row = row
    return best


@compiled
def bury(place: int, alive: int, ids: Ints, codes: Ints, score: Ints) -> int:
    """Remove a tuple without rows: the last living one takes its place. Order means nothing
    here.
    """
    last = alive - 1
    ids[place] = ids[last]
    score[place] = score[last]
    for axis in range(codes.shape[0]):
        codes[axis, place] = codes[axis, last]
    return last


@compiled
def bury_spent(
    found: Ints,
    count: int,
    alive: int,
    ids: Ints,
    codes: Ints,
    score: Ints,
    cursor: Longs,
    ends: Longs,
) -> int:
    """Remove those found tuples that have no rows left; places come in descending order, so none
    moves under us.
    """
    for f in range(count):
        if cursor[ids[found[f]]] == ends[ids[found[f]]]:
            alive = bury(found[f], alive, ids, codes, score)
    return alive


@compiled
def widen(
    costs: Costs,
    point: Ints,
    lo: Ints,
    hi: Ints,
    increments: Ints,
    codes: Ints,
    alive: int,
    score: Ints,
) -> bool:
    """Let a point join the box; bring the scores up to date and say whether any may have
    changed.
    """
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
        line[: costs.size[axis] + 1] = fresh[: costs.size[axis] + 1]
        changed = changed or moved
    return changed


@compiled
def grow_groups(
    costs: Costs,
    # [axes, tuples], shuffled as tuples run out; where classes count, theirs are one more line
    codes: Ints,
    ids: Ints,  # [tuples]: which tuple stands in which place
    order: Ints,
    cursor: Longs,  # [tuples]: where the next row of each tuple stands in order
    ends: Longs,
    alive: int,
    k: int,
    reference: Ints,  # the point that the next seed is far from
    from_last_added: bool,
    labels: Ints,
    first: int,  # number of the first group to build
    last: int,  # and of the one to stop before
    classes: int,  # how many there are
    penalty: int,  # what a tuple of another class than most costs more; 0: classes don't count
) -> int:
    """Build groups of k rows each; returns how many tuples still live."""
    axes = len(reference)
    increments = np.zeros((axes, int(costs.size.max()) + 1), np.int32)
    score = np.empty(len(ids), np.int32)
    found = np.empty(len(ids), np.int32)
    held = np.zeros(max(classes, 1), np.int64)
    lo = np.empty(axes, np.int32)
    hi = np.empty(axes, np.int32)
    point = np.empty(axes, np.int32)
    for group in range(first, last):
        spread(costs, codes, alive, reference, increments, score)
        place = furthest(score, alive, ids, order, cursor)
        for axis in range(axes):
            reference[axis] = lo[axis] = hi[axis] = codes[axis, place]
        spread(costs, codes, alive, reference, increments, score)
        found[0] = place
        count = 1
        taken = 0
        held[:] = 0
        while taken < k:
            place = lowest_row(found, count, ids, order, cursor, ends)
            if place >= 0:
                labels[order[cursor[ids[place]]]] = group
                cursor[ids[place]] += 1
                taken += 1
                if penalty > 0:
                    held[codes[axes, place]] += 1
                for axis in range(axes):
                    point[axis] = codes[axis, place]
            # while the scores stay as they are, the tuples found last are still the cheapest
            if (
                place < 0
                or widen(costs, point, lo, hi, increments, codes, alive, score)
                or taken == 1
                or penalty > 0
            ):
                alive = bury_spent(found, count, alive, ids, codes, score, cursor, ends)
                if taken == k:
                    count = 0
                elif penalty > 0:
                    count = cheapest_alike(score, codes[axes], alive, held, penalty, found)
                else:
                    count = cheapest(score, alive, found)
        alive = bury_spent(found, count, alive, ids, codes, score, cursor, ends)
        if from_last_added:
            reference[:] = point
    return alive


@compiled
def settle(costs: Costs, point: Ints, lo: Ints, hi: Ints, sizes: Longs, penalty: Longs) -> int:
    """The group whose loss grows least when a point joins it, which the point then does; ties by
    lowest number.

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
