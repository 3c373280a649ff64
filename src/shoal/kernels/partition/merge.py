"""Groups below a size join others until none is left."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.costs import Costs, of_box
from shoal.kernels.jit import compiled
from shoal.kernels.partition.repair import BoxedGroups, cheapest_partner


@compiled
def merge_those_of(
    costs: Costs, groups: BoxedGroups, size: int, first: int, upto: int, joins: Longs
) -> None:
    """Unite each group of `size` rows, from number `first` to `upto` - 1, with its best partner.

    The best partner is the one with which the loss grows least. The lower number of two stays, and
    `joins` tells the other one's new number; boxes, sizes and losses change with it. A union is
    larger than `size`: whoever goes through the sizes in ascending order always unites a smallest
    group.
    """
    lo = groups.lo
    hi = groups.hi
    sizes = groups.sizes
    for group in range(first, upto):
        if sizes[group] != size:
            continue
        other = cheapest_partner(costs, groups, group)
        if other < 0:
            return
        kept = min(group, other)
        gone = max(group, other)
        lo[kept] = np.minimum(lo[kept], lo[gone])
        hi[kept] = np.maximum(hi[kept], hi[gone])
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
        groups.losses[kept] = sizes[kept] * of_box(costs, lo[kept], hi[kept])
        joins[gone] = kept
