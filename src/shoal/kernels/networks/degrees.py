"""The cheapest degrees that k nodes share, with an even sum: see `shoal.networks.degrees`."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.jit import compiled

NEVER = 2**60
RAISES = 3  # a group's target is its highest degree, or 1 or 2 above it


@compiled
def raised_nodes(alike: Longs, begin: int, size: int, raised: int) -> int:
    """Count the raised nodes of a group; `alike[i]` degrees from place i on are equal."""
    if raised > 0:
        return size
    return max(size - alike[begin], 0)


@compiled
def cheapest(degrees: Longs, alike: Longs, k: int, most: int, highest: int) -> Longs:
    """Compute best[j, p, c]: the least raise of the first j degrees, in groups.

    Its parity is p, and c nodes are raised, or at least c where c is `most`. Degrees descend. Group
    sizes are k to 2 k - 1, and no target is above `highest`.
    """
    count = len(degrees)
    sums = np.zeros(count + 1, np.int64)
    for place in range(count):
        sums[place + 1] = sums[place] + degrees[place]
    best = np.full((count + 1, 2, most + 1), NEVER, np.int64)
    best[0, 0, 0] = 0
    for end in range(k, count + 1):
        for size in range(k, min(2 * k - 1, end) + 1):
            begin = end - size
            for raised in range(RAISES):
                target = degrees[begin] + raised
                if target > highest:
                    break
                cost = size * target - (sums[end] - sums[begin])
                more = raised_nodes(alike, begin, size, raised)
                for parity in range(2):
                    now = (parity + cost) % 2
                    for held in range(most + 1):
                        before = best[begin, parity, held]
                        if before < NEVER:
                            then = min(held + more, most)
                            best[end, now, then] = min(best[end, now, then], before + cost)
    return best


@compiled
def cheapest_shift(degrees: Longs, k: int) -> int:
    """Compute the least sum of |target - degree| after which k nodes share every target.

    Degrees descend; groups of k to 2 k - 1 in that order take their median.
    """
    count = len(degrees)
    sums = np.zeros(count + 1, np.int64)
    for place in range(count):
        sums[place + 1] = sums[place] + degrees[place]
    best = np.full(count + 1, NEVER, np.int64)
    best[0] = 0
    for end in range(k, count + 1):
        for size in range(k, min(2 * k - 1, end) + 1):
            begin = end - size
            middle = begin + size // 2
            target = degrees[middle]
            above = sums[middle] - sums[begin] - (middle - begin) * target
            below = (end - middle) * target - (sums[end] - sums[middle])
            best[end] = min(best[end], best[begin] + above + below)
    return best[count]
