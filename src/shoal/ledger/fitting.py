"""Fitting: how many people could stand in all boxes of a person, for who can't recognise rows.

The attacker has a list of everybody with their values, and knows who is in which release:

    fitting(p) = people of the new release who were in every release that p was in, and whose values
                 lie in the box of the group of p in each of them

Never fewer than the company of p, whose members stand in these boxes; values that changed since are
the exception, so the larger number counts. Boxes are read from published cells on the axes of the
new table. A cell that can't be read there holds nobody, so that the company is left.

Releases with other columns are no special case: an axis that a release does not have holds
everybody. Presence is one more axis for each release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints, Longs
from shoal.encode.axes import Axis
from shoal.kernels.attacks import reach
from shoal.ledger.company import ABSENT
from shoal.ledger.described import Described
from shoal.ledger.past import Joined
from shoal.recode.reading import lacking, printed, runs

PART = 20_000  # rows that are looked at together: pairs of these and boxes fit into memory


@dataclass(frozen=True)
class ReadBoxes:
    """Boxes on the axes of a table: from `first[box, axis]` to `last[box, axis]`."""

    first: Ints
    last: Ints

    def within(self, other: ReadBoxes) -> ReadBoxes:
        """Intersect boxes one by one."""
        first = np.maximum(self.first, other.first)
        return ReadBoxes(first, np.minimum(self.last, other.last))


def fitting(joined: Joined, described: Described, people: Longs) -> Longs:
    """Count who could stand in all boxes of each of some people of the new release."""
    box = _everything(described, len(people))
    for release, cells in enumerate(joined.cells()):
        groups = joined.labels[release, people]
        inside = np.flatnonzero(groups != ABSENT)
        read = boxes_read(cells.take(pa.array(groups[inside])), described.columns.axes)
        here = ReadBoxes(box.first[inside], box.last[inside]).within(read)
        box.first[inside] = here.first
        box.last[inside] = here.last
    present = (joined.labels[:-1] != ABSENT).T.astype(np.int32)
    wanted = present[people]
    first = np.concatenate([box.first, wanted], axis=1)
    last = np.concatenate([box.last, np.ones_like(wanted)], axis=1)
    who = joined.who[described.of]
    points = np.concatenate([described.columns.codes.T, present[who]], axis=1)
    return _inside(ReadBoxes(first, last), np.ascontiguousarray(points), who)


def _everything(described: Described, count: int) -> ReadBoxes:
    """Give boxes that hold every value, and missing ones."""
    sizes = np.array([axis.size for axis in described.columns.axes], np.int32)
    return ReadBoxes(np.zeros((count, len(sizes)), np.int32), np.tile(sizes, (count, 1)))


def boxes_read(cells: pa.Table, axes: tuple[Axis, ...]) -> ReadBoxes:
    """Read published cells on axes; a column that a release does not have holds everything."""
    first = np.zeros((cells.num_rows, len(axes)), np.int32)
    last = np.tile(np.array([axis.size for axis in axes], np.int32), (cells.num_rows, 1))
    for place, axis in enumerate(axes):
        if lacking(cells, [axis.name]):
            continue
        column = printed(cells, axis.name)
        covered = runs(axis, column.cells)
        first[:, place] = covered.first[column.cell]
        last[:, place] = covered.last[column.cell]
    return ReadBoxes(first, last)


def _inside(boxes: ReadBoxes, points: Ints, who: Longs) -> Longs:
    """Count the different people whose points lie in each box."""
    pairs = []
    several = len(np.unique(who)) < len(who)
    counts = np.zeros(len(boxes.first), np.int64)
    for start in range(0, len(points), PART):
        part = points[start : start + PART]
        reached = reach.covering_count(boxes.first, boxes.last, part, part)
        starts = np.concatenate(([0], np.cumsum(reached))).astype(np.int64)
        box = reach.covering(boxes.first, boxes.last, part, part, starts)
        counts += np.bincount(box, minlength=len(counts))
        if several:
            person = np.repeat(who[start : start + PART], reached)
            pairs.append(np.unique(np.stack([box, person]), axis=1))
    if several:
        different = np.unique(np.concatenate(pairs, axis=1), axis=1)
        counts = np.bincount(different[0], minlength=len(counts)).astype(np.int64)
    return counts
