"""Design: convert a plain table to a matrix of numbers, for regressions, distances and centres.

A number goes from 0 to 1 over the range of the table that the design is made for, and a missing one
lies in the middle, with a column of its own that says so. A category is one column for each of its
commonest values; rarer ones share the zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.mining.features import Plain

MOST_VALUES = 20


@dataclass(frozen=True)
class _Scaled:
    """A number from 0 to 1."""

    low: float
    width: float
    gaps: bool

    def matrix(self, values: Floats) -> Floats:
        there = ~np.isnan(values)
        scaled = np.where(there, (values - self.low) / self.width, 0.5)
        return np.stack([scaled, ~there], axis=1) if self.gaps else scaled[:, None]


@dataclass(frozen=True)
class _Indicators:
    """A column for each common value; -1 is missing."""

    common: Longs

    def matrix(self, values: Floats) -> Floats:
        codes = np.where(np.isnan(values), -1, values)
        return np.asarray(codes[:, None] == self.common[None, :], np.float64)


@dataclass(frozen=True)
class Design:
    """The columns of a matrix that stand for each column of a table."""

    parts: tuple[_Scaled | _Indicators, ...]

    @classmethod
    def of(cls, table: Plain, *, spare: bool = False) -> Design:
        """Choose the matrix columns for a table.

        With `spare` the commonest value of each category gets none, as the others tell it.
        """
        pairs = zip(table.features, table.values, strict=True)
        return cls(
            tuple(_scaled(v) if f.numeric else _indicators(v, spare=spare) for f, v in pairs)
        )

    def matrix(self, table: Plain) -> Floats:
        """Convert a table of these features to a matrix `[row, column]`."""
        blocks = [
            part.matrix(values) for part, values in zip(self.parts, table.values, strict=True)
        ]
        if blocks:
            return np.ascontiguousarray(np.concatenate(blocks, axis=1))
        return np.zeros((table.rows, 0))


def _scaled(values: Floats) -> _Scaled:
    there = values[~np.isnan(values)]
    low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 0.0)
    return _Scaled(low, high - low or 1.0, len(there) < len(values))


def _indicators(values: Floats, *, spare: bool) -> _Indicators:
    codes, counts = np.unique(
        np.where(np.isnan(values), -1, values).astype(np.int64), return_counts=True
    )
    common = codes[np.argsort(-counts, kind="stable")][spare : MOST_VALUES + spare]
    return _Indicators(np.sort(common))
