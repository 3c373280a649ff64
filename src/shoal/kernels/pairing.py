"""A row for every record, such that it covers the record: augmenting paths on boxes and tuples.

Each round goes through the boxes that have a row to give. Such a box gives it to a record of a tuple that it covers: one
without a row, or else one that can leave its own row to somebody else in turn. What was tried in vain is not tried again
in that round (Pothen & Fan 1990, doi:10.1145/98267.98287). A round that finds nothing is the last: no more can be served.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.covering import ONE, WORD, Words, lowest
from shoal.kernels.jit import compiled


class Supply(NamedTuple):
    """Who has what. Records are numbered tuple by tuple: those of a tuple are `records[tuple]` to `records[tuple + 1]`."""

    records: Longs
    given: Ints  # [records]: the box, or -1
    waiting: Longs  # [tuples]: records without a row
    spare: Longs  # [boxes]: rows without a record
    wanting: Words  # a bit for each tuple with a record without a row
    untried: Words  # a bit for each tuple not tried in this round
    passed: Ints  # [boxes]: the round in which a box was tried last


@compiled
def pair(bits: Words, records: Longs, rows: Longs, order: Longs) -> Ints:
    """The box of each record, -1 where none can be found; boxes are served in the order given."""
    supply = Supply(
        records,
        np.full(records[-1], -1, np.int32),
        np.diff(records),
        rows.copy(),
        np.full(bits.shape[1], ~np.uint64(0), np.uint64),
        np.full(bits.shape[1], ~np.uint64(0), np.uint64),
        np.full(len(rows), -1, np.int32),
    )
    path, moved = np.zeros(len(rows) + 1, np.int32), np.zeros(len(rows) + 1, np.int64)
    turn, better = 0, True
    while better:
        better = False
        supply.untried[:] = ~np.uint64(0)
        for box in order:
            while supply.spare[box] and _serve(bits, supply, box, turn, path, moved):
                better = True
        turn += 1
    return supply.given


@compiled
def _serve(bits: Words, supply: Supply, start: int, turn: int, path: Ints, moved: Longs) -> bool:
    """Give one row of a box away, along a path of boxes; `moved[i]` is the record that goes from path[i + 1] to path[i]."""
    path[0], depth = start, 1
    supply.passed[start] = turn
    while depth:
        box = path[depth - 1]
        tuple_ = _first(bits[box], supply.wanting)
        if tuple_ >= 0:
            _hand_over(supply, path, moved, depth, tuple_)
            return True
        record = _leaving(bits[box], supply, turn)
        if record < 0:
            depth -= 1
            continue
        moved[depth - 1] = record
        path[depth] = supply.given[record]
        supply.passed[path[depth]] = turn
        depth += 1
    return False


@compiled
def _first(bits: Words, among: Words) -> int:
    """The lowest place that is set in both, or -1."""
    for place in range(len(bits)):
        word = bits[place] & among[place]
        if word:
            return WORD * place + lowest(word)
    return -1


@compiled
def _leaving(bits: Words, supply: Supply, turn: int) -> int:
    """A record that a box covers, with a box that was not tried in this round; or -1."""
    tuple_ = _first(bits, supply.untried)
    while tuple_ >= 0:
        for record in range(supply.records[tuple_], supply.records[tuple_ + 1]):
            if supply.given[record] >= 0 and supply.passed[supply.given[record]] < turn:
                return record
        supply.untried[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
        tuple_ = _first(bits, supply.untried)
    return -1


@compiled
def _hand_over(supply: Supply, path: Ints, moved: Longs, depth: int, tuple_: int) -> None:
    """The last box of the path takes a waiting record; every other one takes the record that leaves the next."""
    for record in range(supply.records[tuple_], supply.records[tuple_ + 1]):
        if supply.given[record] < 0:
            supply.given[record] = path[depth - 1]
            break
    for step in range(depth - 1):
        supply.given[moved[step]] = path[step]
    supply.spare[path[0]] -= 1
    supply.waiting[tuple_] -= 1
    if not supply.waiting[tuple_]:
        supply.wanting[tuple_ >> 6] &= ~(ONE << np.uint64(tuple_ & 63))
