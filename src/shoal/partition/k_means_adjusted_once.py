"""`k-means-adjusted-once`: plain k-means to its end, then groups are brought to k rows.

Algorithm No. 3 of El-Rashidy, Ayad, Taha & Sroor 2011, International Journal of Advanced Research
in Computer Science 2(5).

    K = floor(n / k) different random rows are the first centres
    repeat: every row goes to the nearest centre, and centres move into the midst of their rows
    until nothing moves, or the search is stopped
    every group keeps its k nearest rows
    the others, in random order, join the nearest group that lacks rows
        (its centre moves at once), and when none does, the nearest of all

Cost: O(n^2 / k) distances in every round. Sizes are k, and a little more where the last rows went.

What we do differently: an empty group gets the row that is farthest from its centre, out of a group
that has others (the paper is silent on empty groups). Rounds are limited, and the best one is
adjusted (least squared error around means and medoids). `centre`, `columns` (**`all` raises
attribute disclosure**), rounding, ties and missing values are those of `k-means-adjusted`.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2. k-means ends with centres 21.3, 41 and 60.5.
The first group has a row too many: 23, 1.7 from its centre. No group lacks rows, so it goes back
there: {20, 21, 23} {40, 42} {60, 61}.

When to use it: to compare with the field; `k-means-adjusted` is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.groups import Watch
from shoal.partition.clusters import Clusters
from shoal.partition.k_means import KMeans


@dataclass(frozen=True)
class KMeansAdjustedOnce(KMeans):
    """Plain k-means, adjusted to k at its end (No. 3 of El-Rashidy et al. 2011)."""

    name = "k-means-adjusted-once"

    def _round(
        self, clusters: Clusters, queue: Longs, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        labels = clusters.nearest(watch)
        clusters.reseed(labels)
        clusters.recentre(labels)
        return labels

    def _finish(
        self, clusters: Clusters, labels: Labels, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        return clusters.adjust(labels, rng, watch)
