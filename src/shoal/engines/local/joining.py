"""Joining: newcomers take the box of a group that was published before, k of them at once.

    find the old boxes that hold all rows of each newcomer
    from the box that loses least on: if k newcomers who have no box yet fit into it, they take it
    everybody else waits

Fewer than k in a box would be seen by whoever subtracts the earlier release from this one.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.rows import Rows
from shoal.kernels.attacks import reach
from shoal.kernels.costs import of_box
from shoal.ledger.fitting import ReadBoxes

NOWHERE = -1


def joined(rows: Rows, person: Ints, boxes: ReadBoxes, k: int) -> Ints:
    """Choose a box for each row of newcomers, or none: -1."""
    whose, box = _fitting(rows, person, boxes)
    taken = np.full(int(person.max(initial=-1)) + 1, NOWHERE, np.int32)
    starts = np.searchsorted(box, np.arange(len(boxes.first) + 1))
    for number in _from_the_least(rows, boxes, np.unique(box)):
        inside = whose[starts[number] : starts[number + 1]]
        free = inside[taken[inside] == NOWHERE]
        if len(free) >= k:
            taken[free] = number
    return taken[person]


def _fitting(rows: Rows, person: Ints, boxes: ReadBoxes) -> tuple[Longs, Longs]:
    """Pair people with boxes that hold all of their rows, sorted by box."""
    points = np.ascontiguousarray(rows.codes.T)
    reached = reach.covering_count(boxes.first, boxes.last, points, points)
    starts = np.concatenate(([0], np.cumsum(reached))).astype(np.int64)
    box = reach.covering(boxes.first, boxes.last, points, points, starts)
    width = int(person.max(initial=-1)) + 1
    keys = box.astype(np.int64) * max(width, 1) + np.repeat(person, reached)
    pairs, inside = np.unique(keys, return_counts=True)
    number, whose = np.divmod(pairs, max(width, 1))
    whole = inside == np.bincount(person, minlength=width)[whose]
    return whose[whole], number[whole]


def _from_the_least(rows: Rows, boxes: ReadBoxes, numbers: Longs) -> list[int]:
    """Order boxes by what they lose."""
    losses = [of_box(rows.costs, boxes.first[number], boxes.last[number]) for number in numbers]
    return [int(numbers[place]) for place in np.argsort(losses, kind="stable")]
