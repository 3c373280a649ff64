"""`squared-error-share`: the share of the table's spread that its groups hide (SSE/SST).

    mean over axes of (squared error of the groups) / (squared error of the table as one group)

For numbers this is SSE/SST on z-scores, the usual measure of microaggregation (a fraction here, percent in papers);
for hierarchies distances are to medoids, as in `squared-error`. By hand: ages 20, 30 and 60 have a spread of
(16.67^2 + 6.67^2 + 23.33^2) = 866.7; groups {20, 30} and {60} leave 2 * 5^2 = 50: 50 / 866.7 = 0.0577.
From 0 to 1 for numbers; a medoid is not the centre of least squares, so hierarchies can come out a little above 1.
A withheld row counts as if it were published as the centre of the table. Constant columns are left out; no figure where
all are constant.
"""

from __future__ import annotations

import numpy as np

from shoal.groups import Groups
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.squared_error import errors_of


class SquaredErrorShare(Loss):
    """Squared error over that of the table as one group (SSE/SST), mean over columns."""

    name = "squared-error-share"

    def measure(self, evidence: Evidence) -> float | None:
        """The mean over axes that vary, or None."""
        together = Groups(np.zeros(evidence.rows.count, np.int32), 1)
        withheld = evidence.groups.labels < 0
        shares = []
        for axis, codes in zip(evidence.rows.axes, evidence.rows.codes, strict=True):
            most = errors_of(axis, codes, together)
            if most.any():
                errors = np.where(withheld, most, errors_of(axis, codes, evidence.groups))
                shares.append(float(errors.sum() / most.sum()))
        return float(np.mean(shares)) if shares else None
