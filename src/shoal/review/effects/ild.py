"""`ild`: the mean distance that centres of k-means clusters moved.

Information loss of the distortion, Li et al. 2007.

    k-means on the table before and after; mean over centres of the distance between a centre and
        its match

Lower is better. Where clusters are stable, a centre is a mean of n noisy rows and moves by about
ppd / sqrt(n): long tables have small figures whatever the noise is. Which centres belong together,
and which of several runs counts, the paper leaves open: here the best of ten runs each, matched so
that the sum of distances is least.

By hand: centres at 0.2 and 0.8 before, at 0.25 and 0.77 after: (0.05 + 0.03) / 2 = 0.04.

Cost: twenty runs of k-means.

When to use it: if readers will look for clusters in perturbed numbers. Compare tables of one
length.
"""

from __future__ import annotations

from shoal.review.effects.effect import Effect, Pair


class Ild(Effect):
    """The mean distance that the centres of clusters moved."""

    name = "ild"

    def measure(self, pair: Pair) -> float:
        """Compute the mean distance of matched centres."""
        return float(pair.centres_moved.mean())
