"""`span-share`: the mean over cells of the width of the row's tight box, by levels for categories.

    loss = (max - min) / range for a number, a date or a time, also under a hierarchy, where min and
               max are those of the table's values under the lowest common ancestor;
           height(lowest common ancestor) / height(tree) for categories

By hand: years of birth 1950, 1961, 1969 and 1990 under decades and `*`, groups {1961, 1969} and
{1950, 1990}: the first is published as the decade, 8 / 40, the second as `*`, 1: the mean is 0.6.
By heights a decade would cost 0.5, as much as half a century. A withheld row counts 1 in each of
its cells. Numbers whose hierarchy puts other values between those of one node are codes: they
count by height, as categories do.

When to use it: to compare runs of the default method, which minimizes it.
"""

from __future__ import annotations

from shoal.encode.axes import Axis
from shoal.review.losses.loss import Evidence, Loss


class SpanShare(Loss):
    """Mean loss per cell: share of the range where there is an order, else height of the node."""

    name = "span-share"
    of_boxes = True
    adds = "rows"

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells."""
        return evidence.per_cell(evidence.by_axis(Axis.spans))
