"""Pieces: a partition of the different tuples of a table; a group may hold some rows of a tuple."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import AnyArray, Flags, Ints, Labels, Longs
from shoal.encode.rows import Distinct, Rows, combined
from shoal.kernels.costs import Costs, boxes
from shoal.kernels.partition.repair import weigh


@dataclass(frozen=True)
class Pieces:
    """Pieces: for each, rows of a tuple in a group; ordered by group, then tuple."""

    group: Ints
    held: Ints  # the tuple
    count: Ints
    groups: int

    @classmethod
    def of(cls, labels: Labels, tuple_of: AnyArray, tuples: int) -> Pieces:
        """Build the pieces of groups given as a label and a tuple for each row.

        Withheld rows are in none.
        """
        kept = labels >= 0
        keys, counts = np.unique(
            labels[kept].astype(np.int64) * tuples + tuple_of[kept], return_counts=True
        )
        group, held = np.divmod(keys, tuples)
        return cls.numbered(group, held, counts)

    @classmethod
    def numbered(cls, group: AnyArray, held: AnyArray, count: AnyArray) -> Pieces:
        """Build pieces that are ordered by group; group numbers are closed up."""
        closed = np.cumsum(np.diff(group, prepend=group[:1]) > 0).astype(np.int32)
        return cls(
            closed,
            held.astype(np.int32),
            count.astype(np.int32),
            int(closed[-1]) + 1 if len(closed) else 0,
        )

    @classmethod
    def together(cls, parts: list[Pieces]) -> Pieces:
        """Join the pieces of several parts, groups numbered one after the other."""
        before = np.cumsum([0] + [part.groups for part in parts])
        return cls(
            np.concatenate(
                [part.group + begin for part, begin in zip(parts, before, strict=False)]
            ).astype(np.int32),
            np.concatenate([part.held for part in parts]),
            np.concatenate([part.count for part in parts]),
            int(before[-1]),
        )

    @cached_property
    def starts(self) -> Longs:
        """List where the pieces of each group begin."""
        return np.searchsorted(self.group, np.arange(self.groups + 1)).astype(np.int64)

    def of_groups(self, groups: Longs) -> Pieces:
        """Select the pieces of some groups, numbered in the order given."""
        lengths = self.starts[groups + 1] - self.starts[groups]
        first = np.cumsum(lengths) - lengths
        at = np.arange(int(lengths.sum())) + np.repeat(self.starts[groups] - first, lengths)
        return Pieces(
            np.repeat(np.arange(len(groups), dtype=np.int32), lengths),
            self.held[at],
            self.count[at],
            len(groups),
        )

    def labels(self, tuples: Distinct, rows: int) -> Labels:
        """Label each row with its group; -1 for rows that no tuple holds."""
        by_tuple = np.argsort(self.held, kind="stable")
        labels = np.full(rows, -1, np.int32)
        labels[tuples.order] = np.repeat(self.group[by_tuple], self.count[by_tuple])
        return labels

    def boxes(self, codes: Ints) -> tuple[Ints, Ints]:
        """Compute the least box of each group: lo[axis, group] and hi[axis, group].

        The result is kept: every round asks for it more than once.
        """
        of, known = self.__dict__.get("_boxes", (None, None))
        if of is not codes:
            known = boxes(np.ascontiguousarray(codes[:, self.held]), self.group, self.groups)
            self.__dict__["_boxes"] = codes, known
        return known

    def loss(self, costs: Costs, codes: Ints, worth: Ints | None = None) -> int:
        """Sum over groups what the rows are worth times the cost of the box, in integers.

        Rows are worth 1 each unless told.
        """
        lo, hi = (np.ascontiguousarray(ends.T) for ends in self.boxes(codes))
        each = self.count if worth is None else self.count * worth[self.held]
        weights = np.bincount(self.group, each, minlength=self.groups).astype(np.int64)
        return int(weigh(costs, lo, hi, weights).sum())


def ordered(rows: Rows, *, apart: bool = False) -> Distinct:
    """List the different tuples of a table in the order of their codes, first axis first.

    `apart` keeps rows of different sensitive values apart, for guards that look at them: then all
    rows of a tuple are alike.
    """
    return rows.remembered(("ordered", apart), lambda: _ordered(rows, apart=apart))


def _ordered(rows: Rows, *, apart: bool) -> Distinct:
    """Sort the tuples of a table."""
    sizes = [axis.size + 1 for axis in rows.axes]
    tuples = rows.distinct
    if apart and rows.sensitive:
        beside = [column.codes for column in rows.sensitive]
        codes = np.concatenate((rows.codes, beside)).astype(np.int32)
        sizes += [column.size + 1 for column in rows.sensitive]
        tuples = Distinct.of(codes, sizes)
    rank = np.argsort(combined(tuples.codes, sizes), kind="stable")
    counts = tuples.counts[rank]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    places = np.arange(len(tuples.order)) + np.repeat(tuples.starts[rank] - starts[:-1], counts)
    return Distinct(
        np.ascontiguousarray(tuples.codes[: len(rows.axes), rank]), tuples.order[places], starts
    )


def without(tuples: Distinct, gone: Flags) -> Distinct:
    """Leave some rows out of the tuples."""
    stay = ~gone[tuples.order]
    return Distinct(
        tuples.codes,
        tuples.order[stay],
        np.concatenate(([0], np.cumsum(stay)))[tuples.starts].astype(np.int64),
    )
