"""`sample-uniqueness`: the share of rows that look like no other row of the table.

    risk = groups of one row / rows

Unique in the table is not unique in the population: a row that stands alone here may have
look-alikes outside. So this is an upper end, and the right figure where the table is the
population.

By hand: groups of 4, 1 and 1 rows: 2/6 = 0.3333. Any k of 2 or more gives 0.

When to use it: on a table before anything is done: the share of people who stand alone.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class SampleUniqueness(Risk):
    """The share of rows that look like no other."""

    name = "sample-uniqueness"
    question = "singling out"

    def measure(self, seen: Exposure) -> float:
        """Divide groups of one by rows."""
        return seen.with_size(1) / seen.rows if seen.rows else 0.0
