"""The row in the midst of others: the one with the least sum of distances to them."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled


@compiled
def medoid(costs: Costs, points: Ints, rows: Longs, times: Longs, far: Longs) -> int:
    """Find the place in `rows` of their medoid, ties to the first.

    `points[row, axis]` are codes.

    A sum of distances on an axis depends on the code alone, so it is worked out once for each code
    that occurs. `times` and `far` have room for every code; `times` is left as it was found: all 0.
    """
    sums = np.zeros(len(rows), np.int64)
    held = np.empty(len(rows), np.int32)
    for axis in range(points.shape[1]):
        different = 0
        for row in rows:
            code = points[row, axis]
            if times[code] == 0:
                held[different] = code
                different += 1
            times[code] += 1
        for one in held[:different]:
            far[one] = 0
            for two in held[:different]:
                far[one] += times[two] * between(costs, axis, min(one, two), max(one, two))
        for place in range(len(rows)):
            sums[place] += far[points[rows[place], axis]]
        for code in held[:different]:
            times[code] = 0
    return int(np.argmin(sums))
