"""Renewal: a region of near groups divided anew, refined, and kept if it loses less than it did.

Peeling takes vectors in the order of their mean cost in the whole table, but a region has an order of its own: there, a
level costs what the boxes of the region's rows cost under it, and levels that make no difference are left out. So a region
knows a thousand vectors where the table has tens of thousands, and is peeled in a fraction of the time. These costs are
changed by chance (by up to a fifth) for each region, so that every round tries another order.
Where the table's vectors are too many to be listed, the region is divided by `k-member` from a random row instead.

Trees make single steps useless: a box shrinks only when all rows on one side of a node leave together. Peeling a region
anew is the step that moves many rows at once.
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
from shoal.kernels.region import levels_here
from shoal.partition.balance import Balance
from shoal.partition.beginnings import AtLeast, settled, walk
from shoal.partition.k_member import KMember
from shoal.partition.pieces import Pieces
from shoal.partition.vectors import Vectors, keys_of, listable

CHANCE = 0.2  # how far costs are changed
STEPS = 1 << 10


@dataclass(frozen=True)
class Renewal:
    """What all regions have in common."""

    rows: Rows
    tuples: Distinct
    k: int
    weights: Balance
    refined: Callable[[Pieces, int], Pieces]

    @cached_property
    def levels(self) -> list[Levels]:
        """The levels of all axes at their own costs."""
        return [levels_of(axis, a, self.rows.costs, self.rows.count) for a, axis in enumerate(self.rows.axes)]

    @cached_property
    def keys(self) -> Keys:
        """Costs change; keys don't."""
        return keys_of(self.levels)

    def __call__(self, part: Pieces, seed: int) -> Pieces:
        """The region divided anew, or as it was."""
        held, inverse = np.unique(part.held, return_inverse=True)
        counts = np.bincount(inverse, part.count).astype(np.int64)
        codes = np.ascontiguousarray(self.tuples.codes[:, held])
        labels = self._peeled(codes, counts, seed) if listable(self.levels) else self._grown(codes, counts, seed)
        anew = Pieces.of(labels, np.repeat(held, counts), len(self.tuples.counts))
        better = self.refined(anew, seed)
        return better if self._loss(better) < self._loss(part) else part

    def _loss(self, part: Pieces) -> int:
        return part.loss(self.rows.costs, self.tuples.codes, self.weights.worth)

    def _peeled(self, codes: Ints, counts: Longs, seed: int) -> Labels:
        labels = np.repeat(walk(codes, counts, self.keys, self._vectors(codes, counts, seed), self.k), counts)
        return settled(self.rows.costs, np.repeat(codes, counts, axis=1), labels)

    def _vectors(self, codes: Ints, counts: Longs, seed: int) -> Vectors:
        """The vectors of a region, in an order that chance has changed a little."""
        rng, kept, changed = np.random.default_rng(seed), [], []
        for axis, levels in enumerate(self.levels):
            rows = np.bincount(codes[axis], counts).astype(np.int64)
            here = np.flatnonzero(rows).astype(np.int32)
            numbers, costs = np.empty(len(levels), np.int32), np.empty(len(levels), np.int64)
            count = levels_here(self.rows.costs, axis, levels.parts, here, rows[here], numbers, costs)
            kept.append(numbers[:count])
            changed.append(_changed(Levels(levels.parts[numbers[:count]], costs[:count]), rng))
        chosen = Vectors.of(changed).levels
        numbers = np.array([levels[chosen[:, axis]] for axis, levels in enumerate(kept)], np.int32)
        return Vectors(np.ascontiguousarray(numbers.T), complete=True)

    def _grown(self, codes: Ints, counts: Longs, seed: int) -> Labels:
        some = replace(self.rows, codes=np.repeat(codes, counts, axis=1), sensitive=())
        return KMember().divide(some, self.k, AtLeast(self.k), np.random.default_rng(seed)).labels


def _changed(levels: Levels, rng: np.random.Generator) -> Levels:
    """The same levels at other costs, all of them and each by chance; still rising."""
    reach = int(CHANCE * STEPS)
    once, each = rng.integers(-reach, reach + 1), rng.integers(-reach // 2, reach // 2 + 1, size=len(levels))
    costs = levels.costs * (STEPS + once) // STEPS * (STEPS + each) // STEPS
    return Levels(levels.parts, np.maximum.accumulate(costs))
