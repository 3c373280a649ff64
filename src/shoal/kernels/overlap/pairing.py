"""A covering row for every record: shortest augmenting paths on boxes and tuples.

A box with a row to give gives it to a record of a tuple that it covers: one without a row, or else
one that can leave its own row to somebody else in turn. Each round finds out in how many such steps
boxes can be reached, goes along shortest paths only, and tries nothing twice (Hopcroft & Karp 1973,
doi:10.1137/0202019). Where no path is left, no more can be served.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.jit import compiled
from shoal.kernels.overlap.covering import ONE, WORD, Words, lowest

LAYERS = 256  # steps that are told apart; whatever is farther away counts as one more


class Supply(NamedTuple):
    """Rows that boxes have to give, and records that were given one.

    Records are numbered tuple by tuple: those of a tuple are `records[tuple]` to `records[tuple +
    1]`.
    """

    records: Longs
    given: Ints  # [records]: the box, or -1
    waiting: Longs  # [tuples]: records without a row
    spare: Longs  # [boxes]: rows without a record
    wanting: Words  # a bit for each tuple with a record without a row
    layer: Ints  # [boxes]: in how many steps it is reached in this round, -1 for never or no longer
    # [layers, words]: a bit for each tuple first reached from boxes of that layer, and not tried
    # yet
    reached: Words


@compiled
def pair(bits: Words, records: Longs, rows: Longs, order: Longs) -> Ints:
    """Give each record a box that covers it, -1 where none can be found.

    Boxes are served in the order given.
    """
    supply = Supply(
        records,
        np.full(records[-1], -1, np.int32),
        np.diff(records),
        rows.copy(),
        np.full(bits.shape[1], ~np.uint64(0), np.uint64),
        np.zeros(len(rows), np.int32),
        np.zeros((LAYERS + 1, bits.shape[1]), np.uint64),
    )
    path = np.zeros(len(rows) + 1, np.int32)
    moved = np.zeros(len(rows) + 1, np.int64)
    while _reach(bits, supply, path):
        for box in order:
            while (
                supply.spare[box]
                and supply.layer[box] == 0
                and _serve(bits, supply, box, path, moved)
            ):
                pass
    return supply.given


@compiled
def _reach(bits: Words, supply: Supply, queue: Ints) -> bool:
    """Fill in the layers of boxes, those with rows to give first.

    Tells whether a record without a row was reached.
    """
    unseen = np.full(bits.shape[1], ~np.uint64(0), np.uint64)
    supply.reached[:] = 0
    first = 0
    last = 0
    wanted = False
    for box in range(len(supply.layer)):
        supply.layer[box] = 0 if supply.spare[box] else -1
        if supply.spare[box]:
            queue[last] = box
            last += 1
    while first < last:
        box = queue[first]
        layer = supply.layer[queue[first]]
        first += 1
        for place in range(bits.shape[1]):
            wanted = wanted or bits[box, place] & supply.wanting[place] != 0
            word = bits[box, place] & unseen[place]
            unseen[place] &= ~word
            supply.reached[min(layer, LAYERS), place] |= word
            while word:
                tuple_ = WORD * place + lowest(word)
                word &= word - ONE
                for record in range(supply.records[tuple_], supply.records[tuple_ + 1]):
                    other = supply.given[record]
                    if other >= 0 and supply.layer[other] < 0:
                        supply.layer[other] = layer + 1
                        queue[last] = other
                        last += 1
    return wanted


@compiled
def _serve(bits: Words, supply: Supply, start: int, path: Ints, moved: Longs) -> bool:
    """Give one row of a box away, along a path of boxes; tell whether a path was found.

    `moved[i]` is the record that goes from path[i + 1] to path[i].
    """
    path[0] = start
    depth = 1
    while depth:
        box = path[depth - 1]
        tuple_ = _first(bits[box], supply.wanting)
        if tuple_ >= 0:
            _hand_over(supply, path, moved, depth, tuple_)
            return True
        record = _leaving(bits[box], supply, supply.layer[box])
        if record < 0:
            supply.layer[box] = -1  # in vain, for this round
            depth -= 1
            continue
        moved[depth - 1] = record
        path[depth] = supply.given[record]
        depth += 1
    return False


@compiled
def _first(bits: Words, among: Words) -> int:
    """Find the lowest place that is set in both words, or -1."""
    for place in range(len(bits)):
        word = bits[place] & among[place]
        if word:
            return WORD * place + lowest(word)
    return -1


@compiled
def _leaving(bits: Words, supply: Supply, layer: int) -> int:
    """Find a record that a box covers, with a box one step farther away; or -1."""
    among = supply.reached[min(layer, LAYERS)]
    tuple_ = _first(bits, among)
    while tuple_ >= 0:
        for record in range(supply.records[tuple_], supply.records[tuple_ + 1]):
            if supply.given[record] >= 0 and supply.layer[supply.given[record]] > layer:
                return record
        among[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
        tuple_ = _first(bits, among)
    return -1


@compiled
def _hand_over(supply: Supply, path: Ints, moved: Longs, depth: int, tuple_: int) -> None:
    """Move the records along a path: each box takes the record that leaves the next one.

    The last box takes a record of the tuple that waits.
    """
    for record in range(supply.records[tuple_], supply.records[tuple_ + 1]):
        if supply.given[record] < 0:
            supply.given[record] = path[depth - 1]
            break
    for step in range(depth - 1):
        supply.given[moved[step]] = path[step]
    for step in range(1, depth):
        supply.layer[path[step]] = -1  # on one path only, in this round
    supply.spare[path[0]] -= 1
    supply.waiting[tuple_] -= 1
    if not supply.waiting[tuple_]:
        supply.wanting[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
