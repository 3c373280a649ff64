"""Neighbourhoods that grow one row at a time, in integers: for every row the k rows that NSVDist puts around it.

Tuples stand in a binary tree of boxes (see neighbours). A growth walks it cheapest first: a queue holds boxes and tuples by
the least that they can make the neighbourhood cost, then by their lowest row. What is at its head is opened if it is a box,
and joins if it is a tuple. A neighbourhood only grows, and with it all costs: so what was put into the queue earlier stands
too far ahead if anything, and is weighed again when its turn comes, which is never for most of the table. For the same
reason a tuple whose sensitive value has its share is dropped for good.

Two rows of one tuple, the lower of which has the other in its neighbourhood, have the same neighbourhood: they can't be
told apart by cost or by value, and each is free to the other until it has joined. So it is copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled
from shoal.kernels.neighbours import Forest

ROW = 32  # bits of a key that hold a row; the cost stands above them
LOWEST = (1 << ROW) - 1


class Tuples(NamedTuple):
    """Different tuples in the order of a forest; the rows of tuple t are `rows[starts[t]:ends[t]]`, ascending."""

    codes: Ints  # [tuples, axes]
    values: Ints  # [tuples, columns]: sensitive values, numbered through all columns in which they are bounded
    rows: Ints
    starts: Longs
    ends: Longs
    lowest: Ints  # [boxes]: the lowest row in each box


class Queue(NamedTuple):
    """What may join, a binary heap by key; an item below the number of boxes is a box, the others are tuples."""

    keys: Longs  # the cost of the neighbourhood with it, then its lowest row
    items: Ints
    seen: Ints  # how often the neighbourhood had widened when the key was worked out


@compiled
def lowest_rows(forest: Forest, first: Ints) -> Ints:
    """The lowest row in each box, from the first row of each tuple."""
    lowest = np.empty(len(forest.start), np.int32)
    for box in range(len(lowest) - 1, -1, -1):
        left = forest.left[box]
        if left < 0:
            lowest[box] = first[forest.start[box] : forest.end[box]].min()
        else:
            lowest[box] = min(lowest[left], lowest[left + 1])
    return lowest


@compiled
def grow_neighbourhoods(
    costs: Costs, forest: Forest, tuples: Tuples, room: Ints, k: int, first: int, last: int,
    members: Ints, lo: Ints, hi: Ints,
) -> int:  # fmt: skip
    """Fill in the neighbourhoods of the tuples from `first` to before `last`; a row around which there are too few, or -1.

    `room[value]` is how often a sensitive value may occur. A row of `members` of -1 has yet to be found.
    """
    boxes, count = len(forest.start), len(tuples.starts)
    queue = Queue(np.empty(boxes + count, np.int64), np.empty(boxes + count, np.int32), np.empty(boxes + count, np.int32))
    cursor, joined, room = np.empty(count, np.int64), np.empty(k, np.int64), room.copy()
    for t in range(first, last):
        for at in range(tuples.starts[t], tuples.ends[t]):
            row = tuples.rows[at]
            if members[row, 0] < 0:
                cursor[t] = tuples.starts[t]
                size = grow(costs, forest, tuples, queue, cursor, joined, room, t, row, members[row], lo[row], hi[row])
                if size < k:
                    return row
                occupy(tuples.values, joined, room, -1)
                share(tuples.rows[at + 1 : cursor[t]], row, members, lo, hi)
    return -1


@compiled
def grow(
    costs: Costs, forest: Forest, tuples: Tuples, queue: Queue, cursor: Longs, joined: Longs, room: Ints,
    t: int, row: int, members: Ints, lo: Ints, hi: Ints,
) -> int:  # fmt: skip
    """The neighbourhood of one row of tuple t; how many rows it reached."""
    boxes, waiting, widened = len(forest.start), 1, 0
    members[0], joined[0], lo[:], hi[:] = row, t, tuples.codes[t], tuples.codes[t]
    occupy(tuples.values, joined[:1], room, 1)
    here = np.empty(len(lo), np.int64)  # the cost of the neighbourhood on each axis
    for axis in range(len(lo)):
        here[axis] = between(costs, axis, lo[axis], hi[axis])
    queue.keys[0], queue.items[0], queue.seen[0] = tuples.lowest[0], 0, 0
    for size in range(1, len(members)):
        key, t = 0, -1
        while t < 0:
            if not waiting:
                return size
            key, item = queue.keys[0], queue.items[0]
            if item >= boxes and full(tuples.values[item - boxes], room):
                waiting = leave(queue, waiting)
            elif queue.seen[0] < widened:  # weigh it again
                queue.seen[0] = widened
                low = forest.lo[item] if item < boxes else tuples.codes[item - boxes]
                high = forest.hi[item] if item < boxes else low
                sink(queue, waiting, (cost_with(costs, lo, hi, here, low, high) << ROW) | (key & LOWEST))
            elif item < boxes:
                waiting = leave(queue, waiting)
                waiting = opened(costs, forest, tuples, queue, waiting, item, cursor, room, widened, row, lo, hi, here)
            else:
                t = item - boxes
        members[size], joined[size] = key & LOWEST, t
        occupy(tuples.values, joined[size : size + 1], room, 1)
        widened += widen(costs, lo, hi, here, tuples.codes[t])
        cursor[t] += 1
        if has_row(tuples, cursor, t, row):
            sink(queue, waiting, (key >> ROW << ROW) | tuples.rows[cursor[t]])
        else:
            waiting = leave(queue, waiting)
    return len(members)


@compiled
def opened(
    costs: Costs, forest: Forest, tuples: Tuples, queue: Queue, waiting: int, box: int, cursor: Longs, room: Ints,
    widened: int, row: int, lo: Ints, hi: Ints, here: Longs,
) -> int:  # fmt: skip
    """The halves of a box, or its tuples, enter the queue; how many items wait now."""
    left = forest.left[box]
    if left >= 0:
        for half in range(left, left + 2):
            cost = cost_with(costs, lo, hi, here, forest.lo[half], forest.hi[half])
            waiting = enter(queue, waiting, (cost << ROW) | tuples.lowest[half], half, widened)
        return waiting
    for t in range(forest.start[box], forest.end[box]):
        cursor[t] = tuples.starts[t]
        if has_row(tuples, cursor, t, row) and not full(tuples.values[t], room):
            cost = cost_with(costs, lo, hi, here, tuples.codes[t], tuples.codes[t])
            waiting = enter(queue, waiting, (cost << ROW) | tuples.rows[cursor[t]], len(forest.start) + t, widened)
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
def cost_with(costs: Costs, lo: Ints, hi: Ints, here: Longs, low: Ints, high: Ints) -> int:
    """The least cost of the neighbourhood after something between two corners has joined it."""
    total = 0
    for axis in range(len(lo)):
        if low[axis] > hi[axis]:
            total += between(costs, axis, lo[axis], low[axis])
        elif high[axis] < lo[axis]:
            total += between(costs, axis, high[axis], hi[axis])
        else:
            total += int(here[axis])
    return total


@compiled
def widen(costs: Costs, lo: Ints, hi: Ints, here: Longs, point: Ints) -> bool:
    """Let a point join; say whether it stood outside."""
    outside = False
    for axis in range(len(lo)):
        if not lo[axis] <= point[axis] <= hi[axis]:
            lo[axis], hi[axis] = min(lo[axis], point[axis]), max(hi[axis], point[axis])
            here[axis] = between(costs, axis, lo[axis], hi[axis])
            outside = True
    return outside


@compiled
def share(others: Ints, row: int, members: Ints, lo: Ints, hi: Ints) -> None:
    """Give the neighbourhood of a row to others in it, each of which stands first in its own."""
    for other in others:
        for place in range(members.shape[1]):
            members[other, place] = row if members[row, place] == other else members[row, place]
        members[other, 0], lo[other], hi[other] = other, lo[row], hi[row]


@compiled
def enter(queue: Queue, waiting: int, key: int, item: int, seen: int) -> int:
    """One more item; how many wait now."""
    place = waiting
    while place > 0 and queue.keys[(place - 1) >> 1] > key:
        above = (place - 1) >> 1
        queue.keys[place], queue.items[place], queue.seen[place] = queue.keys[above], queue.items[above], queue.seen[above]
        place = above
    queue.keys[place], queue.items[place], queue.seen[place] = key, item, seen
    return waiting + 1


@compiled
def leave(queue: Queue, waiting: int) -> int:
    """The head is gone; how many wait now."""
    last = waiting - 1
    queue.items[0], queue.seen[0] = queue.items[last], queue.seen[last]
    sink(queue, last, queue.keys[last])
    return last


@compiled
def sink(queue: Queue, waiting: int, key: int) -> None:
    """The head gets another key, and its place among those that wait."""
    place, item, seen = 0, queue.items[0], queue.seen[0]
    while True:
        below = 2 * place + 1
        if below + 1 < waiting and queue.keys[below + 1] < queue.keys[below]:
            below += 1
        if below >= waiting or queue.keys[below] >= key:
            break
        queue.keys[place], queue.items[place], queue.seen[place] = queue.keys[below], queue.items[below], queue.seen[below]
        place = below
    queue.keys[place], queue.items[place], queue.seen[place] = key, item, seen
