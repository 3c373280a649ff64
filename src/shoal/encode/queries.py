"""Random count queries on axes: the same for every grouping and every release of a table.

A query asks for ranges on three axes drawn at random (on all, where there are fewer). On a line the
range lies between two values drawn from the column; on a tree it is a node above a value drawn from
the column, at a level drawn below the root. The seed is fixed and only the axes are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.types as types

from shoal.arrays import Floats, Ints
from shoal.encode.axes import Axis
from shoal.kernels.queries import Queries

QUERIES = 2000
COLUMNS = 3
SEED = 19


def drawn(axes: Sequence[Axis]) -> Queries:
    """Draw the queries that a table with these axes is asked."""
    rng = np.random.default_rng(SEED)
    usable = [a for a, axis in enumerate(axes) if axis.size]
    parts = min(COLUMNS, len(usable))
    chosen = rng.permuted(np.tile(np.array(usable, np.int32), (QUERIES, 1)), axis=1)[:, :parts]
    lo, hi = np.zeros((2, *chosen.shape), np.int32)
    begin, end = np.zeros((2, *chosen.shape))
    for a in usable:
        here = chosen == a
        lo[here], hi[here] = _ranges(axes[a], int(here.sum()), rng)
        begin[here], end[here] = extents(axes[a], lo[here], hi[here])
    return Queries(chosen, lo, hi, begin, end)


def _ranges(axis: Axis, count: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Draw `count` random ranges of codes on one axis."""
    values = rng.choice(axis.size, (2, count), p=axis.counts / axis.counts.sum())
    if axis.tree is None:
        return values.min(axis=0).astype(np.int32), values.max(axis=0).astype(np.int32)
    low, high = axis.runs
    nodes = axis.node[rng.integers(0, len(axis.node) - 1, count), values[0]]
    return low[nodes], high[nodes]


def extents(axis: Axis, lo: Ints, hi: Ints) -> tuple[Floats, Floats]:
    """Compute where ranges of codes begin and end.

    Whole numbers, days and the values of a category are one long each.
    """
    if axis.points is None:
        return lo.astype(np.float64), hi.astype(np.float64) + 1.0
    step = 1.0 if axis.kind == "date" or types.is_integer(axis.values.type) else 0.0
    return axis.points[lo], axis.points[hi] + step
