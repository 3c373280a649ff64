"""`squared-error-share`: the share of the table's spread that its groups hide (SSE/SST).

    mean over axes of (squared error of the groups) / (squared error of the table as one group)

For numbers this is SSE/SST on z-scores, the usual measure of microaggregation (a fraction here,
percent in papers); for hierarchies distances are to medoids, as in `squared-error`. By hand: ages
20, 30 and 60 have a spread of (16.67^2 + 6.67^2 + 23.33^2) = 866.7; groups {20, 30} and {60} leave
2 * 5^2 = 50: 50 / 866.7 = 0.0577. From 0 to 1 for numbers; a medoid is not the centre of least
squares, so hierarchies can come out a little above 1. A withheld row counts as if it were published
as the centre of the table. Constant columns are left out; no figure where all are constant.

When to use it: as `squared-error`, comparable between tables: 0 keeps everything, 1 only the mean
of the table.
"""

from __future__ import annotations

import numpy as np

from shoal.review.losses.centres import errors_of
from shoal.review.losses.held import held_by_all
from shoal.review.losses.loss import Evidence, Loss


class SquaredErrorShare(Loss):
    """Squared error over that of the table as one group (SSE/SST), mean over columns."""

    name = "squared-error-share"

    def measure(self, evidence: Evidence) -> float | None:
        """Compute the mean over axes that vary; None where none does."""
        shares = []
        for a, axis in enumerate(evidence.rows.axes):
            everybody = held_by_all(axis, evidence.rows.count)
            most = errors_of(axis, everybody, 1)
            if most.any():
                kept = np.bincount(
                    evidence.held[a].code, evidence.held[a].times, minlength=axis.size + 1
                )[everybody.code]
                errors = evidence.squared_errors[a] + float(most @ (everybody.times - kept))
                shares.append(errors / float(most @ everybody.times))
        return float(np.mean(shares)) if shares else None
