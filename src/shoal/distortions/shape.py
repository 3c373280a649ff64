"""Shape: the facts about a whole table of numbers that a distortion needs before it begins.

Read part by part, twice: first ends, means and a sample, then the covariance around those means.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Longs
from shoal.errors import DataError

SAMPLE = 100_000  # rows from which quantiles are read, at most
LARGEST = 1e150  # of a number that is perturbed: squares and sums of it are floats too
BULK = (0.05, 0.95)


@dataclass(frozen=True)
class Shape:
    """For each column range, mean and bulk; for all the covariance in shares of the ranges."""

    rows: int
    low: Floats
    high: Floats
    mean: Floats
    bulk: Floats  # [2, columns]: quantiles BULK, of a sample in long tables
    covariance: Floats  # a missing value counts as its column's mean

    @property
    def range(self) -> Floats:
        """The distance from the least to the largest value."""
        return self.high - self.low

    @property
    def unit(self) -> Floats:
        """The range, 1 where it is 0: to divide by."""
        return np.where(self.range > 0, self.range, 1.0)

    @classmethod
    def of(cls, parts: Iterable[Floats], names: Sequence[str] = ()) -> Shape:
        """Compute the shape of a table that is read twice, part by part; refuses empty columns."""
        ends = _Ends(names)
        for part in parts:
            ends.add(part)
        ends.refuse_empty()
        mean = ends.sum / ends.count
        range_ = ends.high - ends.low
        unit = np.where(range_ > 0, range_, 1.0)
        crossed = np.zeros((len(mean), len(mean)))
        for part in parts:
            apart = part - mean
            apart /= unit
            apart[np.isnan(apart)] = 0.0
            crossed += apart.T @ apart
        bulk = np.nanquantile(np.concatenate(ends.sample), BULK, axis=0)
        return cls(ends.rows, ends.low, ends.high, mean, bulk, crossed / max(ends.rows - 1, 1))


class _Ends:
    """The figures that the first reading gathers."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.rows = 0
        self.low = np.zeros(0)
        self.high = np.zeros(0)
        self.sum = np.zeros(0)
        self.count: Longs = np.zeros(0, np.int64)
        self.sample: list[Floats] = []
        self.stride = 1

    def add(self, part: Floats) -> None:
        """Add rows to the figures."""
        there = ~np.isnan(part)
        low = np.fmin.reduce(part, axis=0, initial=np.inf)
        high = np.fmax.reduce(part, axis=0, initial=-np.inf)
        for place in np.flatnonzero(there.any(axis=0) & (np.isinf(low) | np.isinf(high))).tolist():
            facts = {"rows concerned": int(np.isinf(part[:, place]).sum())}
            problem = f"{self._called(place)} holds infinite values, so it has no range"
            raise DataError(problem, facts, "replace them, or leave the column out")
        self._refuse_too_large(low, high)
        first = not self.rows
        self.low = low if first else np.minimum(self.low, low)
        self.high = high if first else np.maximum(self.high, high)
        self.sum = np.nansum(part, axis=0) + (0.0 if first else self.sum)
        self.count = there.sum(axis=0) + (0 if first else self.count)
        self.sample.append(part[(-self.rows) % self.stride :: self.stride])
        self.rows += len(part)
        while sum(map(len, self.sample)) > SAMPLE:  # every second one of what there is
            self.sample = [np.concatenate(self.sample)[::2]]
            self.stride = 2 * self.stride

    def refuse_empty(self) -> None:
        """Refuse a table or a column without any value, or whose values lie too close."""
        if not self.rows:
            raise DataError("the table has no rows")
        for place in np.flatnonzero(self.count == 0).tolist():
            raise DataError(
                f"{self._called(place)} holds no value at all", remedy="leave the column out"
            )
        for place in np.flatnonzero(self._too_close()).tolist():
            problem = f"{self._called(place)} varies by less than noise can be measured in"
            raise DataError(problem, remedy="multiply its values, or leave the column out")

    def _refuse_too_large(self, low: Floats, high: Floats) -> None:
        """Refuse numbers whose squares or sums leave the range of floats."""
        size = np.fmax(np.abs(low), np.abs(high))
        for place in np.flatnonzero(np.isfinite(size) & (size > LARGEST)).tolist():
            problem = f"{self._called(place)} holds numbers too large to be perturbed"
            facts = {"largest that can be": f"{LARGEST:g}"}
            raise DataError(problem, facts, "divide its values, or leave the column out")

    def _too_close(self) -> Flags:
        """Tell which columns vary, but so little that squares of it are zero."""
        range_ = self.high - self.low
        return np.asarray((range_ > 0) & (range_ < 1 / LARGEST), np.bool_)

    def _called(self, place: int) -> str:
        return f"column '{self.names[place]}'" if self.names else f"column {place + 1}"
