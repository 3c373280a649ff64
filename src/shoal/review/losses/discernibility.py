"""`discernibility`: the rows that each row can't be told from, summed.

Bayardo & Agrawal 2005.

    DM = sum over groups of size^2 + withheld rows * rows of the table

By hand: 10 rows in groups of 4, 3 and 2, one withheld: 16 + 9 + 4 + 10 = 39. It looks at sizes
alone: every method that makes groups of exactly k rows gets nearly the same figure.

When to use it: to compare with papers and with ARX. It counts sizes of groups alone.
"""

from __future__ import annotations

from shoal.review.losses.loss import Evidence, Loss


class Discernibility(Loss):
    """Sum of squared group sizes; a withheld row costs as much as the table has rows."""

    name = "discernibility"

    def measure(self, evidence: Evidence) -> float:
        """Compute the sum, a whole number."""
        groups = evidence.groups
        return float(int((groups.sizes**2).sum()) + groups.withheld * evidence.rows.count)
