"""Bins: plain tables as codes, numbers cut at quantiles of one table; a missing value is one code more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.mining.features import Plain


@dataclass(frozen=True)
class Bins:
    """Where each number is cut, and how many codes each feature has; `None`: a category, which is its own code."""

    edges: tuple[Floats | None, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, table: Plain, count: int) -> Bins:
        """Up to so many bins for each number, by quantiles of the table; a value begins a bin."""
        pairs = list(zip(table.features, table.values, strict=True))
        edges = tuple(_edges(values, count) if feature.numeric else None for feature, values in pairs)
        sizes = (f.axis.size if e is None else len(e) + 1 for (f, _), e in zip(pairs, edges, strict=True))
        return cls(edges, tuple(size + 1 for size in sizes))

    def codes(self, table: Plain) -> Longs:
        """The code of each cell: `[feature, row]`."""
        found = np.empty(table.values.shape, np.int64)
        for place, (edges, size, values) in enumerate(zip(self.edges, self.sizes, table.values, strict=True)):
            there = ~np.isnan(values)
            found[place] = size - 1
            found[place, there] = values[there] if edges is None else np.searchsorted(edges, values[there], "right")
        return found


def _edges(values: Floats, count: int) -> Floats:
    there = values[~np.isnan(values)]
    if not len(there):
        return np.zeros(0)
    cuts = np.unique(np.quantile(there, np.arange(1, count) / count, method="higher"))
    return np.asarray(cuts[cuts > there.min()], np.float64)
