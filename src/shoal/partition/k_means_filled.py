"""`k-means-filled`: k-means that fills groups up to k before any gets more.

Algorithm No. 2 of El-Rashidy, Ayad, Taha & Sroor 2011, International Journal of Advanced Research
in Computer Science 2(5).

    K = floor(n / k) different random rows are the first centres
    repeat: each row, in one random order for all rounds, goes to the nearest centre
                whose group holds fewer than k rows; when none does, to the nearest of all
            centres move into the midst of their rows
    until nothing moves, or the search is stopped

Cost: O(n^2 / k) distances in every round. Sizes are k, and a little more where the last rows went.

What we do differently. The paper deals rows in file order; then the last rows of a file have little
choice, so we shuffle once. It also goes on until no centre moves, which may never happen (rounds
repeat in a cycle): so rounds are limited, and the best one counts (least squared error around means
and medoids). `centre`, `columns` (**`all` raises attribute disclosure**), rounding, ties and
missing values are those of `k-means-adjusted`.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, random centres 21, 40 and 61. In the order 20,
21, 42, 40, 60, 61, 23 the last row finds all groups full and goes to the nearest: {20, 21, 23} {40,
42} {60, 61}. Had 23 and 20 come first, 21 would have found the group full and joined the second.

When to use it: to compare with the field; `k-means-adjusted` is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.groups import WITHHELD, Watch
from shoal.partition.clusters import Clusters
from shoal.partition.k_means import KMeans


@dataclass(frozen=True)
class KMeansFilled(KMeans):
    """k-means that fills groups up to k before any gets more (No. 2 of El-Rashidy et al. 2011)."""

    name = "k-means-filled"

    def _round(
        self, clusters: Clusters, queue: Longs, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        labels = clusters.deal(np.full(len(queue), WITHHELD, np.int32), queue, watch, follow=False)
        clusters.recentre(labels)
        return labels
