"""Cover: the run of codes that a printed box covers, and the rows of the table on it.

A box on a line covers the codes from its lowest to its highest; a box on a tree all codes under the
common ancestor, which are neighbours because leaves stand in depth-first order. Missing beside
others is printed as `*` and covers everything, missing values too; missing alone covers the missing
values.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.axes import Axis


def covered(axis: Axis, lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
    """Find the first and the last code that each box covers; `axis.size` stands for missing."""
    first = lo.copy()
    last = hi.copy()
    if axis.tree is not None and axis.size:
        there = hi < axis.size
        nodes = axis.ancestors(lo[there], hi[there])
        low, high = runs(axis)
        first[there] = low[nodes]
        last[there] = high[nodes]
    first[(hi == axis.size) & (lo < axis.size)] = 0
    return first, last


def rows_before(axis: Axis, rows: int) -> Longs:
    """Count the rows before each code; the last code is missing, one more entry holds all."""
    return np.concatenate(([0], np.cumsum(axis.counts), [rows])).astype(np.int64)


def rows_at(axis: Axis, rows: int) -> Longs:
    """Count the rows at each code, missing being the last."""
    return np.diff(rows_before(axis, rows))


def runs(axis: Axis) -> tuple[Ints, Ints]:
    """Find the first and the last observed code under each node of a tree."""
    return axis.runs
