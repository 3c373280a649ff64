"""`rows-at-risk`: the share of rows that are found with a chance above a threshold.

    risk = rows in groups with 1 / size > threshold, over rows

The threshold is read as the decimal that was typed, so that 0.2 is one fifth and a group of five is
not above it.

By hand: groups of 6, 3 and 1 rows, threshold 0.2: 1/6 is not above it, 1/3 and 1 are: 4/10 = 0.4.

When to use it: to count how many people stand above a threshold before anything is done.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import RecipeError
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


@dataclass(frozen=True)
class RowsAtRisk(Risk):
    """The share of rows that are found with a chance above a threshold (20 % is usual)."""

    name = "rows-at-risk"
    question = "linkability"
    threshold: float = 0.2

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise RecipeError(
                f"threshold of '{self.name}' must be above 0 and at most 1, not {self.threshold}"
            )

    def measure(self, seen: Exposure) -> float:
        """Divide rows of groups that are too small by rows."""
        small = seen.groups.sizes < least_safe(self.threshold)
        return int(seen.groups.sizes[small].sum()) / seen.rows if seen.rows else 0.0


def least_safe(threshold: float) -> int:
    """Find the smallest group that is found with a chance of at most the threshold."""
    large_enough = 1 / Fraction(str(threshold))
    return -(-large_enough.numerator // large_enough.denominator)
