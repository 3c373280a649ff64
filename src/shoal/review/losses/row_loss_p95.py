"""`row-loss-p95`: the loss that 95 of 100 rows do not exceed.

    the 95th percentile over rows of the row's mean height loss per cell

That is the least loss that at least 95 % of the rows do not exceed: always the loss of a real row,
nothing in between. By hand: 18 rows that lose 0.1 and 2 that lose 0.9: 0.9, since only 18 of 20
stay at 0.1. A mean hides these two. A withheld row loses 1.

When to use it: to see what a release costs those who pay much, where a mean hides them.
"""

from __future__ import annotations

import numpy as np

from shoal.review.losses.loss import Evidence, Loss


class RowLossP95(Loss):
    """Mean height loss per cell that 95 of 100 rows do not exceed."""

    name = "row-loss-p95"
    of_boxes = True

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the percentile; None without rows."""
        if not evidence.rows.count:
            return None
        return float(np.quantile(evidence.row_losses, 0.95, method="inverted_cdf"))
