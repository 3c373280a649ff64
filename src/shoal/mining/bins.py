"""Bins: plain tables as codes, numbers cut at quantiles of one table; a missing value is one code
more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.mining.features import Plain


@dataclass(frozen=True)
class Bins:
    """Where each number is cut, and how many codes each feature has; `None`: a category, which is
    its own code.
    """

    edges: tuple[Floats | None, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, table: Plain, count: int, apart: str | None = None) -> Bins:
        """Up to so many bins for each number, by quantiles of the table; one for each value of the
        column kept `apart`.
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
        """The code of each cell: `[feature, row]`."""
        found = np.empty(table.values.shape, np.int64)
        for place, (edges, size, values) in enumerate(
            zip(self.edges, self.sizes, table.values, strict=True)
        ):
            there = ~np.isnan(values)
            found[place] = size - 1
            found[place, there] = (
                values[there] if edges is None else np.searchsorted(edges, values[there], "right")
            )
        return found


def edges_of(values: Floats, count: int) -> Floats:
    """Where bins begin, the first aside: at quantiles, which pass over rare values, so that few
    values have one each.
    """
    there = values[~np.isnan(values)]
    different = np.unique(there)
    if len(different) <= count:
        return np.asarray(different[1:], np.float64)
    cuts = np.unique(np.quantile(there, np.arange(1, count) / count, method="higher"))
    cuts = cuts[cuts > different[0]]
    return np.asarray(cuts if len(cuts) else different[1:2], np.float64)
