"""Groups below a size join others until none is left."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs
from shoal.kernels.jit import compiled
from shoal.kernels.partition.repair import cheapest_partner, weigh


@compiled
def merge_those_of(
    costs: Costs,
    lo: Ints,
    hi: Ints,
    sizes: Longs,
    weights: Longs,
    size: int,
    first: int,
    upto: int,
    joins: Longs,
) -> None:
    """Unite each group of just this size, from number `first` to `upto` - 1, with the one where the
    loss grows least.

    The lower number of two stays, and `joins` tells the other one's new number; boxes, sizes and
    weights change with it. A union is larger than `size`: whoever goes through the sizes in
    ascending order always unites a smallest group.
    """
    for group in range(first, upto):
        if sizes[group] != size:
            continue
        other = cheapest_partner(costs, lo, hi, sizes, weights, group)
        if other < 0:
            return
        kept = min(group, other)
        gone = max(group, other)
        lo[kept] = np.minimum(lo[kept], lo[gone])
        hi[kept] = np.maximum(hi[kept], hi[gone])
        sizes[kept] += sizes[gone]
        sizes[gone] = 0
        weights[kept : kept + 1] = weigh(
            costs, lo[kept : kept + 1], hi[kept : kept + 1], sizes[kept : kept + 1]
        )
        joins[gone] = kept
