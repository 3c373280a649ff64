"""`cid`: the movement of rows over that of centres.

Comprehensive index of distortion, Li et al. 2007.

    ppd / ild

Above 1 was meant to be good. It mostly measures the size of clusters: a centre of n rows moves by
about ppd / sqrt(n), so the figure is near the square root of the cluster sizes, grows with the
table without any gain in privacy, and falls where k-means is unstable. The attacks say what it does
not. No figure where no centre moved.

By hand: rows moved by 0.25 on average (ppd) and centres by 0.05 (ild): 0.25 / 0.05 = 5.

Cost: that of `ild`.

When to use it: to compare with its paper; for anything else look at the attacks.
"""

from __future__ import annotations

from shoal.review.effects.effect import Effect, Pair


class Cid(Effect):
    """The movement of rows over that of centres; says little about privacy."""

    name = "cid"

    def measure(self, pair: Pair) -> float | None:
        """Compute the ratio."""
        still = float(pair.centres_moved.mean())
        return float(pair.moved.mean()) / still if still > 0 else None
