"""Cheapest-first peeling: one walk over generalization vectors, each freeing the rows that are k alike under it."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.jit import compiled


@compiled
def peel(
    codes: Ints,  # [axes, tuples]
    counts: Longs,  # [tuples]
    keys: Longs,  # key of (axis, level, code), flat
    keys_at: Longs,  # [axes, levels]: where the keys of an axis at a level begin
    vectors: Ints,  # [vectors, axes]: levels, cheapest first
    first: int,
    last: int,
    k: int,
    free: Ints,  # [tuples]: tuples without a group, the first `alive` of them
    alive: int,
    labels: Ints,  # [tuples]: group of each tuple
    group: int,  # number of the next group
    table_key: Longs,  # hash table, a power of two long
    table_rows: Longs,
    table_age: Ints,
    table_group: Ints,
    place: Ints,  # [tuples]: scratch
) -> tuple[int, int]:
    """Walk vectors first..last; returns (alive, group) to go on from."""
    axes = codes.shape[0]
    mask = len(table_key) - 1
    for v in range(first, last):
        if alive == 0:
            break
        age = v + 1
        found = False
        for f in range(alive):
            t = free[f]
            key = np.int64(0)
            for axis in range(axes):
                key += keys[keys_at[axis, vectors[v, axis]] + codes[axis, t]]
            h = key * np.int64(-7046029254386353131)
            slot = (h ^ (h >> 29)) & mask
            while table_age[slot] == age and table_key[slot] != key:
                slot = (slot + 1) & mask
            if table_age[slot] != age:
                table_age[slot] = age
                table_key[slot] = key
                table_rows[slot] = 0
                table_group[slot] = -1
            table_rows[slot] += counts[t]
            found = found or table_rows[slot] >= k
            place[f] = slot
        if not found:
            continue
        kept = 0
        for f in range(alive):
            slot = place[f]
            if table_rows[slot] >= k:
                if table_group[slot] < 0:
                    table_group[slot] = group
                    group += 1
                labels[free[f]] = table_group[slot]
            else:
                free[kept] = free[f]
                kept += 1
        alive = kept
    return alive, group
