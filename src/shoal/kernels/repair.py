"""The group that a group is merged with at least cost."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, of_box, of_union
from shoal.kernels.jit import compiled


@compiled
def weigh(costs: Costs, lo: Ints, hi: Ints, sizes: Longs) -> Longs:
    """Size times cost of each group; boxes are `lo[group, axis]`, `hi[group, axis]`."""
    weights = np.empty(len(sizes), np.int64)
    for group in range(len(sizes)):
        weights[group] = sizes[group] * of_box(costs, lo[group], hi[group])
    return weights


@compiled
def cheapest_partner(costs: Costs, lo: Ints, hi: Ints, sizes: Longs, weights: Longs, group: int) -> int:
    """The group whose union with this one adds least to size times cost, ties by lowest; size 0 is no group any more."""
    best, least = -1, np.int64(0)
    for other in range(len(sizes)):
        if other == group or sizes[other] == 0:
            continue
        size = sizes[group] + sizes[other]
        added = size * of_union(costs, lo[group], hi[group], lo[other], hi[other]) - weights[group] - weights[other]
        if best < 0 or added < least:
            best, least = other, added
    return best
