"""Bins: convert plain tables to codes, with numbers cut at quantiles of one table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.mining.features import Plain


@dataclass(frozen=True)
class Bins:
    """The edges of bins of each number, and the number of codes of each feature.

    Edges are `None` for a category, whose values are codes already. A missing value is the last
    code.
    """

    edges: tuple[Floats | None, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, table: Plain, count: int, apart: str | None = None) -> Bins:
        """Cut each number into at most `count` bins by quantiles of the table.

        Each value of the column kept `apart` has a bin of its own.
        """
        pairs = list(zip(table.features, table.values, strict=True))
        most = [table.rows if feature.name == apart else count for feature, _ in pairs]
        edges = tuple(
            edges_of(v, upto) if f.numeric else None
            for (f, v), upto in zip(pairs, most, strict=True)
        )
        sizes = (
            f.axis.size if e is None else len(e) + 1 for (f, _), e in zip(pairs, edges, strict=True)
        )
        return cls(edges, tuple(size + 1 for size in sizes))

    def codes(self, table: Plain) -> Longs:
        """Return the code of each cell: `[feature, row]`."""
        codes = np.empty(table.values.shape, np.int64)
        for place, (edges, size, values) in enumerate(
            zip(self.edges, self.sizes, table.values, strict=True)
        ):
            there = ~np.isnan(values)
            codes[place] = size - 1
            codes[place, there] = (
                values[there] if edges is None else np.searchsorted(edges, values[there], "right")
            )
        return codes


def edges_of(values: Floats, count: int) -> Floats:
    """Find where bins begin, without the first: at quantiles.

    At most `count` different values have a bin each. Quantiles pass over rare values.
    """
    there = values[~np.isnan(values)]
    different = np.unique(there)
    if len(different) <= count:
        return np.asarray(different[1:], np.float64)
    cuts = np.unique(np.quantile(there, np.arange(1, count) / count, method="higher"))
    cuts = cuts[cuts > different[0]]
    return np.asarray(cuts if len(cuts) else different[1:2], np.float64)
