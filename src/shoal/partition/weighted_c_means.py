"""`weighted-c-means`: k-means with column weights that adjust themselves, merged and divided to k.

After Chiu & Tsai 2007, A k-anonymity clustering method for effective data privacy preservation,
ADMA 2007. When k-means ends, small groups are merged and large ones divided.

    K = floor(n / k) different random rows are the first centres; all columns weigh the same
    repeat: every row goes to the nearest centre by weighted distance
            centres move into the midst of their rows (mean of a number, medoid of a category)
            weights follow
    until nothing moves, or the search is stopped
    while a group holds fewer than k rows: the smallest is merged where size times box grows least
    every group of 2k rows or more is divided by `k-member`

`weights`: how the weight of a column follows, halfway in every round.

- `separation`: squared distances of centres to the table's centre, over those of rows to their
  centres. The rule that the same authors gave in 2008 for k-means.
- `loss`: one over the mean width of the groups' boxes, so that a column in which groups stay narrow
  is kept narrow.

Cost: O(n^2 / k) distances in every round, and one look at all groups for each merge.

What we do differently. **This is a reconstruction**: only an outline of the method was at hand, so
the weights are those of the authors' later work and the merging is ours. One row at full distance
is added to every denominator, lest it be 0. Dividing large groups is ours too; without it the loss
is much overstated. Rounds are limited, and the best one counts (least squared error around means
and medoids, unweighted), as in `k-means-adjusted`, whose rounding, ties and missing values hold
here as well. An empty group keeps its centre and vanishes at the end.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2. One column has nothing to weigh. k-means ends
with {20, 21, 23} {40, 42} {60, 61}; no group is below k or holds 2k rows, so none is merged or
divided.

When to use it: to compare with its paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shoal.arrays import Flags, Floats, Labels, Longs
from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch, within
from shoal.kernels.costs import UNIT, boxes
from shoal.kernels.partition.centroids import MEDOID
from shoal.kernels.partition.widths import widths
from shoal.partition.clusters import Clusters
from shoal.partition.k_member import KMember
from shoal.partition.method import Method
from shoal.partition.points import LOSSES, Points
from shoal.partition.repair import repair
from shoal.partition.rounds import Rounds


@dataclass(frozen=True)
class WeightedCMeans(Method):
    """k-means with self-adjusting column weights, merged and divided to k (Chiu & Tsai 2007)."""

    name = "weighted-c-means"
    losses = LOSSES
    weights: Literal["separation", "loss"] = "separation"
    iterations: int = 30

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise RecipeError(
                f"iterations of '{self.name}' must be at least 1", remedy="iterations=30"
            )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        size = min(max(k, guard.least), rows.count)
        points = Points.of(rows)
        rounds = Rounds(self.iterations)
        clusters = Clusters(points, MEDOID, size)
        clusters.scatter(rng)
        weights = np.full(len(rows.axes), 1 / len(rows.axes))
        while True:
            labels = clusters.nearest(rounds.watch(watch), weights / weights.max())
            clusters.recentre(labels)
            if rounds.over(labels, clusters.error(labels)):
                break
            weights = self._moved(weights, rows, clusters, labels)
        guard = _AtLeast(size, watch)
        merged = repair(Groups.of(rounds.best), rows, guard)
        return Groups.of(_divided(merged, rows, guard, rng), rounds.notes)

    def _moved(self, weights: Floats, rows: Rows, clusters: Clusters, labels: Labels) -> Floats:
        """Move the weights of axes halfway to the shares that the clusters suggest."""
        if self.weights == "separation":
            ratios = _separation(clusters, labels)
        else:
            ratios = _narrowness(rows, labels)
        if not ratios.any():
            return weights
        return (weights + ratios / math.fsum(ratios.tolist())) / 2


@dataclass(frozen=True)
class _AtLeast:
    """A guard that asks for size alone, as the models come later.

    It looks at the watch whenever it is asked.
    """

    least: int
    watch: Watch
    survives_merging = True
    survives_recoding = True
    only_more_helps = True
    only_size = True
    rules = None

    def safe(self, groups: Groups) -> Flags:
        self.watch(1.0)
        return groups.sizes >= self.least


def _separation(clusters: Clusters, labels: Labels) -> Floats:
    """Compute how far centres are from each other, over how far rows are from them."""
    return clusters.spread(labels) / (clusters.errors(labels) + 1.0)


def _narrowness(rows: Rows, labels: Labels) -> Floats:
    """Compute one over the mean width of the groups' boxes."""
    groups = Groups.of(labels)
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    wide = widths(rows.costs, lo, hi, groups.sizes)
    return rows.count / (wide / UNIT + 1.0)


def _divided(groups: Groups, rows: Rows, guard: _AtLeast, rng: np.random.Generator) -> Longs:
    """Divide the groups of twice the least size or more by `k-member`."""
    order, starts = groups.by_group
    labels = groups.labels.astype(np.int64)
    count = groups.count
    for group in np.flatnonzero(groups.sizes >= 2 * guard.least):
        members = order[starts[group] : starts[group + 1]]
        inside = replace(rows, codes=np.ascontiguousarray(rows.codes[:, members]), sensitive=())
        parts = KMember().divide(inside, guard.least, guard, rng, within(guard.watch, 1.0, 1.0))
        labels[members] = count + parts.labels
        count += parts.count
    return labels
