"""Gathered: the evidence of rows with boxes of their own, made from several records each.

A loss of groups that asks for members, `loss-metric` or `squared-error`, then takes each row to
lose what it would in a group of its records, and is the same figure where rows share them all and
so are groups. By hand: ages 20, 30 and 60 in a table from 20 to 60, rows made from {20, 30}, {30,
60} and {60, 20}: (5/40)^2 + (15/40)^2 + (20/40)^2 = 0.40625 in squared error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.groups import Groups
from shoal.review.losses.centres import errors_of
from shoal.review.losses.held import HeldCodes, held
from shoal.review.losses.loss import Evidence

NAMES = ("loss-metric", "squared-error")


@dataclass(frozen=True)
class Gathered(Evidence):
    """Rows that are groups of their own, each with a given box and made from records.

    Row r is made from `members[starts[r]:starts[r + 1]]`.
    """

    starts: Longs = field(default_factory=lambda: np.zeros(1, np.int64))
    members: Ints = field(default_factory=lambda: np.zeros(0, np.int32))

    @cached_property
    def held(self) -> tuple[HeldCodes, ...]:
        """The number of records of each row that hold each code, axis by axis."""
        labels = np.repeat(np.arange(self.rows.count, dtype=np.int32), np.diff(self.starts))
        groups = Groups(labels, self.rows.count)
        return tuple(
            held(axis, self.rows.codes[a][self.members], groups)
            for a, axis in enumerate(self.rows.axes)
        )

    @cached_property
    def squared_errors(self) -> tuple[float, ...]:
        """The mean squared distance of each row's records to their centre, summed by axis."""
        size = np.diff(self.starts)
        pairs = zip(self.rows.axes, self.held, strict=True)
        return tuple(
            float(errors_of(axis, h, self.groups.count) @ (h.times / size[h.group]))
            for axis, h in pairs
        )
