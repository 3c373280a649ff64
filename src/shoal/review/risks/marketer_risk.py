"""`marketer-risk`: the share of rows named correctly when all are named after someone who fits.

    risk = sum over groups of (rows / people who fit) / rows

The marketer wants many names rather than one, and does not mind mistakes (Dankar & El Emam 2010).
Each row gets one of the people who fit it, and is right with chance one over their number. How
these are counted or estimated: see `highest-journalist-risk`.

By hand: groups of 4, 2 and 2 rows that stand for 40, 5 and 20 people: (4/40 + 2/5 + 2/20) / 8 =
0.075.

When to use it: if many names would be worth something, even with mistakes among them.
"""

from __future__ import annotations

import math

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class MarketerRisk(Risk):
    """The share of rows that are named correctly by naming all of them."""

    name = "marketer-risk"
    question = "linkability"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Average 1 over the people who fit, over rows."""
        if seen.population is None:
            return None
        if not seen.rows:
            return 0.0
        # Summed exactly, so that the order of the rows does not show.
        return math.fsum(seen.groups.sizes / seen.population.sizes) / seen.rows
