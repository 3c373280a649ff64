"""Cover: the published rows that cover each record, and the pairs that can belong together.

A row covers a record if its box, as published, holds the record on every axis. Records and rows
that are alike are counted together. A *match* of a record is a row that covers it and leaves the
others able to have a row each as well: an adversary who knows all quasi-identifiers can rule out
every row that is none. To find matches takes one way to give every record a row that covers it.
Whoever made the table knows one (row r belongs to record r); others look for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.arrays import AnyArray, Codes, Flags, Ints, Longs
from shoal.encode.axes import Axis
from shoal.kernels.overlap.components import components
from shoal.kernels.overlap.covering import Words, count_both, covers, keep_inside
from shoal.kernels.overlap.pairing import pair


@dataclass(frozen=True)
class Cover:
    """Different tuples and boxes, who has them, and a bit for each pair that covers or matches."""

    tuple_of: Ints  # [records]
    box_of: Ints  # [rows]
    tuples: Codes  # [axes, tuples]
    lo: Codes  # [axes, boxes]
    hi: Codes
    bits: Words  # [boxes, words of tuples]

    @classmethod
    def of(cls, codes: Codes, lo: Codes, hi: Codes) -> Cover:
        """Find the boxes that cover each record.

        Records stand at `codes[axis, record]`; row r is published as `lo[axis, r]` to `hi[axis,
        r]`, both inclusive.
        """
        tuples, tuple_of = different(codes)
        boxes, box_of = different(np.concatenate((lo, hi)))
        first, last = (np.ascontiguousarray(ends, np.int32) for ends in np.split(boxes, 2))
        return cls(tuple_of, box_of, tuples, first, last, covers(tuples, first, last))

    @cached_property
    def records(self) -> Longs:
        """The number of records of each tuple."""
        return np.bincount(self.tuple_of, minlength=self.tuples.shape[1]).astype(np.int64)

    @cached_property
    def rows(self) -> Longs:
        """The number of rows of each box."""
        return np.bincount(self.box_of, minlength=self.lo.shape[1]).astype(np.int64)

    @cached_property
    def counted(self) -> tuple[Longs, Longs]:
        """The number of records that each box covers, and of rows that cover each tuple."""
        return count_both(self.bits, self.records, self.rows)

    @property
    def covered(self) -> Longs:
        """The number of records that each row covers."""
        return self.counted[0][self.box_of]

    @property
    def covering(self) -> Longs:
        """The number of rows that cover each record."""
        return self.counted[1][self.tuple_of]

    def own(self) -> Ints:
        """Return the box of each record where row r belongs to record r."""
        return self.box_of

    def assigned(self) -> Ints:
        """Assign to each record a box that covers it, and no more records to a box than its rows.

        -1 where no box is left.
        """
        # Boxes that cover few records have little choice, so they come first.
        order = np.argsort(self.counted[0], kind="stable")
        by_tuple = np.argsort(self.tuple_of, kind="stable")
        given = np.empty(len(self.tuple_of), np.int32)
        given[by_tuple] = pair(self.bits, _starts(self.records), self.rows, order)
        return given

    def holds(self, given: Ints) -> Flags:
        """Mark records that were given a box that covers them."""
        codes = self.tuples[:, self.tuple_of]
        return (given >= 0) & ((self.lo[:, given] <= codes) & (codes <= self.hi[:, given])).all(
            axis=0
        )

    def matches(self, given: Ints) -> Matches:
        """Reduce the cover to the pairs that match.

        `given` is a box for each record, such that all can be served (see `own` and `found`).
        """
        partners = np.unique(self.tuple_of.astype(np.int64) * len(self.rows) + given)
        starts = _starts(np.bincount(partners // len(self.rows), minlength=len(self.records)))
        of_boxes, of_tuples = components(
            self.bits, starts, (partners % len(self.rows)).astype(np.int32)
        )
        bits = self.bits.copy()
        keep_inside(bits, of_boxes, of_tuples)
        return Matches(replace(self, bits=bits), of_boxes, of_tuples)


@dataclass(frozen=True)
class Matches:
    """A cover of which only matching pairs are left, and the component of each box and tuple."""

    cover: Cover
    of_boxes: Ints
    of_tuples: Ints

    @property
    def counts(self) -> Longs:
        """The number of rows that match each record."""
        return self.cover.covering


def as_published(axes: Sequence[Axis], lo: Codes, hi: Codes) -> tuple[Codes, Codes]:
    """Widen boxes to what readers see.

    On a tree these are all codes under the lowest common ancestor, and all codes where missing
    values are mixed in.
    """
    first = lo.copy()
    last = hi.copy()
    for place, axis in enumerate(axes):
        there = hi[place] < axis.size
        if axis.tree is not None and there.any():
            low, high = axis.runs
            nodes = axis.ancestors(lo[place][there], hi[place][there])
            first[place][there] = low[nodes]
            last[place][there] = high[nodes]
        mixed = ~there & (lo[place] < axis.size)
        first[place][mixed] = 0
    return first, last


def different(columns: AnyArray) -> tuple[Codes, Ints]:
    """Return the different columns of an array, ascending, and the number of each column."""
    order = np.lexsort(columns[::-1])
    ascending = columns[:, order]
    new = np.append(True, (ascending[:, 1:] != ascending[:, :-1]).any(axis=0))[: len(order)]
    number = np.empty(len(order), np.int32)
    number[order] = np.cumsum(new) - 1
    return np.ascontiguousarray(ascending[:, new], np.int32), number


def _starts(counts: AnyArray) -> Longs:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
