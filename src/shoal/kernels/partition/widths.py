"""Widths of boxes on each axis, taken together."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled


@compiled
def widths(costs: Costs, lo: Ints, hi: Ints, sizes: Counts) -> Longs:
    """Sum size times cost over groups, for each axis.

    Boxes are `lo[axis, group]` to `hi[axis, group]`.
    """
    total = np.zeros(len(lo), np.int64)
    for axis in range(len(lo)):
        for group in range(len(sizes)):
            total[axis] += sizes[group] * between(costs, axis, lo[axis, group], hi[axis, group])
    return total
