"""`ppd`: the mean distance that rows moved.

Privacy protection of the distortion, Li et al. 2007.

    mean over rows of the Euclidean distance between a row before and after, every column on its
        original range from 0 to 1

More is meant to protect more. It says nothing about whether the noise can be taken off again. By
hand: two rows in two columns from 0 to 10; one moves by (3, 4), the other stays: (0.5 + 0) / 2 =
0.25.

Cost: one step a cell.

When to use it: to see how much a distortion changed; what protects is said by the attacks.
"""

from __future__ import annotations

from shoal.review.effects.effect import Effect, Pair


class Ppd(Effect):
    """The mean distance that rows moved, in shares of the columns' ranges."""

    name = "ppd"

    def measure(self, pair: Pair) -> float:
        """Compute the mean distance."""
        return float(pair.moved.mean())
