"""Minimal uniques: the smallest combinations of columns on which a row stands alone.

After Elliot, Manning & Ford (2002).

Rows come as groups of equal ones with their sizes. Combinations are counted from small to large. A
row that stands alone on a part of a combination meets nobody on the whole either, so it is left out
of the count, and what is found is minimal. Few different values are counted in a table of all
combinations of codes, many in a hash table.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from shoal.arrays import AnyArray, Codes, Counts, Flags, Ints, Longs
from shoal.kernels.jit import compiled

CELLS = 2**25  # combinations of codes that get a place each; beyond, rows are hashed


def minimal_uniques(cells: Codes, widths: Longs, sizes: Counts, largest: int) -> Ints:
    """Find for each group the least number of columns on which it is one row alone.

    It is 0 where that takes more than `largest` columns.
    """
    fewest = np.zeros(cells.shape[1], np.int32)
    twice = np.minimum(sizes, 2).astype(np.uint8)
    alone: dict[tuple[int, ...], Flags] = {}
    for size in range(1, min(largest, len(cells)) + 1):
        fewer = alone
        alone = {}
        for chosen in combinations(range(len(cells)), size):
            known = np.zeros(cells.shape[1], np.bool_)
            for part in combinations(chosen, size - 1) if size > 1 else ():
                known |= fewer[part]
            new = _alone(cells[list(chosen)], widths[list(chosen)], twice, known)
            fewest[new & (fewest == 0)] = size
            if size < largest:
                alone[chosen] = known | new
    return fewest


def _alone(cells: Codes, widths: Longs, twice: AnyArray, known: Flags) -> Flags:
    """Tell which groups are one row alone on some columns, those known before left out."""
    places = 1
    for width in widths:  # as Python's integers, which do not overflow
        places *= int(width)
    if places <= CELLS:
        return _tabled(cells, widths, twice, known, places)
    if places < 2**62:
        return _hashed(_keys(cells, widths), twice, known)
    _, inner = np.unique(_keys(cells[:-1], widths[:-1]), return_inverse=True)
    return _hashed(inner.astype(np.int64) * int(widths[-1]) + cells[-1], twice, known)


@compiled
def _keys(cells: Codes, widths: Longs) -> Longs:
    """Compute a number for each combination of codes, in the order of the columns."""
    keys = np.zeros(cells.shape[1], np.int64)
    for column in range(len(cells)):
        for row in range(len(keys)):
            keys[row] = keys[row] * widths[column] + cells[column, row]
    return keys


@compiled
def _tabled(cells: Codes, widths: Longs, twice: AnyArray, known: Flags, places: int) -> Flags:
    """Find rows that stand alone by counting in a table of all combinations of codes."""
    keys = _keys(cells, widths)
    times = np.zeros(places, np.uint8)  # 2 stands for more
    for row in range(len(keys)):
        if not known[row]:
            times[keys[row]] = min(times[keys[row]] + twice[row], 2)
    alone = np.zeros(len(keys), np.bool_)
    for row in range(len(keys)):
        alone[row] = not known[row] and times[keys[row]] == 1
    return alone


@compiled
def _hashed(keys: Longs, twice: AnyArray, known: Flags) -> Flags:
    """Find rows that stand alone by counting in a hash table."""
    places = 16
    while places < 2 * len(keys):
        places *= 2
    held = np.empty(places, np.int64)
    times = np.zeros(places, np.uint8)
    at = np.empty(len(keys), np.int64)
    for row in range(len(keys)):
        if known[row]:
            continue
        mixed = np.uint64(keys[row]) * np.uint64(0x9E3779B97F4A7C15)
        place = np.int64(mixed >> np.uint64(32)) & (places - 1)
        while times[place] and held[place] != keys[row]:
            place = (place + 1) & (places - 1)
        held[place] = keys[row]
        at[row] = place
        times[place] = min(times[place] + twice[row], 2)
    alone = np.zeros(len(keys), np.bool_)
    for row in range(len(keys)):
        alone[row] = not known[row] and times[at[row]] == 1
    return alone
