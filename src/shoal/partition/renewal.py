"""Renewal: a region of near groups divided anew, refined, and kept if it loses less than it did.

Trees make single steps useless: a box shrinks only when all rows on one side of a node leave
together. Dividing a region anew is the step that moves many rows at once:

    list all boxes that the levels of the axes make of the region's rows
        and that hold k rows, or four fifths of k
    TRIES times, each box at its own cost, changed by chance
        (each axis by up to a fifth, each box by up to a tenth):
        the cheapest box first, the rows in it that have no group yet become one if they are k;
            where a few are missing, groups made before that have more than k lend them
        each of those that are left joins the group whose loss grows least
    the best of these is refined

A whole table is peeled by vectors, of which each divides all rows at once. In a region of a few
groups there are some hundred boxes, and so each of them can have a cost and a turn of its own.
Where the table's vectors are too many to be listed, or the region's boxes, it is divided by
`k-member` from a random row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.encode.levels import Levels, levels_of
from shoal.encode.rows import Distinct, Rows
from shoal.kernels.partition.peel import Keys
from shoal.kernels.partition.renew import TOO_MANY, Attempts, BoxMembers, Region, list_boxes, renew
from shoal.partition.balance import Balance
from shoal.partition.beginnings import AtLeast
from shoal.partition.k_member import KMember
from shoal.partition.pieces import Pieces
from shoal.partition.vectors import keys_of, listable

TRIES = 8
LENT = 5  # a group may borrow up to one row in so many
STEPS = 1 << 10
# how far the costs of an axis and of a box are changed
AXIS = STEPS // 5
BOX = STEPS // 10
MOST_BOXES = 1 << 13
MOST_MEMBERS = 1 << 20  # of all boxes together


@dataclass(frozen=True)
class Renewal:
    """The work on one region, with what all regions have in common."""

    rows: Rows
    tuples: Distinct
    k: int
    weights: Balance
    refined: Callable[[Pieces, int], Pieces]

    @cached_property
    def levels(self) -> list[Levels]:
        """List the levels of all axes."""
        return levels_of(self.rows)

    @cached_property
    def keys(self) -> Keys:
        """List a number for each part of each level."""
        return keys_of(self.levels)

    def __call__(self, part: Pieces, seed: int) -> Pieces:
        """Divide a region anew; return it, or the old one where that loses less."""
        held, inverse = np.unique(part.held, return_inverse=True)
        counts = np.bincount(inverse, part.count).astype(np.int64)
        region = Region(
            np.ascontiguousarray(self.tuples.codes[:, held]), counts, self.weights.worth[held]
        )
        labels = self._divided(region, np.random.default_rng(seed))
        anew = Pieces.of(labels, np.repeat(held, counts), len(self.tuples.counts))
        better = self.refined(anew, seed)
        return better if self._loss(better) < self._loss(part) else part

    def _loss(self, part: Pieces) -> int:
        return part.loss(self.rows.costs, self.tuples.codes, self.weights.worth)

    def _divided(self, region: Region, rng: np.random.Generator) -> Labels:
        """Label each row of a region with a group."""
        boxes, count = self._boxes(region) if listable(self.levels) else (None, TOO_MANY)
        if boxes is None or count == TOO_MANY:
            some = replace(
                self.rows, codes=np.repeat(region.codes, region.counts, axis=1), sensitive=()
            )
            return KMember().divide(some, self.k, AtLeast(self.k), rng).labels
        labels = np.empty(len(region.counts), np.int32)
        lent = rng.integers(self.k // LENT + 1, size=TRIES)
        attempts = Attempts(_orders(boxes, count, rng), self.k - lent)
        renew(self.rows.costs, region, boxes, attempts, self.k, labels)
        return np.repeat(labels, region.counts)

    def _boxes(self, region: Region) -> tuple[BoxMembers, int]:
        """List the boxes of a region; return them and how many they are."""
        paid = np.empty((MOST_BOXES, len(region.codes)), np.int32)
        boxes = BoxMembers(
            np.empty(MOST_BOXES + 1, np.int64), np.empty(MOST_MEMBERS, np.int32), paid
        )
        levels = np.array([len(axis) for axis in self.levels], np.int64)
        return boxes, list_boxes(
            self.rows.costs, region, self.keys, levels, self.k - self.k // LENT, boxes
        )


def _orders(boxes: BoxMembers, count: int, rng: np.random.Generator) -> Longs:
    """Draw orders [tries, boxes] of increasing cost, as chance has changed it."""
    paid = boxes.paid[:count].astype(np.int64)
    axes = rng.integers(STEPS - AXIS, STEPS + AXIS + 1, size=(TRIES, paid.shape[1]))
    each = rng.integers(STEPS - BOX, STEPS + BOX + 1, size=(TRIES, count))
    return np.asarray(np.argsort(axes @ paid.T * each, axis=1, kind="stable"), np.int64)
