"""`hybrid`: dense groups from `one-pass-k-means`, the rest by `k-member`.

After Lin, Wei, Li & Hsieh 2008, A hybrid method for k-anonymization, IEEE APSCC 2008.

    K = floor(n / k) groups of any size: the clustering stage of `one-pass-k-means`
    a group of more than k rows keeps k: its medoid, and then always the row by which
        the box grows least; the others go into a pool
    a group of fewer than k rows is dissolved into the pool as well
    the pool is divided by `k-member`, while it holds k rows
    each row left over, in random order, joins the group whose loss (size times box) grows least

The medoid is the row with the least sum of distances to the others. Cost: O(n^2 / k) distances, and
O(p^2) for a pool of p rows. There are floor(n / k) groups of k rows, and a little more where
leftovers went.

What we do differently. **This is a reconstruction**: the body of the paper was not at hand. What is
known of it is that it exists, that it comes from the authors of `one-pass-k-means`, and that their
genetic search starts from its result (Lin & Wei 2009). Which parts it joins, and how, is ours, in
the spirit of its name: the adjustment of `one-pass-k-means` fills small groups with far rows, so
here they are dissolved instead. Rounding, ties and missing values are as in the two methods it is
made of. If the models ask for more rows than k, that number takes its place.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, random centres 21, 42 and 60. Three rows come
to 21, and it keeps two: 21 and 20, by which its box grows least. 23 is left over alone and joins
the group whose loss grows least, the same one: {20, 21, 23} {40, 42} {60, 61}.

When to use it: to start `genetic`, or to compare. It is far better than `one-pass-k-means`, and no
match for `shoal`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Labels
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard, Watch, within
from shoal.kernels.partition.adjustment import Grouping
from shoal.kernels.partition.centroids import ANCESTOR
from shoal.kernels.partition.hybrid import keep_cores
from shoal.partition.clusters import Clusters
from shoal.partition.k_member import grown, with_leftovers
from shoal.partition.method import Method
from shoal.partition.one_pass_k_means import one_pass
from shoal.partition.points import LOSSES, Points

BREATH = 10_000_000  # rows times additions between two looks at the watch: a fraction of a second


@dataclass(frozen=True)
class Hybrid(Method):
    """Dense groups of one-pass k-means, the rest by k-member (reconstructed; Lin et al. 2008)."""

    name = "hybrid"
    losses = LOSSES

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        size = min(max(k, guard.least), rows.count)
        clusters = Clusters(Points.of(rows), ANCESTOR, size)
        labels = one_pass(clusters, np.lexsort(rows.codes[::-1]), rng, within(watch, 0.0, 1 / 3))
        labels, kept = _dense(rows, labels, size, within(watch, 1 / 3, 2 / 3))
        pool = np.flatnonzero(labels == WITHHELD)
        if len(pool) >= size:
            inside = replace(rows, codes=np.ascontiguousarray(rows.codes[:, pool]), sensitive=())
            fresh = grown(inside, size, rng, within(watch, 2 / 3, 1.0))
            labels[pool] = np.where(fresh == WITHHELD, WITHHELD, fresh + kept)
        return Groups.of(with_leftovers(rows, labels, rows.count // size, rng))


def _dense(rows: Rows, labels: Labels, k: int, watch: Watch) -> tuple[Labels, int]:
    """Keep k rows of each group with k and more; return labels and how many groups there are.

    The groups stay in order; the other rows are withheld.
    """
    sizes = np.bincount(labels)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    grouping = Grouping(labels, np.argsort(labels, kind="stable"), starts)
    points = np.ascontiguousarray(rows.codes.T)
    first = 0
    while first < len(sizes):
        watch(first / len(sizes))
        reached = int(np.searchsorted(starts, starts[first] + BREATH // k, side="right")) - 1
        upto = max(first + 1, reached)
        keep_cores(rows.costs, points, grouping, k, first, upto)
        first = upto
    enough = sizes >= k
    number = np.where(enough, np.cumsum(enough) - 1, WITHHELD).astype(np.int32)
    kept = np.where(labels == WITHHELD, WITHHELD, number[labels]).astype(np.int32)
    return kept, int(enough.sum())
