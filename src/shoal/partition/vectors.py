"""Vectors: one level of generalization for each axis; all vectors or the cheapest, by cost.

The cost of a vector is the sum of its levels' mean costs; ties go to the vector that comes first
when read from left to right. Few enough vectors are listed and sorted. Otherwise they come one by
one out of a heap, cheapest first, and the walk ends after MOST of them: with many quasi-identifiers
nobody could list them all, and the cheap ones free nobody.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.encode.levels import Levels
from shoal.kernels.partition.peel import Keys

MOST = 50_000  # vectors that are listed
MOST_LAZY = 5_000  # vectors that are walked when they can't be listed


@dataclass(frozen=True)
class Vectors:
    """Levels [vectors, axes] in the order of the walk, and whether these are all there are."""

    levels: Ints
    complete: bool

    @classmethod
    def of(cls, axes: Sequence[Levels], most: int = MOST, most_lazy: int = MOST_LAZY) -> Vectors:
        """List every vector, or the cheapest ones."""
        if listable(axes, most):
            return cls(_listed(axes), complete=True)
        return cls(_cheapest(axes, most_lazy), complete=False)


def listable(axes: Sequence[Levels], most: int = MOST) -> bool:
    """Tell whether all vectors can be listed."""
    return prod(map(len, axes)) <= most


def keys_of(axes: Sequence[Levels]) -> Keys:
    """Number each axis, level and part at random, as it seems.

    Equal sums that mean different parts would harm nobody: a group may then be wider than its
    vector says, but never smaller than k.
    """
    at = np.zeros((len(axes), max(map(len, axes))), np.int64)
    numbers = []
    begin = 0
    for a, levels in enumerate(axes):
        for level, part in enumerate(levels.parts):
            at[a, level] = begin
            numbers.append(
                _scattered(part.astype(np.uint64) + np.uint64((a << 48) + (level << 32)))
            )
            begin += len(part)
    return Keys(np.concatenate(numbers), at)


def _scattered(numbers: np.ndarray) -> Longs:
    """Turn different numbers into different numbers that look random.

    It is the finalizer of splitmix64 (Steele et al. 2014).
    """
    with np.errstate(over="ignore"):
        mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))).view(np.int64), np.int64)


def _listed(axes: Sequence[Levels]) -> Ints:
    """List all vectors, sorted by cost."""
    levels = np.indices([len(a) for a in axes], np.int32).reshape(len(axes), -1)
    cost = sum(
        (a.costs[level] for a, level in zip(axes, levels, strict=True)),
        np.zeros(levels.shape[1], np.int64),
    )
    return np.ascontiguousarray(levels[:, np.argsort(cost, kind="stable")].T)


def _cheapest(axes: Sequence[Levels], most: int) -> Ints:
    """List the cheapest vectors.

    One step up from a vector raises its last raised axis or one further right, so that each vector
    is met once, after the cheaper one that it comes from.
    """
    cheapest: list[tuple[int, ...]] = []
    heap: list[tuple[int, tuple[int, ...], int]] = [(0, (0,) * len(axes), 0)]
    while heap and len(cheapest) < most:
        cost, vector, last = heapq.heappop(heap)
        cheapest.append(vector)
        for a in range(last, len(axes)):
            level = vector[a] + 1
            if level < len(axes[a]):
                dearer = cost + int(axes[a].costs[level] - axes[a].costs[level - 1])
                heapq.heappush(heap, (dearer, (*vector[:a], level, *vector[a + 1 :]), a))
    return np.array(cheapest, np.int32)
