"""`average-group-size`: rows of the table divided by groups (AECS).

By hand: 10 rows in groups of 4, 3 and 2, one withheld: 10 / 3 = 3.33. Withheld rows are among the
rows, so that withholding never makes the figure look better. No figure without a group.

When to use it: to see at a glance how far groups are above k; it says nothing about how alike their
rows are.
"""

from __future__ import annotations

from shoal.review.losses.loss import Evidence, Loss


class AverageGroupSize(Loss):
    """Rows divided by groups."""

    name = "average-group-size"

    def measure(self, evidence: Evidence) -> float | None:
        """Divide rows by groups."""
        return evidence.rows.count / evidence.groups.count if evidence.groups.count else None
