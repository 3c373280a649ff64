"""`k-means-adjusted`: k-means whose groups are brought to k rows in every round.

Algorithm No. 1 of El-Rashidy, Ayad, Taha & Sroor 2011, International Journal of Advanced Research
in Computer Science 2(5).

    K = floor(n / k) different random rows are the first centres
    repeat: every row goes to the nearest centre, and centres move into the midst of their rows
            every group keeps its k nearest rows
            the others, in random order, join the nearest group that lacks rows
                (its centre moves at once), and when none does, the nearest of all
    until nothing moves, or the search is stopped

Cost: O(n^2 / k) distances in every round. Sizes are k, and a little more where the last rows went.

What we do differently. The paper goes on until no centre moves, but adjustment undoes the descent
of k-means, and that moment may never come: so rounds are limited, and the best one counts (least
squared error around means and medoids). The paper leaves the centre of a category open;
`centre=medoid` is the reading under which its claims come out (`ancestor` makes the groups worse
from round to round). An empty group keeps its centre. Means are rounded to 2^-20 of the range, so
that distances are whole numbers. Ties go to the lowest row and the lowest group. Missing is as far
from anything else as can be, and no part of a centre unless all are missing. `columns=all` lets
sensitive columns into the distance: **that raises attribute disclosure** (see `k_means`).

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2, random centres 20, 42 and 61. Rows go to the
nearest: 20, 21 and 23 to the first, two to each other. The first group keeps its two nearest; no
group lacks rows, so the third row joins the nearest of all, where it was: {20, 21, 23} {40, 42}
{60, 61}.

When to use it: for a low squared error at a given k. Its information loss lies between `k-member`
and `one-pass-k-means`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Labels, Longs
from shoal.groups import Watch, within
from shoal.partition.clusters import Clusters
from shoal.partition.k_means import KMeans


@dataclass(frozen=True)
class KMeansAdjusted(KMeans):
    """k-means with groups adjusted to k in every round (No. 1 of El-Rashidy et al. 2011)."""

    name = "k-means-adjusted"

    def _round(
        self, clusters: Clusters, queue: Longs, rng: np.random.Generator, watch: Watch
    ) -> Labels:
        labels = clusters.nearest(within(watch, 0.0, 0.5))
        return clusters.adjust(labels, rng, within(watch, 0.5, 1.0))
