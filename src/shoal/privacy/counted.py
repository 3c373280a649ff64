"""Counted: groups by the values of one sensitive column, judged block by block.

Models judge `counts[group, value]`, and a table of many groups and many different sensitive values has more of them
than memory. So groups are judged in blocks, and below each block stands one row with the counts of all other
groups together: models that compare with the whole table find it complete. A verdict on a group reads its own row and
the whole table, so verdicts of blocks are exact. A measured value is the worst over blocks, which is exact for a model
that survives merging: the row of all others is then never worse than the worst among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Flags, Ints
from shoal.groups import Groups
from shoal.privacy.model import Model

BLOCK = 2**24  # cells of counts at a time: 128 MB
WORTHWHILE = 2**31  # cells beyond which measuring a model is left alone


@dataclass(frozen=True)
class Counted:
    """Groups, and the codes of a column; the last of so many values is missing. Without a column, all are missing."""

    groups: Groups
    column: str | None
    codes: Ints
    values: int

    @classmethod
    def sizes(cls, groups: Groups) -> Counted:
        """No column: every value is missing."""
        return cls(groups, None, np.zeros(len(groups.labels), np.int32), 1)

    def verdicts(self, model: Model) -> Flags:
        """Whether each group keeps the promise."""
        if not self.groups.count:
            return np.zeros(0, np.bool_)
        return np.concatenate([model.safe(counts)[:size] for size, counts in self._blocks()])

    def measured(self, model: Model | type[Model]) -> float | None:
        """What the model measures over all groups; None where that would take too long or needs all groups at once."""
        measure = model.measure if isinstance(model, Model) else model.measured
        cells = self.groups.count * self.values
        if cells > BLOCK and (cells > WORTHWHILE or not model.survives_merging):
            return None
        values = [measure(counts) for _, counts in self._blocks()] or [measure(np.zeros((0, self.values), np.int64))]
        # one group of all rows is the best that any grouping gives: the worst lies furthest from it, on whichever side
        best = measure(self._whole().reshape(1, -1))
        return min(values) if min(values) < best else max(values)

    def _whole(self) -> Counts:
        return np.bincount(self.codes[self.groups.labels >= 0], minlength=self.values)

    def _blocks(self) -> Iterator[tuple[int, Counts]]:
        """How many groups a block holds, and their counts; below them those of all others, unless there are none."""
        width = max(BLOCK // self.values, 1)
        order, starts = self.groups.by_group
        whole = self._whole()
        for first in range(0, self.groups.count, width):
            last = min(first + width, self.groups.count)
            rows = order[starts[first] : starts[last]]
            flat = (self.groups.labels[rows].astype(np.int64) - first) * self.values + self.codes[rows]
            counts = np.bincount(flat, minlength=(last - first) * self.values).reshape(-1, self.values)
            others = whole - counts.sum(axis=0)
            yield last - first, np.vstack((counts, others)) if others.any() else counts
