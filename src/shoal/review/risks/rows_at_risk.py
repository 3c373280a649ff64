"""`rows-at-risk`: the share of rows that are found with a chance above a threshold.

    risk = rows in groups with 1 / size > threshold, over rows

The threshold is read as the decimal that was typed, so that 0.2 is one fifth and a group of five is not above it.

By hand: groups of 6, 3 and 1 rows, threshold 0.2: 1/6 is not above it, 1/3 and 1 are: 4/10 = 0.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.review.risks.risk import Risk


@dataclass(frozen=True)
class RowsAtRisk(Risk):
    """The share of rows that are found with a chance above a threshold."""

    name = "rows-at-risk"
    threshold: float = 0.2

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise RecipeError(f"threshold of '{self.name}' must be above 0 and at most 1, not {self.threshold}")

    def measure(self, groups: Groups) -> float:
        """Rows of the groups that are too small, over rows."""
        if not groups.count:
            return 0.0
        large_enough = 1 / Fraction(str(self.threshold))
        small = groups.sizes < -(-large_enough.numerator // large_enough.denominator)
        return int(groups.sizes[small].sum()) / int(groups.sizes.sum())
