"""Pieces: a partition of the different tuples of a table, in which a group may hold some of a tuple's rows.

Tuples stand in the order of their codes, so that nothing here hangs on the order of the rows; equal rows are dealt to the
pieces of their tuple in ascending order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Ints, Labels, Longs
from shoal.encode.rows import Distinct, Rows, combined


@dataclass(frozen=True)
class Pieces:
    """So many rows of a tuple in a group, for each piece; ordered by group, then tuple."""

    group: Ints
    tuple: Ints
    count: Ints
    groups: int

    @classmethod
    def of(cls, labels: Labels, tuples: Distinct) -> Pieces:
        """The pieces of groups given as a label for each row; withheld rows are in none."""
        tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
        label = labels[tuples.order].astype(np.int64)
        keys, counts = np.unique((label * len(tuples.counts) + tuple_of)[label >= 0], return_counts=True)
        group, held = np.divmod(keys, len(tuples.counts))
        return cls(group.astype(np.int32), held.astype(np.int32), counts.astype(np.int32), int(labels.max(initial=-1)) + 1)

    @classmethod
    def numbered(cls, group: Ints, held: Ints, count: Ints) -> Pieces:
        """Pieces ordered by group, whose numbers are closed up."""
        closed = np.cumsum(np.diff(group, prepend=group[:1]) > 0).astype(np.int32)
        return cls(closed, held, count, int(closed[-1]) + 1)

    @cached_property
    def starts(self) -> Longs:
        """Where the pieces of each group begin."""
        return np.searchsorted(self.group, np.arange(self.groups + 1)).astype(np.int64)

    def of_groups(self, groups: Longs) -> Pieces:
        """The pieces of some groups, numbered in the order given."""
        lengths = self.starts[groups + 1] - self.starts[groups]
        first = np.cumsum(lengths) - lengths
        at = np.arange(int(lengths.sum())) + np.repeat(self.starts[groups] - first, lengths)
        return Pieces(np.repeat(np.arange(len(groups), dtype=np.int32), lengths), self.tuple[at], self.count[at], len(groups))

    def labels(self, tuples: Distinct) -> Labels:
        """The group of each row; -1 for rows in no piece."""
        labels = np.full(len(tuples.order), -1, np.int32)
        by_tuple = np.argsort(self.tuple, kind="stable")
        dealt = np.repeat(self.group[by_tuple], self.count[by_tuple])
        held = np.bincount(self.tuple, self.count, minlength=len(tuples.counts)).astype(np.int64)
        before = np.cumsum(held) - held
        places = np.arange(len(dealt)) + np.repeat(tuples.starts[:-1] - before, held)
        labels[tuples.order[places]] = dealt
        return labels


def ordered(rows: Rows) -> Distinct:
    """The different tuples of a table in the order of their codes, first axis first."""
    tuples = rows.distinct
    rank = np.argsort(combined(tuples.codes, [axis.size + 1 for axis in rows.axes]), kind="stable")
    counts = tuples.counts[rank]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    places = np.arange(len(tuples.order)) + np.repeat(tuples.starts[rank] - starts[:-1], counts)
    return Distinct(np.ascontiguousarray(tuples.codes[:, rank]), tuples.order[places], starts)
