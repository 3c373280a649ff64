"""`average-journalist-risk`: the chance of finding a row among everyone who fits it, averaged.

    risk = max(groups / people who fit any of them, sum over groups of (rows / people who fit) /
           rows)

The first average is over people, the second over rows; the journalist may start from either side,
so the worse of the two counts (El Emam & Dankar 2008). How people are counted or estimated: see
`highest-journalist-risk`.

By hand: groups of 4, 2 and 2 rows that stand for 40, 5 and 20 people: 3/65 = 0.046, and (4/40 + 2/5
+ 2/20) / 8 = 0.075.

When to use it: as `highest-journalist-risk`, for a typical person.
"""

from __future__ import annotations

import math

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.marketer_risk import MarketerRisk
from shoal.review.risks.risk import Risk


class AverageJournalistRisk(Risk):
    """The chance of finding a row among everyone who fits it, averaged."""

    name = "average-journalist-risk"
    question = "linkability"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Return the worse of the averages over people and over rows."""
        if seen.population is None:
            return None
        over_rows = MarketerRisk().measure(seen) or 0.0
        if not seen.rows:
            return 0.0
        return max(seen.groups.count / math.fsum(seen.population.sizes), over_rows)
