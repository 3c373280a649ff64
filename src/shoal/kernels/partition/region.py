"""Regions of near groups."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, of_box, of_union
from shoal.kernels.jit import compiled


@compiled
def gather(costs: Costs, lo: Ints, hi: Ints, order: Longs, most: int, region: Longs) -> int:
    """Gather near groups [groups, axes] into regions; return the number of regions.

    In the given order, each group that has no region yet gets one with those nearest to it.

    Two groups are the nearer, the less their common box costs beyond their own. Ties go to the
    lowest number. Returns the number of regions, none of which holds more than `most` groups.
    """
    groups = len(order)
    regions = 0
    cost = np.empty(groups, np.int64)
    far = np.empty(groups, np.int64)
    free = np.empty(groups, np.int64)
    for group in range(groups):
        cost[group] = of_box(costs, lo[group], hi[group])
        region[group] = -1
    for first in order:
        if region[first] >= 0:
            continue
        region[first] = regions
        others = 0
        for group in range(groups):
            if region[group] < 0:
                far[others] = (
                    2 * of_union(costs, lo[first], hi[first], lo[group], hi[group]) - cost[group]
                )
                free[others] = group
                others += 1
        nearest = np.argsort(far[:others], kind="mergesort")
        for near in nearest[: most - 1]:
            region[free[near]] = regions
        regions += 1
    return regions
