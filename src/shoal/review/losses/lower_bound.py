"""`lower-bound`: a total information loss that no grouping can stay below.

    bound = sum over rows of the distance to the (k-1)-th nearest other row
    distance of two rows = height loss of the box around both, summed over axes

Proof: a group that holds row i holds k - 1 others, the farthest of them at least as far as the (k-1)-th nearest; the
box of the group holds both, and a box never costs less than a box inside it. A withheld row costs one for each axis,
which no distance exceeds. By hand: ages 20, 30 and 60 in a table from 20 to 60, k = 2: 10/40 + 10/40 + 30/40 = 1.25;
the best grouping is all three together, which costs 3.
Distances are integers (2^20 to an axis); what rounding could have added is taken off each, so the bound stays a proof.
The gap is wide (a half is usual): the bound shows that a loss is not far from the best, never that it is far.
Cost: about 0.2 s for 18,000 different tuples at k = 10, growing somewhat faster than their number; beyond 50,000 of
them there is no figure unless `always` is set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.encode.costs import costs_of
from shoal.kernels.costs import UNIT
from shoal.kernels.neighbours import kth_distances
from shoal.review.losses.loss import Evidence, Loss

MOST_TUPLES = 50_000


@dataclass(frozen=True)
class LowerBound(Loss):
    """A total information loss that no grouping with this k can stay below."""

    name = "lower-bound"
    always: bool = False

    def measure(self, evidence: Evidence) -> float | None:
        """The bound, or None where the table is too large to be worth it."""
        rows = evidence.rows
        if not rows.axes or not rows.count or (rows.distinct.codes.shape[1] > MOST_TUPLES and not self.always):
            return None
        costs = costs_of(rows.axes, "height", {})
        distances = kth_distances(costs, rows.distinct.codes, rows.distinct.counts, evidence.k)
        rounded = sum(1 if axis.tree is not None else 2 for axis in rows.axes)  # a node is rounded once, a difference twice
        proven = np.maximum(distances - rounded, 0)
        return int((proven * rows.distinct.counts).sum()) / UNIT
