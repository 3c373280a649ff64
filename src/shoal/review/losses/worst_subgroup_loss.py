"""`worst-subgroup-loss`: the mean loss of the people who pay most for the release.

    highest, over the values of all categories, of the mean height loss per cell of the rows that
        hold the value

A loss has owners: rare kinds of people are generalized more, and a mean over all rows does not show
it. A value counts if at least 30 rows and at least one row in 1,000 hold it, so that chance does
not decide; missing is a value too. Only columns with a hierarchy (or none but `*`) have values in
this sense; numbers have none. By hand: 900 rows born here lose 0.05 each, 100 born elsewhere 0.25
each: 0.25, where `height-share` says 0.07. A withheld row loses 1. No figure without such a value.

When to use it: to see who pays: minorities often lose more than others.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.review.losses.loss import Evidence, Loss

LEAST_ROWS = 30
LEAST_SHARE = 1000  # a value counts if one row in this many holds it


class WorstSubgroupLoss(Loss):
    """Highest mean height loss per cell among the rows that share one value of a category."""

    name = "worst-subgroup-loss"
    of_boxes = True

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the highest mean; None where no value is frequent enough."""
        means = [
            frequent(evidence, a)[2]
            for a, axis in enumerate(evidence.rows.axes)
            if axis.tree is not None
        ]
        highest = np.concatenate(means) if means else np.zeros(0)
        return float(highest.max()) if len(highest) else None


def frequent(evidence: Evidence, axis: int) -> tuple[Longs, Longs, Floats]:
    """Find the codes of an axis that enough rows hold, their numbers, and the means of losses."""
    codes = evidence.rows.codes[axis]
    rows = np.bincount(codes)
    often = np.flatnonzero(rows >= max(LEAST_ROWS, evidence.rows.count / LEAST_SHARE))
    return often, rows[often], np.bincount(codes, evidence.row_losses)[often] / rows[often]
