"""`dunn-index`: the separation of the clusters of the perturbed table (Dunn 1974).

    least distance between two rows of different clusters / largest distance between two rows of one
        cluster

Higher is better. Measured on all pairs of rows, so only up to MOST rows; beyond, on that many rows
drawn at random, which can only make it larger. No figure where all rows of each cluster are alike.
By hand: clusters {0, 1} and {4, 6}: 3 / 2 = 1.5.

Cost: one distance for each pair of rows, of MOST rows at most.

When to use it: to see whether clusters of the perturbed table are as compact as those of the
original.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.lloyd import separation
from shoal.review.effects.effect import Effect, Pair

MOST = 5_000


class DunnIndex(Effect):
    """The separation of the clusters of the perturbed table."""

    name = "dunn-index"

    def measure(self, pair: Pair) -> float | None:
        """Divide the least distance between clusters by the largest inside one."""
        points = pair.after[pair.whole]
        labels = pair.clusters_after.labels
        if len(points) > MOST:
            drawn = np.sort(np.random.default_rng(1).choice(len(points), MOST, replace=False))
            points = points[drawn]
            labels = labels[drawn]
        apart, across = separation(np.ascontiguousarray(points), np.ascontiguousarray(labels))
        return math.sqrt(apart / across) if across > 0 and math.isfinite(apart) else None
