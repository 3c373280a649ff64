"""Sums over rows that hold items with a chance: how much of a table each of several items keeps.

`chance[item, row]` lies in [0, 1] and rows count several times. Sums run over rows in their order,
so every machine arrives at the same float.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.kernels.jit import compiled


@compiled
def kept_by(chance: Floats, items: Longs, rows: Longs, weights: Floats) -> Floats:
    """Sum, for each item, the weight of the rows times its chance in them."""
    sums = np.zeros(len(items), np.float64)
    for place in range(len(items)):
        item = items[place]
        total = 0.0
        for i in range(len(rows)):
            total += chance[item, rows[i]] * weights[i]
        sums[place] = total
    return sums


@compiled
def narrowed(chance: Floats, item: int, rows: Longs, weights: Floats) -> tuple[Longs, Floats]:
    """Select the rows that may hold an item; return them and their weights times its chance."""
    left = np.empty(len(rows), np.int64)
    kept = np.empty(len(rows), np.float64)
    count = 0
    for i in range(len(rows)):
        product = chance[item, rows[i]] * weights[i]
        if product > 0.0:
            left[count] = rows[i]
            kept[count] = product
            count += 1
    return left[:count].copy(), kept[:count].copy()
