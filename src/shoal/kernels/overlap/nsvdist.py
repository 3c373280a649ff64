"""Neighbourhoods that grow one row at a time, in integers: for every row the k rows that NSVDist
puts around it.

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
    """Different tuples in the order of a forest; the rows of tuple t are `rows[starts[t]:ends[t]]`,
    ascending.
    """

    codes: Ints  # [tuples, axes]
    # [tuples, columns]: sensitive values, numbered through all columns in which they are bounded
    values: Ints
    rows: Ints
    starts: Longs
    ends: Longs
    lowest: Ints  # [boxes]: the lowest row in each box


class Queue(NamedTuple):
    """What may join, a binary heap by cost and row; an item below the number of boxes is a box, the
    others are tuples.
    """

    costs: Longs  # of the neighbourhood with it
    rows: Ints  # its lowest row
    items: Ints
    seen: Ints  # how often the neighbourhood had changed when the cost was worked out


@compiled
def empty_queue(most: int) -> Queue:
    """Room for so many items."""
    return Queue(
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
    )


@compiled
def ends_of(forest: Forest, points: Ints) -> tuple[Ints, Ints]:
    """The least box around the tuples of each box, from `points[tuple, axis]`, tuples in the order
    of the forest.
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
    costs: Costs,
    forest: Forest,
    tuples: Tuples,
    room: Ints,
    k: int,
    first: int,
    last: int,
    members: Ints,
) -> int:
    """Fill in the neighbourhoods of the tuples from `first` to before `last`; a row around which
    there are too few, or -1.

    `room[value]` is how often a sensitive value may occur. A row of `members` of -1 has yet to be
    found.
    """
    count = len(tuples.starts)
    axes = tuples.codes.shape[1]
    near = np.empty((KNOWN, axes), np.int64)
    held = np.empty((axes, k + 1), np.int32)
    queue = empty_queue(len(forest.start) + count)
    cursor = np.empty(count, np.int64)
    joined = np.empty(k, np.int64)
    room = room.copy()
    for t in range(first, last):
        for at in range(tuples.starts[t], tuples.ends[t]):
            row = tuples.rows[at]
            if members[row, 0] < 0:
                cursor[t] = tuples.starts[t]
                size = grow(
                    costs,
                    forest,
                    tuples,
                    queue,
                    near,
                    held,
                    cursor,
                    joined,
                    room,
                    t,
                    row,
                    members[row],
                )
                if size < k:
                    return row
                occupy(tuples.values, joined, room, -1)
                share(tuples.rows[at + 1 : cursor[t]], row, members)
    return -1


@compiled
def grow(
    costs: Costs,
    forest: Forest,
    tuples: Tuples,
    queue: Queue,
    near: Longs,
    held: Ints,
    cursor: Longs,
    joined: Longs,
    room: Ints,
    t: int,
    row: int,
    members: Ints,
) -> int:
    """The neighbourhood of one row of tuple t; how many rows it reached."""
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
                waiting = opened(
                    costs,
                    forest,
                    tuples,
                    queue,
                    waiting,
                    item,
                    near,
                    held,
                    cursor,
                    room,
                    changed,
                    row,
                )
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
def opened(
    costs: Costs,
    forest: Forest,
    tuples: Tuples,
    queue: Queue,
    waiting: int,
    box: int,
    near: Longs,
    held: Ints,
    cursor: Longs,
    room: Ints,
    changed: int,
    row: int,
) -> int:
    """The halves of a box, or its tuples, enter the queue; how many items wait now."""
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
            waiting = enter(
                queue, waiting, cost, tuples.rows[cursor[t]], len(forest.start) + t, changed
            )
    return waiting


@compiled
def has_row(tuples: Tuples, cursor: Longs, t: int, row: int) -> bool:
    """Whether a tuple has a next row; the one in the middle of the neighbourhood is passed over."""
    if cursor[t] < tuples.ends[t] and tuples.rows[cursor[t]] == row:
        cursor[t] += 1
    return bool(cursor[t] < tuples.ends[t])


@compiled
def full(values: Ints, room: Ints) -> bool:
    """Whether one of the sensitive values of a tuple has its share of the neighbourhood already."""
    spent = False
    for value in values:
        spent = spent or room[value] == 0
    return spent


@compiled
def occupy(values: Ints, joined: Longs, room: Ints, times: int) -> None:
    """Let the values of tuples take room, or give it back."""
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
    """One more item; how many wait now."""
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
    """The head is gone; how many wait now."""
    last = waiting - 1
    queue.items[0], queue.seen[0] = queue.items[last], queue.seen[last]
    sink(queue, last, queue.costs[last], queue.rows[last])
    return last


@compiled
def sink(queue: Queue, waiting: int, cost: int, row: int) -> None:
    """The head gets another cost and row, and its place among those that wait."""
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
