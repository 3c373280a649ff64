"""Climbing: a walk for tables of many columns, on which cheap vectors free nobody.

    every tuple of the table is free, all columns stand as they are
    repeat:
        try each column one level higher; take the one that gains most for what it costs:
            rows that would look like k - 1 others or more,
            and tuples that would look like another one
        the free tuples that k rows or more hold now become groups

until fewer than k rows are free or every column is everything. Ties go to the cheaper step, then to
the first column. Where a walk over all vectors can be finished it is the better one: it tries what
this never sees.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints, Labels, Longs
from shoal.encode.levels import Levels
from shoal.groups import Watch
from shoal.kernels.partition.peel import Keys


def climb(
    codes: Ints, counts: Longs, levels: Sequence[Levels], keys: Keys, k: int, watch: Watch
) -> Labels:
    """Climb from vector to vector; return a group for each tuple, -1 for those that are left."""
    labels: Labels = np.full(len(counts), -1, np.int32)
    free = np.arange(len(counts))
    vector = [0] * len(levels)
    groups = 0
    key = np.zeros(len(counts), np.int64)
    for axis, column in enumerate(codes):
        key += keys.key[keys.at[axis, 0] + column]
    while counts[free].sum() >= k:
        watch(1.0)
        best: tuple[int, int] = (0, 0)  # what a step gains, and what it costs
        for axis, level in enumerate(vector):
            if level + 1 == len(levels[axis]):
                continue
            higher = key[free] + _step(keys, axis, level, codes[axis][free])
            alike, held = _alike(higher, counts[free])
            gain = int(held[held >= k].sum()) + len(free) - len(held)
            price = max(int(levels[axis].costs[level + 1] - levels[axis].costs[level]), 1)
            if not best[1] or (gain * best[1], best[1]) > (best[0] * price, price):
                best = (gain, price)
                taken = axis
                outcome = (alike, held)
        if not best[1]:
            break
        key += _step(keys, taken, vector[taken], codes[taken])
        vector[taken] += 1
        alike, held = outcome
        numbers = np.where(held >= k, groups + np.cumsum(held >= k) - 1, -1)
        labels[free] = numbers[alike]
        free = free[labels[free] < 0]
        groups = groups + int(np.count_nonzero(held >= k))
    return labels


def steps_of(levels: Sequence[Levels]) -> int:
    """Count the steps that a climb takes at most."""
    return sum(len(axis) - 1 for axis in levels)


def _step(keys: Keys, axis: int, level: int, codes: Ints) -> Longs:
    """Compute what changes in the keys of tuples if an axis goes one level up."""
    return np.asarray(
        keys.key[keys.at[axis, level + 1] + codes] - keys.key[keys.at[axis, level] + codes],
        np.int64,
    )


def _alike(key: Longs, counts: Longs) -> tuple[Ints, Longs]:
    """Number the tuples by their key; count the rows of each number.

    The first tuple has number 0, and tuples with the same key the same number.
    """
    encoded = pc.dictionary_encode(pa.array(key))
    alike = np.asarray(encoded.indices, np.int32)
    held = np.zeros(len(encoded.dictionary), np.int64)
    np.add.at(held, alike, counts)
    return alike, held
