"""A large group shrinks to k rows that fit together: they are grown around its medoid."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Flags, Ints, Longs
from shoal.kernels.costs import Costs, of_union
from shoal.kernels.jit import compiled
from shoal.kernels.partition.adjustment import Grouping
from shoal.kernels.partition.medoid import medoid

WORST = 2**62


@compiled
def core(costs: Costs, points: Ints, rows: Longs, seed: int, k: int) -> Flags:
    """Mark the k rows of a group that starts with the seed and takes the row of least growth next.

    Ties go to the first. While the box costs no more than before, everyone's price stays, so all of
    them are taken at once.
    """
    inside = np.zeros(len(rows), np.bool_)
    price = np.empty(len(rows), np.int64)
    lo = points[rows[seed]].copy()
    hi = points[rows[seed]].copy()
    inside[seed] = True
    taken = 1
    paid = 0
    while taken < k:
        lowest = WORST
        for i in range(len(rows)):
            if not inside[i]:
                price[i] = of_union(costs, lo, hi, points[rows[i]], points[rows[i]])
                lowest = min(lowest, price[i])
        for i in range(len(rows)):
            if not inside[i] and price[i] == lowest and taken < k:
                inside[i] = True
                taken += 1
                for axis in range(len(lo)):
                    lo[axis] = min(lo[axis], points[rows[i], axis])
                    hi[axis] = max(hi[axis], points[rows[i], axis])
                if lowest > paid:
                    break
        paid = lowest
    return inside


@compiled
def keep_cores(
    costs: Costs, points: Ints, grouping: Grouping, k: int, first: int, upto: int
) -> None:
    """Label all but the core of k rows -1 in each group of more, from `first` to `upto` - 1."""
    labels, order, starts = grouping
    codes = int(costs.size.max()) + 1
    times = np.zeros(codes, np.int64)
    far = np.empty(codes, np.int64)
    for group in range(first, upto):
        rows = order[starts[group] : starts[group + 1]]
        if len(rows) > k:
            inside = core(costs, points, rows, medoid(costs, points, rows, times, far), k)
            for i in range(len(rows)):
                if not inside[i]:
                    labels[rows[i]] = -1
