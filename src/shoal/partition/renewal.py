"""Renewal: a region of near groups divided anew, refined, and kept if it loses less than it did.

Peeling takes vectors in the order of their mean cost in the whole table, but a region may have a better order. So the costs
of all levels are changed by chance (by about a tenth) in each round, and every region is peeled in the order that results.
Where the vectors are too many to be listed, the region is divided by `k-member` from a random row instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Ints, Labels, Longs
from shoal.encode.levels import Levels, levels_of
from shoal.encode.rows import Distinct, Rows
from shoal.kernels.peel import Keys
from shoal.partition.beginnings import AtLeast, settled, walk
from shoal.partition.k_member import KMember
from shoal.partition.pieces import Pieces
from shoal.partition.vectors import Vectors, keys_of, listable

CHANCE = 0.1  # how far costs are changed
STEPS = 1 << 10


@dataclass(frozen=True)
class Renewal:
    """What all regions have in common."""

    rows: Rows
    tuples: Distinct
    k: int
    refined: Callable[[Pieces, int], Pieces]

    @cached_property
    def levels(self) -> list[Levels]:
        """The levels of all axes at their own costs."""
        return [levels_of(axis, a, self.rows.costs, self.rows.count) for a, axis in enumerate(self.rows.axes)]

    @cached_property
    def keys(self) -> Keys:
        """Costs change; keys don't."""
        return keys_of(self.levels)

    def with_costs(self, rng: np.random.Generator) -> Callable[[Pieces, int], Pieces]:
        """What to do with a region in this round."""
        vectors = Vectors.of([_changed(levels, rng) for levels in self.levels]) if listable(self.levels) else None

        def work(part: Pieces, seed: int) -> Pieces:
            held, inverse = np.unique(part.held, return_inverse=True)
            counts = np.bincount(inverse, part.count).astype(np.int64)
            codes = np.ascontiguousarray(self.tuples.codes[:, held])
            labels = self._grown(codes, counts, seed) if vectors is None else self._peeled(codes, counts, vectors)
            anew = Pieces.of(labels, np.repeat(held, counts), len(self.tuples.counts))
            better = self.refined(anew, seed)
            return better if self._loss(better) < self._loss(part) else part

        return work

    def _loss(self, part: Pieces) -> int:
        return part.loss(self.rows.costs, self.tuples.codes)

    def _peeled(self, codes: Ints, counts: Longs, vectors: Vectors) -> Labels:
        labels = np.repeat(walk(codes, counts, self.keys, vectors, self.k), counts)
        return settled(self.rows.costs, np.repeat(codes, counts, axis=1), labels)

    def _grown(self, codes: Ints, counts: Longs, seed: int) -> Labels:
        some = replace(self.rows, codes=np.repeat(codes, counts, axis=1), sensitive=())
        return KMember().divide(some, self.k, AtLeast(self.k), np.random.default_rng(seed)).labels


def _changed(levels: Levels, rng: np.random.Generator) -> Levels:
    """The same levels at other costs, all of them and each by chance; still rising."""
    reach = int(CHANCE * STEPS)
    once, each = rng.integers(-reach, reach + 1), rng.integers(-reach // 2, reach // 2 + 1, size=len(levels))
    costs = levels.costs * (STEPS + once) // STEPS * (STEPS + each) // STEPS
    return Levels(levels.parts, np.maximum.accumulate(costs))
