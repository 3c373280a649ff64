"""Neighbourhoods of NSVDist: the k rows around every row, grown row by row, in integers.

Tuples stand in a binary tree of boxes (see neighbours). A growth walks it cheapest first: a queue
holds boxes and tuples by the least that they can make the neighbourhood cost (see gathering), then
by their lowest row. What is at its head is opened if it is a box, and joins if it is a tuple. A
neighbourhood only grows, and with it all costs: so what was put into the queue earlier stands too
far ahead if anything, and is weighed again when its turn comes, which is never for most of the
table. For the same reason a tuple whose sensitive value has its share is dropped for good.

Two rows of one tuple, the lower of which has the other in its neighbourhood, have the same
neighbourhood: they can't be told apart by cost or by value, and while one may still join the other,
it is free. So it is copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs
from shoal.kernels.jit import compiled
from shoal.kernels.overlap.gathering import KNOWN, begin, cost_with, join
from shoal.kernels.overlap.neighbours import Forest


class Tuples(NamedTuple):
    """Different tuples in the order of a forest.

    The rows of tuple t are `rows[starts[t]:ends[t]]`, ascending.
    """

    codes: Ints  # [tuples, axes]
    # [tuples, columns]: sensitive values, numbered through all columns in which they are bounded
    values: Ints
    rows: Ints
    starts: Longs
    ends: Longs
    lowest: Ints  # [boxes]: the lowest row in each box


class Queue(NamedTuple):
    """Boxes and tuples that may join, as a binary heap by cost and row.

    An item below the number of boxes is a box, the others are tuples.
    """

    costs: Longs  # of the neighbourhood with it
    rows: Ints  # its lowest row
    items: Ints
    seen: Ints  # how often the neighbourhood had changed when the cost was worked out


class Ground(NamedTuple):
    """The tuples of a table, the tree in which they stand, and what neighbourhoods cost."""

    costs: Costs
    forest: Forest
    tuples: Tuples


class Growing(NamedTuple):
    """State of the neighbourhood that grows."""

    near: Longs  # [KNOWN, axes]: see `gathering`
    held: Ints  # [axes, k + 1]: the different codes in it
    cursor: Longs  # [tuples]: where the next row of each tuple stands
    joined: Longs  # [k]: the tuples of its rows
    room: Ints  # [values]: how often each sensitive value may still occur
    queue: Queue


@compiled
def empty_queue(most: int) -> Queue:
    """Allocate a queue for `most` items."""
    return Queue(
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
    )


@compiled
def ends_of(forest: Forest, points: Ints) -> tuple[Ints, Ints]:
    """Compute the least box around the tuples of each box of the forest.

    `points[tuple, axis]`, tuples in the order of the forest.
    """
    boxes = len(forest.start)
    axes = points.shape[1]
    lo = np.empty((boxes, axes), np.int32)
    hi = np.empty((boxes, axes), np.int32)
    for box in range(boxes - 1, -1, -1):
        left = forest.left[box]
        for axis in range(axes):
            if left < 0:
                inside = points[forest.start[box] : forest.end[box], axis]
                lo[box, axis] = inside.min()
                hi[box, axis] = inside.max()
            else:
                lo[box, axis] = min(lo[left, axis], lo[left + 1, axis])
                hi[box, axis] = max(hi[left, axis], hi[left + 1, axis])
    return lo, hi


@compiled
def grow_neighbourhoods(
    ground: Ground, room: Ints, k: int, first: int, last: int, members: Ints
) -> int:
    """Fill in the neighbourhoods of the tuples from `first` to before `last`; return -1.

    Where there are too few rows around a row, that row is returned instead. `room[value]` is how
    often a sensitive value may occur. A row of `members` that begins with -1 has yet to be filled.
    """
    tuples = ground.tuples
    count = len(tuples.starts)
    axes = tuples.codes.shape[1]
    growing = Growing(
        np.empty((KNOWN, axes), np.int64),
        np.empty((axes, k + 1), np.int32),
        np.empty(count, np.int64),
        np.empty(k, np.int64),
        room.copy(),
        empty_queue(len(ground.forest.start) + count),
    )
    for t in range(first, last):
        for at in range(tuples.starts[t], tuples.ends[t]):
            row = tuples.rows[at]
            if members[row, 0] < 0:
                growing.cursor[t] = tuples.starts[t]
                if grow(ground, growing, t, row, members[row]) < k:
                    return row
                occupy(tuples.values, growing.joined, growing.room, -1)
                share(tuples.rows[at + 1 : growing.cursor[t]], row, members)
    return -1


@compiled
def grow(ground: Ground, growing: Growing, t: int, row: int, members: Ints) -> int:
    """Grow the neighbourhood of one row of tuple t into `members`; return how many rows it has."""
    costs, forest, tuples = ground
    near, held, cursor, joined, room, queue = growing
    boxes = len(forest.start)
    waiting = 1
    changed = 0
    members[0] = row
    joined[0] = t
    occupy(tuples.values, joined[:1], room, 1)
    begin(costs, near, held, tuples.codes[t])
    queue.costs[0] = 0
    queue.rows[0] = tuples.lowest[0]
    queue.items[0] = 0
    queue.seen[0] = 0
    for size in range(1, len(members)):
        t = -1
        while t < 0:
            if not waiting:
                return size
            item = queue.items[0]
            if item >= boxes and full(tuples.values[item - boxes], room):
                waiting = leave(queue, waiting)
            elif queue.seen[0] < changed:  # weigh it again
                queue.seen[0] = changed
                low = forest.lo[item] if item < boxes else tuples.codes[item - boxes]
                high = forest.hi[item] if item < boxes else low
                sink(queue, waiting, cost_with(costs, near, held, low, high), queue.rows[0])
            elif item < boxes:
                waiting = leave(queue, waiting)
                waiting = opened(ground, growing, waiting, item, changed, row)
            else:
                t = item - boxes
        members[size] = queue.rows[0]
        joined[size] = t
        occupy(tuples.values, joined[size : size + 1], room, 1)
        changed += join(costs, near, held, tuples.codes[t])
        cursor[t] += 1
        if has_row(tuples, cursor, t, row):
            sink(queue, waiting, queue.costs[0], tuples.rows[cursor[t]])
        else:
            waiting = leave(queue, waiting)
    return len(members)


@compiled
def opened(ground: Ground, growing: Growing, waiting: int, box: int, changed: int, row: int) -> int:
    """Put the halves of a box, or its tuples, into the queue; return how many items wait."""
    costs, forest, tuples = ground
    near, held, cursor, _, room, queue = growing
    left = forest.left[box]
    if left >= 0:
        for half in range(left, left + 2):
            cost = cost_with(costs, near, held, forest.lo[half], forest.hi[half])
            waiting = enter(queue, waiting, cost, tuples.lowest[half], half, changed)
        return waiting
    for t in range(forest.start[box], forest.end[box]):
        cursor[t] = tuples.starts[t]
        if has_row(tuples, cursor, t, row) and not full(tuples.values[t], room):
            cost = cost_with(costs, near, held, tuples.codes[t], tuples.codes[t])
            item = len(forest.start) + t
            waiting = enter(queue, waiting, cost, tuples.rows[cursor[t]], item, changed)
    return waiting


@compiled
def has_row(tuples: Tuples, cursor: Longs, t: int, row: int) -> bool:
    """Tell whether a tuple has a next row, other than the one whose neighbourhood grows."""
    if cursor[t] < tuples.ends[t] and tuples.rows[cursor[t]] == row:
        cursor[t] += 1
    return bool(cursor[t] < tuples.ends[t])


@compiled
def full(values: Ints, room: Ints) -> bool:
    """Tell whether a sensitive value of a tuple has its share of the neighbourhood already."""
    spent = False
    for value in values:
        spent = spent or room[value] == 0
    return spent


@compiled
def occupy(values: Ints, joined: Longs, room: Ints, times: int) -> None:
    """Let the values of tuples take room (`times` = 1), or give it back (-1)."""
    for t in joined:
        for value in values[t]:
            room[value] -= times


@compiled
def share(others: Ints, row: int, members: Ints) -> None:
    """Give the neighbourhood of a row to others in it, each of which stands first in its own."""
    for other in others:
        for place in range(members.shape[1]):
            members[other, place] = row if members[row, place] == other else members[row, place]
        members[other, 0] = other


@compiled
def enter(queue: Queue, waiting: int, cost: int, row: int, item: int, seen: int) -> int:
    """Put an item into the queue; return how many wait."""
    costs, rows, items, when = queue
    place = waiting
    while place > 0:
        above = (place - 1) >> 1
        if costs[above] < cost or (costs[above] == cost and rows[above] <= row):
            break
        costs[place] = costs[above]
        rows[place] = rows[above]
        items[place] = items[above]
        when[place] = when[above]
        place = above
    costs[place] = cost
    rows[place] = row
    items[place] = item
    when[place] = seen
    return waiting + 1


@compiled
def leave(queue: Queue, waiting: int) -> int:
    """Remove the head of the queue; return how many wait."""
    last = waiting - 1
    queue.items[0] = queue.items[last]
    queue.seen[0] = queue.seen[last]
    sink(queue, last, queue.costs[last], queue.rows[last])
    return last


@compiled
def sink(queue: Queue, waiting: int, cost: int, row: int) -> None:
    """Give the head another cost and row, and move it to its place among those that wait."""
    costs, rows, items, when = queue
    place = 0
    item = items[0]
    seen = when[0]
    while 2 * place + 1 < waiting:
        below = 2 * place + 1
        other = 2 * place + 2
        if other < waiting and (
            costs[other] < costs[below]
            or (costs[other] == costs[below] and rows[other] < rows[below])
        ):
            below = other
        if cost < costs[below] or (cost == costs[below] and row < rows[below]):
            break
        costs[place] = costs[below]
        rows[place] = rows[below]
        items[place] = items[below]
        when[place] = when[below]
        place = below
    costs[place] = cost
    rows[place] = row
    items[place] = item
    when[place] = seen
