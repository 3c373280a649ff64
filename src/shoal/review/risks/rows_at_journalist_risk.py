"""`rows-at-journalist-risk`: the share of rows found among everyone with too high a chance.

    risk = rows in groups with 1 / people who fit > threshold, over rows

The threshold is read as the decimal that was typed. How people are counted or estimated: see
`highest-journalist-risk`.

By hand: groups of 4, 2 and 2 rows that stand for 40, 4 and 5 people, threshold 0.2: 1/4 is above
it, 1/5 is not: 2/8 = 0.25.

When to use it: to count how many people stand above a threshold, where the highest risk concerns
one alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk
from shoal.review.risks.rows_at_risk import RowsAtRisk, least_safe


@dataclass(frozen=True)
class RowsAtJournalistRisk(Risk):
    """The share of rows that are found among everyone with a chance above a threshold."""

    name = "rows-at-journalist-risk"
    question = "linkability"
    needs_population = True
    threshold: float = 0.2

    def __post_init__(self) -> None:
        RowsAtRisk(self.threshold)  # which refuses what is no chance

    def measure(self, seen: Exposure) -> float | None:
        """Divide rows of groups with too few people behind them by rows."""
        if seen.population is None:
            return None
        few = seen.population.sizes < least_safe(self.threshold)
        return int(seen.groups.sizes[few].sum()) / seen.rows if seen.rows else 0.0
