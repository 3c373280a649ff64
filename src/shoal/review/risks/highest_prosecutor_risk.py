"""`highest-prosecutor-risk`: the chance of finding the row of the person who is easiest to find.

    risk = 1 / size of the smallest group

The prosecutor looks for one person and knows that the person is in the table. In a group of f rows
that look alike the right one is hit with chance 1/f (El Emam & Dankar 2008).

By hand: groups of 4, 2 and 2 rows: 1/2 = 0.5. A k-anonymous table never exceeds 1/k.

When to use it: as the first figure for the risk of being found: it is 1/k or less in every release.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class HighestProsecutorRisk(Risk):
    """The chance of finding the person who is easiest to find."""

    name = "highest-prosecutor-risk"
    question = "linkability"

    def measure(self, seen: Exposure) -> float:
        """Divide 1 by the smallest size."""
        return 1.0 / int(seen.groups.sizes.min()) if seen.rows else 0.0
