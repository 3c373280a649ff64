"""Groups of near rows in long tables of numbers: cut into blocks first, then MDAV in each block.

    blocks:  the rows furthest from the middle of the table; the others halved across the column in
             which they are spread most, again and again
    mdav:    the groups of `kernels.mdav`, but for numbers alone, whose columns are looked at one
             after the other

A row that has its group makes way for the last one that is free, so ties are decided by row
numbers, not by places.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.kernels.jit import compiled

ENOUGH = 4_096  # rows that show in which column a block is spread most


@compiled
def blocks(points: Floats, outer: int, most: int) -> tuple[Longs, Longs]:
    """Order rows so that each block stands together; return the order and where blocks begin.

    `points[row, column]` has no gaps.

    A block holds `most` rows at most, half as many at least; the first one the `outer` rows that
    stand furthest out.
    """
    rows = len(points)
    columns = np.ascontiguousarray(points.T)
    order = np.arange(rows)
    starts = np.empty(3 + 2 * rows // max(most, 1), np.int64)
    near = np.zeros(rows)
    for column in range(len(columns)):
        values = columns[column]
        middle = values.sum() / rows
        for row in range(rows):
            near[row] -= (values[row] - middle) ** 2
    starts[0] = 0
    count = 0
    if 0 < outer < rows:
        select(near, order, 0, rows, outer)
        starts[1] = outer
        count = 1
    # where the blocks end that are still to be cut, nearest last
    begin = int(starts[count])
    end = rows
    ends = [rows]
    while begin < rows:
        if end - begin <= most:
            starts[count] = begin
            count = count + 1
            begin = end
            ends.pop()
        else:
            half = begin + (end - begin) // 2
            select(columns[widest(points, order, begin, end)], order, begin, end, half)
            ends.append(half)
        end = ends[-1] if len(ends) else rows
    starts[count] = rows
    return order, starts[: count + 1]


@compiled
def widest(points: Floats, order: Longs, begin: int, end: int) -> int:
    """Find the column in which some rows are spread most, by their variance.

    Of many rows, every second, fourth ... one is looked at.
    """
    columns = points.shape[1]
    count = 0
    skipped = 0
    while (end - begin) // (skipped + 1) > ENOUGH:
        skipped = 2 * skipped + 1
    sums = np.zeros(columns)
    squares = np.zeros(columns)
    for place in range(begin, end):
        if order[place] & skipped:
            continue
        count += 1
        for column in range(columns):
            value = points[order[place], column]
            sums[column] += value
            squares[column] += value * value
    return int(np.argmax(squares - sums * sums / max(count, 1)))


@compiled
def select(values: Floats, order: Longs, begin: int, end: int, place: int) -> None:
    """Put the rows of lesser value before `place`, ties by row (Hoare 1961)."""
    low = begin
    high = end - 1
    while low < high:
        pivot = order[(low + high) // 2]
        i = low
        j = high
        while i <= j:
            while less(values, order[i], pivot):
                i += 1
            while less(values, pivot, order[j]):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i = i + 1
                j = j - 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return


@compiled
def less(values: Floats, row: int, other: int) -> bool:
    """Tell whether a row comes before another, by value and then by number."""
    return values[row] < values[other] or (values[row] == values[other] and row < other)


@compiled
def groups(points: Floats, far: Floats, order: Longs, starts: Longs, k: int) -> Longs:
    """Label each row with its group: MDAV in every block."""
    labels = np.empty(len(points), np.int64)
    count = 0
    for block in range(len(starts) - 1):
        count = mdav(
            points, far, np.sort(order[starts[block] : starts[block + 1]]), k, labels, count
        )
    return labels


class FreeRows(NamedTuple):
    """The rows of a block; those that are still free stand in front."""

    rows: Longs
    columns: Floats  # [column, place]
    distances: Floats  # of each place to the point looked at last
    sums: Floats  # of the free rows, by column, gaps left out
    there: Longs  # how many those are


@compiled
def mdav(points: Floats, far: Floats, rows: Longs, k: int, labels: Longs, count: int) -> int:
    """Label the groups of a block of ascending rows from `count` on; return the next number."""
    block = begun(points, rows)
    free = len(rows)
    nearest = np.empty(k + 1, np.int64)
    while free >= 2 * k:
        pair = free >= 3 * k
        apart(block, free, block.sums / block.there, far)
        for _ in range(1 + pair):
            apart(block, free, block.columns[:, furthest(block, free)].copy(), far)
            free = leave(block, free, k, nearest, labels, count)
            count += 1
    labels[block.rows[:free]] = count
    return count + 1


@compiled
def begun(points: Floats, rows: Longs) -> FreeRows:
    """Build a block of these rows, all free."""
    width = points.shape[1]
    columns = np.empty((width, len(rows)))
    sums = np.zeros(width)
    there = np.zeros(width, np.int64)
    for place, row in enumerate(rows):
        for column in range(width):
            value = points[row, column]
            columns[column, place] = value
            if not np.isnan(value):
                sums[column] += value
                there[column] += 1
    return FreeRows(rows, columns, np.empty(len(rows)), sums, there)


@compiled
def apart(block: FreeRows, free: int, point: Floats, far: Floats) -> None:
    """Compute the squared distance of each free row to a point.

    A gap is `far` from all but a gap.
    """
    distances = block.distances[:free]
    distances[:] = 0.0
    for column in range(len(point)):
        values = block.columns[column, :free]
        at = point[column]
        if block.there[column] == free:  # no gaps, and so nothing to ask
            for place in range(free):
                distances[place] += (values[place] - at) * (values[place] - at)
        else:
            for place in range(free):
                step = (values[place] - at) * (values[place] - at)
                distances[place] += (
                    step
                    if step == step
                    else far[column] * (np.isnan(values[place]) != np.isnan(at))
                )


@compiled
def furthest(block: FreeRows, free: int) -> int:
    """Find the place of the largest distance, ties by lowest row."""
    best = 0
    most = -1.0
    for place in range(free):
        distance = block.distances[place]
        if distance > most or (distance == most and block.rows[place] < block.rows[best]):
            best = place
            most = distance
    return best


@compiled
def leave(block: FreeRows, free: int, k: int, nearest: Longs, labels: Longs, count: int) -> int:
    """Label the k nearest rows, ties by lowest row; return how many rows are still free.

    Free rows from the end take their places.
    """
    rows = block.rows
    columns = block.columns
    distances = block.distances
    held = 0
    limit = np.inf
    for place in range(free):
        distance = distances[place]
        if distance > limit:
            continue
        to = held
        while to > 0 and (
            distances[nearest[to - 1]] > distance
            or (distances[nearest[to - 1]] == distance and rows[nearest[to - 1]] > rows[place])
        ):
            nearest[to] = nearest[to - 1]
            to -= 1
        nearest[to] = place
        held = min(held + 1, k)
        limit = distances[nearest[k - 1]] if held == k else np.inf
    for done in range(k):
        place = nearest[done]
        labels[rows[place]] = count
        free -= 1
        for column in range(len(columns)):
            value = columns[column, place]
            if not np.isnan(value):
                block.sums[column] -= value
                block.there[column] -= 1
            columns[column, place] = columns[column, free]
        rows[place] = rows[free]
        distances[place] = distances[free]
        for later in range(done + 1, k):  # the one that came from the end may have a group as well
            if nearest[later] == free:
                nearest[later] = place
    return free
