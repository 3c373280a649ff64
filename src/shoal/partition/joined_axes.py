"""Joined axes: the same walk over fewer axes, each of which stands for several.

The key of a tuple under a vector is a sum of one number for each axis. Axes with few values are put
together: the code of a joined axis stands for one code of each, its level for one level of each,
and its numbers are the sums of theirs. Keys are the same then, and so are the groups of the walk; a
tuple is looked up in three small tables instead of eight.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.levels import Levels
from shoal.kernels.partition.peel import Keys, Walk

WORTH = 1_000_000  # tuples times vectors; below, joining takes longer than it saves
MOST_CODES = 2_048  # of a joined axis: the numbers of one level stay in the nearest cache
MOST_NUMBERS = 1 << 18  # of a joined axis, over all its levels


def joined(walk: Walk, levels: Sequence[Levels]) -> Walk:
    """Join axes of a walk where that is worth it; `levels` are those of its axes."""
    if len(walk.counts) * len(walk.vectors) < WORTH:
        return walk
    sets = _sets(levels)
    codes = [_mixed(walk.codes[of], [levels[a].parts.shape[1] for a in of]) for of in sets]
    vectors = [_mixed(walk.vectors.T[of], [len(levels[a]) for a in of]) for of in sets]
    return walk._replace(
        codes=np.array(codes, np.int32),
        vectors=np.ascontiguousarray(np.array(vectors, np.int32).T),
        keys=_packed([_summed(walk.keys, levels, of) for of in sets]),
    )


def _sets(levels: Sequence[Levels]) -> list[list[int]]:
    """Choose which axes are joined: each, the longest first, joins the first that has room."""
    sets: list[list[int]] = []
    for axis in sorted(range(len(levels)), key=lambda a: (-levels[a].parts.shape[1], a)):
        for others in sets:
            if _fits(levels, [*others, axis]):
                others.append(axis)
                break
        else:
            sets.append([axis])
    return sets


def _fits(levels: Sequence[Levels], axes: Sequence[int]) -> bool:
    codes = prod(levels[a].parts.shape[1] for a in axes)
    return codes <= MOST_CODES and codes * prod(len(levels[a]) for a in axes) <= MOST_NUMBERS


def _mixed(digits: Ints, sizes: Sequence[int]) -> Ints:
    """Read rows of digits as one number in mixed radix."""
    number = np.zeros(digits.shape[1], np.int32)
    for line, size in zip(digits, sizes, strict=True):
        number *= np.int32(size)
        number += line
    return number


def _summed(keys: Keys, levels: Sequence[Levels], axes: Sequence[int]) -> Longs:
    """Sum the numbers of some axes for each combination: [joined level, joined code]."""
    total = np.zeros((1, 1), np.int64)
    for axis in axes:
        starts = keys.at[axis, : len(levels[axis])]
        own = keys.key[starts[:, None] + np.arange(levels[axis].parts.shape[1])]
        every = total[:, None, :, None] + own[None, :, None, :]
        total = every.reshape(len(total) * len(own), -1)
    return total


def _packed(tables: Sequence[Longs]) -> Keys:
    """Lay the numbers of all joined axes end to end."""
    at = np.zeros((len(tables), max(map(len, tables))), np.int64)
    begin = 0
    for place, table in enumerate(tables):
        at[place, : len(table)] = begin + np.arange(len(table)) * table.shape[1]
        begin += table.size
    return Keys(np.concatenate([table.ravel() for table in tables]), at)
