"""`average-prosecutor-risk`: the chance of finding a person's row, averaged over all rows.

    risk = groups / rows

A row in a group of f rows is found with chance 1/f; the f rows of a group add up to 1, so the sum
over all rows is the number of groups (El Emam & Dankar 2008).

By hand: groups of 4, 2 and 2 rows: (4 * 1/4 + 2 * 1/2 + 2 * 1/2) / 8 = 3/8 = 0.375.

When to use it: to see the risk of a typical person beside that of the one who is easiest to find.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class AverageProsecutorRisk(Risk):
    """The chance of finding a person's row, averaged over all rows."""

    name = "average-prosecutor-risk"
    question = "linkability"

    def measure(self, seen: Exposure) -> float:
        """Divide groups by rows."""
        return seen.groups.count / seen.rows if seen.rows else 0.0
