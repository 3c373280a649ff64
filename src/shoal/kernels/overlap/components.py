"""Pairs of a record and a row that can belong together: strongly connected components.

After Sharir (1981, doi:10.1016/0898-1221(81)90008-0).

Take one way to give every record a row that covers it. Let a box lead to all tuples that it covers,
and a tuple to all boxes that its records were given. A covered pair is part of some such way if and
only if both lie in one component (Tassa 2012, doi:10.1016/j.tcs.2011.12.071): going round,
everybody hands on a row, and all have one again.

All nodes are visited depth first and noted when they are left; from the last one backwards,
whatever leads to a node and has no component yet has the same one. Both times a word of bits shows
which tuples or boxes are still new, so a step costs a word and not a pair: O(boxes x tuples / 64),
and a bit for each pair to see it from the other side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Ints, Longs
from shoal.kernels.jit import compiled
from shoal.kernels.overlap.covering import ONE, WORD, Words, lowest, turned


class Graph(NamedTuple):
    """Boxes that lead to the tuples they cover, and tuples that lead to the boxes they were given.

    Nodes are boxes, then tuples; tuple t was given the boxes `partners[starts[t]:starts[t + 1]]`.
    """

    bits: Words  # [boxes, words of tuples]
    starts: Longs
    partners: Ints


class Visit(NamedTuple):
    """State of a visit of all nodes, depth first."""

    place: Longs  # [nodes]: the word, or the partner, to look at next
    entered: Flags  # [nodes]
    new: Words  # a bit for each tuple that has not been entered yet


@compiled
def components(bits: Words, starts: Longs, partners: Ints) -> tuple[Ints, Ints]:
    """Number the components of a graph; return that of each box and that of each tuple.

    Bits, starts and partners are those of a `Graph`.
    """
    boxes = bits.shape[0]
    tuples = len(starts) - 1
    left = _in_order_of_leaving(Graph(bits, starts, partners))
    covering = turned(bits, np.arange(boxes + 1), tuples)
    back, back_starts = _reversed(starts, partners, boxes)
    component = np.full(boxes + tuples, -1, np.int32)
    stack = np.zeros(boxes + tuples, np.int64)
    new = np.full(covering.shape[1], ~np.uint64(0), np.uint64)  # boxes without a component
    count = 0
    for root in left[::-1]:
        if component[root] >= 0:
            continue
        component[root] = count
        stack[0] = root
        waiting = 1
        while waiting:
            waiting -= 1
            node = stack[waiting]
            if node < boxes:  # tuples that were given the box lead to it
                new[node >> 6] &= ~(ONE << np.uint64(node & 63))
                for place in range(back_starts[node], back_starts[node + 1]):
                    if component[boxes + back[place]] < 0:
                        component[boxes + back[place]] = count
                        stack[waiting] = boxes + back[place]
                        waiting += 1
            else:  # boxes that cover the tuple lead to it
                for place in range(covering.shape[1]):
                    word = covering[node - boxes, place] & new[place]
                    new[place] &= ~word
                    while word:
                        box = WORD * place + lowest(word)
                        word &= word - ONE
                        if component[box] < 0:
                            component[box] = count
                            stack[waiting] = box
                            waiting += 1
        count += 1
    return component[:boxes], component[boxes:]


@compiled
def _reversed(starts: Longs, partners: Ints, boxes: int) -> tuple[Ints, Longs]:
    """List the tuples that were given each box: `back[back_starts[box]:back_starts[box + 1]]`."""
    back = np.zeros(len(partners), np.int32)
    back_starts = np.zeros(boxes + 2, np.int64)
    for box in partners:
        back_starts[box + 2] += 1
    back_starts = np.cumsum(back_starts)
    for tuple_ in range(len(starts) - 1):
        for place in range(starts[tuple_], starts[tuple_ + 1]):
            box = partners[place]
            back[back_starts[box + 1]] = tuple_
            back_starts[box + 1] += 1
    return back, back_starts


@compiled
def _in_order_of_leaving(graph: Graph) -> Longs:
    """List all nodes in the order in which a visit depth first leaves them."""
    boxes = graph.bits.shape[0]
    total = boxes + len(graph.starts) - 1
    order = np.zeros(total, np.int64)
    path = np.zeros(total, np.int64)
    left = 0
    depth = 0
    visit = Visit(
        np.zeros(total, np.int64),
        np.zeros(total, np.bool_),
        np.full(graph.bits.shape[1], ~np.uint64(0), np.uint64),
    )
    visit.place[boxes:] = graph.starts[:-1]
    for root in range(total):
        if visit.entered[root]:
            continue
        ahead = root
        while True:
            if ahead >= 0:
                visit.entered[ahead] = True
                if ahead >= boxes:
                    tuple_ = ahead - boxes
                    visit.new[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
                path[depth] = ahead
                depth += 1
            else:
                depth -= 1
                order[left] = path[depth]
                left += 1
                if not depth:
                    break
            ahead = _next(graph, visit, path[depth - 1])
    return order


@compiled
def _next(graph: Graph, visit: Visit, node: int) -> int:
    """Find the next node, not entered yet, that a node leads to; or -1."""
    bits, starts, partners = graph
    place, entered, new = visit
    boxes = bits.shape[0]
    if node >= boxes:
        while place[node] < starts[node - boxes + 1]:
            box = partners[place[node]]
            place[node] += 1
            if not entered[box]:
                return box
        return -1
    while place[node] < bits.shape[1]:
        word = bits[node, place[node]] & new[place[node]]
        if word:
            return boxes + WORD * place[node] + lowest(word)
        place[node] += 1
    return -1
