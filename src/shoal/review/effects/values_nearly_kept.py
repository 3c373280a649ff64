"""`values-nearly-kept`: the share of values that stayed within a hundredth of their column's range.

Whoever reads the published value and believes it is right to one hundredth so often. `ppd` hides
it: a mean distance over many columns is large although most single values hardly moved. By hand:
moves of 0.002, 0.009, 0.03 and 0.05: 2/4 = 0.5.

Cost: one step a cell.

When to use it: to see how many cells hardly moved: such cells are hardly protected.
"""

from __future__ import annotations

import numpy as np

from shoal.review.effects.effect import Effect, Pair

NEAR = 0.01


class ValuesNearlyKept(Effect):
    """The share of values that moved by less than a hundredth of the range."""

    name = "values-nearly-kept"

    def measure(self, pair: Pair) -> float | None:
        """Divide values that hardly moved by all values; columns of one value are left out."""
        low, high = pair.ends or (
            np.nanmin(pair.original, axis=0),
            np.nanmax(pair.original, axis=0),
        )
        varies = high > low
        moves = np.abs(pair.after - pair.before)[:, varies]
        there = ~np.isnan(moves)
        return float((moves[there] < NEAR).mean()) if there.any() else None
