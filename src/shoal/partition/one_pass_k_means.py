"""`one-pass-k-means`: rows flow once past random centres, then groups are adjusted.

It is OKA (Lin & Wei 2008, doi 10.1145/1379287.1379297).

    K = floor(n / k) different random rows are the first centres
    each other row, in sorted order, joins the nearest group; its centre moves at once
    every group keeps the k rows nearest to its centre; the others go into a pool
    centres move into what is left
    each row of the pool, in random order, joins the nearest group that lacks rows,
        and its centre moves at once; when no group lacks rows any more, it joins the nearest of all

A centre is the mean of a number and the lowest common ancestor of a category. The distance is the
share of the range, or the height of the lowest node above row and centre over the tree's. Cost:
O(n^2 / k) distances.

`order`: `sorted` by the columns, first column first, as the paper has it; or `file`, as the rows
come.

What we do differently: means are rounded to 2^-20 of the range, so that distances are whole numbers
and groups the same on every machine. Missing is as far from anything else as can be, and no part of
a centre unless all are missing. Ties go to the lowest row and the oldest group. If the models ask
for more rows than k, that number takes its place.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, random centres 21, 42 and 60. 20 and 23 join
21, whose centre moves to 21.3; 40 joins 42, 61 joins 60. The first group keeps 20 and 21; 23 goes
into the pool and, as no group lacks rows, back to the nearest: {20, 21, 23} {40, 42} {60, 61}.

When to use it: to compare with the field. It is fast, but it loses more than `k-member`, against
its paper's claim and in accord with El-Rashidy et al. 2011: an ancestor forgets who stands under
it, so that once a group is wide further strangers cost it nothing, and early mistakes are never
felt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard, Watch, within
from shoal.kernels.partition.centroids import ANCESTOR
from shoal.partition.clusters import Clusters
from shoal.partition.method import Method
from shoal.partition.points import LOSSES, Points


@dataclass(frozen=True)
class OnePassKMeans(Method):
    """One pass of k-means with centres that move at once, then adjusted to k (Lin & Wei 2008)."""

    name = "one-pass-k-means"
    losses = LOSSES
    order: Literal["sorted", "file"] = "sorted"

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        clusters = Clusters(Points.of(rows), ANCESTOR, min(max(k, guard.least), rows.count))
        queue = np.lexsort(rows.codes[::-1]) if self.order == "sorted" else np.arange(rows.count)
        labels = one_pass(clusters, queue, rng, within(watch, 0.0, 0.5))
        return Groups.of(clusters.adjust(labels, rng, within(watch, 0.5, 1.0)))


def one_pass(clusters: Clusters, queue: Longs, rng: np.random.Generator, watch: Watch) -> Labels:
    """Cluster rows in one pass: each row of the queue joins a group around a random row.

    Groups are of any size.
    """
    seeds = clusters.scatter(rng)
    labels = np.full(len(queue), WITHHELD, np.int32)
    labels[seeds] = np.arange(len(seeds))
    return clusters.attract(labels, queue[labels[queue] == WITHHELD], watch)
