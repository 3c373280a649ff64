"""Counted: groups by the values of one sensitive column, judged block by block.

Models judge `counts[group, value]`, and a table of many groups and many different sensitive values
has more of them than memory. So groups are judged in blocks. A verdict on a group reads its own
counts and those of the whole table, which every block is told, so blocks give what all groups at
once would give. Where a column has many values and the model does not ask which ones a group lacks,
a block holds the few values of its own groups, and all others as one more that none of them has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags, Ints, Longs
from shoal.groups import Groups
from shoal.privacy.column import Column
from shoal.privacy.model import Model

BLOCK = 2**23  # cells of counts at a time: 64 MB
WORTHWHILE = 2**28  # cells beyond which measuring a model is left alone
MANY = 256  # values beyond which only those of a block are looked at
FEW = 32  # groups of such a block


@dataclass(frozen=True)
class Counted:
    """Groups, and the code of each row on a column."""

    groups: Groups
    column: Column
    codes: Ints
    # Rows of the rest of the table by value, where these rows are only a shard of it.
    elsewhere: Counts | None = None

    @classmethod
    def sizes(cls, groups: Groups) -> Counted:
        """Count rows alone: without a column every value is missing."""
        return cls(
            groups,
            Column.nothing(len(groups.labels) - groups.withheld),
            np.zeros(len(groups.labels), np.int32),
        )

    def verdicts(self, model: Model) -> Flags:
        """Tell for each group if it keeps the promise of a model."""
        blocks = [model.safe(counts, column) for counts, column in self._blocks(model)]
        return np.concatenate(blocks)[self._judged[1]] if blocks else np.zeros(0, np.bool_)

    def measured(self, model: Model) -> float | None:
        """Measure a model over all groups; None where that would take too long."""
        if not self._compact(model) and len(self._judged[0]) * (self.column.size + 1) > WORTHWHILE:
            return None
        blocks: list[AnyArray] = [
            model.measures(counts, column) for counts, column in self._blocks(model)
        ]
        return model.worst(np.concatenate(blocks) if blocks else np.zeros(0))

    @cached_property
    def _judged(self) -> tuple[Longs, Longs]:
        """The groups that are judged, and for each group the place of the one that stands for it.

        Of groups of one row with equal values, one is judged. A raw table has hardly any others.
        """
        order, starts = self.groups.by_group
        alone = np.flatnonzero(self.groups.sizes == 1)
        _, first, place = np.unique(
            self.codes[order[starts[alone]]], return_index=True, return_inverse=True
        )
        stands_for = np.arange(self.groups.count)
        stands_for[alone] = alone[first[place]]
        judged, back = np.unique(stands_for, return_inverse=True)
        return judged, back

    def _compact(self, model: Model) -> bool:
        return self.column.size > MANY and not model.reads_absent

    def _blocks(self, model: Model) -> Iterator[tuple[Counts, Column]]:
        """Yield the counts of a block of groups, and the column with the totals of all."""
        values = self.column.size + 1
        compact = self._compact(model)
        width = FEW if compact else max(BLOCK // values, 1)
        order, starts = self.groups.by_group
        totals = np.bincount(self.codes[self.groups.labels >= 0], minlength=values)
        column = self.column.of(totals if self.elsewhere is None else totals + self.elsewhere)
        for first in range(0, len(self._judged[0]), width):
            block = self._judged[0][first : first + width]
            sizes = self.groups.sizes[block]
            within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            rows = order[np.repeat(starts[block], sizes) + within]
            codes, shown = column.only(self.codes[rows]) if compact else (self.codes[rows], column)
            flat = np.repeat(np.arange(len(block)), sizes) * (shown.size + 1) + codes
            yield (
                np.bincount(flat, minlength=len(block) * (shown.size + 1)).reshape(len(block), -1),
                shown,
            )
