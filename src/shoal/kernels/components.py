"""Which pairs of a record and a row can belong together: strongly connected components (Tarjan 1972, doi:10.1137/0201010).

Take one way to give every record a row that covers it. Let a box lead to all tuples that it covers, and a tuple to all
boxes that its records were given. A covered pair is part of some such way if and only if both lie in one component
(Tassa 2012, doi:10.1016/j.tcs.2011.12.071): going round, everybody hands on a row, and all have one again.
The graph is walked over bits, with a stack of its own: O(pairs), and no pair is ever stored twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.covering import ONE, WORD, Words, lowest
from shoal.kernels.jit import compiled


class Walk(NamedTuple):
    """Where the walk is: nodes are boxes, then tuples. `undone` holds a bit for each tuple without a component."""

    number: Ints  # in the order of their first visit, -1 before
    low: Ints  # the least number that a node leads back to
    component: Ints  # -1 while unknown
    place: Longs  # of each node: the word, or the partner, that comes next
    rest: Words  # of each box: what is left of its word
    path: Ints
    stack: Ints
    undone: Words


@compiled
def components(bits: Words, starts: Longs, partners: Ints) -> tuple[Ints, Ints]:
    """The component of each box and of each tuple; tuple t was given the boxes `partners[starts[t]:starts[t + 1]]`."""
    boxes, total = bits.shape[0], bits.shape[0] + len(starts) - 1
    walk = Walk(
        np.full(total, -1, np.int32),
        np.zeros(total, np.int32),
        np.full(total, -1, np.int32),
        np.zeros(total, np.int64),
        np.zeros(boxes, np.uint64),
        np.zeros(total, np.int32),
        np.zeros(total, np.int32),
        np.full(bits.shape[1], ~np.uint64(0), np.uint64),
    )
    visited = found = held = 0
    for root in range(total):
        depth = 0
        if walk.number[root] < 0:
            walk.path[0], depth = root, 1
        while depth:
            node = walk.path[depth - 1]
            if walk.number[node] < 0:
                _enter(walk, bits, starts, node, visited, held)
                visited, held = visited + 1, held + 1
            ahead = _next(walk, bits, starts, partners, node)
            if ahead >= 0 and walk.number[ahead] < 0:
                walk.path[depth] = ahead
                depth += 1
            elif ahead >= 0:
                walk.low[node] = min(walk.low[node], walk.number[ahead])
            else:
                depth -= 1
                if depth:
                    above = walk.path[depth - 1]
                    walk.low[above] = min(walk.low[above], walk.low[node])
                if walk.low[node] == walk.number[node]:
                    held = _close(walk, boxes, node, held, found)
                    found += 1
    return walk.component[:boxes], walk.component[boxes:]


@compiled
def _enter(walk: Walk, bits: Words, starts: Longs, node: int, visited: int, held: int) -> None:
    walk.number[node] = walk.low[node] = visited
    walk.stack[held] = node
    if node < bits.shape[0]:
        walk.rest[node] = bits[node, 0] & walk.undone[0]
    else:
        walk.place[node] = starts[node - bits.shape[0]]


@compiled
def _next(walk: Walk, bits: Words, starts: Longs, partners: Ints, node: int) -> int:
    """The next node without a component that this one leads to, or -1."""
    boxes = bits.shape[0]
    if node >= boxes:
        while walk.place[node] < starts[node - boxes + 1]:
            ahead = partners[walk.place[node]]
            walk.place[node] += 1
            if walk.component[ahead] < 0:
                return ahead
        return -1
    while True:
        while walk.rest[node]:
            ahead = boxes + WORD * walk.place[node] + lowest(walk.rest[node])
            walk.rest[node] &= walk.rest[node] - ONE
            if walk.component[ahead] < 0:
                return ahead
        walk.place[node] += 1
        if walk.place[node] >= bits.shape[1]:
            return -1
        walk.rest[node] = bits[node, walk.place[node]] & walk.undone[walk.place[node]]


@compiled
def _close(walk: Walk, boxes: int, node: int, held: int, found: int) -> int:
    """All that was visited since this node is one component; how many nodes still wait for theirs."""
    while True:
        held -= 1
        member = walk.stack[held]
        walk.component[member] = found
        if member >= boxes:
            tuple_ = member - boxes
            walk.undone[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
        if member == node:
            return held
