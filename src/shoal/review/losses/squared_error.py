"""`squared-error`: the squared distances of rows to the centres of their groups, summed (SSE).

    number:    ((x - mean of the group) / range)^2
    hierarchy: (height(lowest common ancestor of the value and the medoid) / height(tree))^2

The *medoid* is the value of the group with the least sum of such distances to its values; where
several tie, one that gives the least error, and of these the first in the order of the hierarchy.
In a flat tree it is the most frequent value. No value outside the group would do better, because
these distances are an ultrametric. By hand: ages 20, 30 and 60 in a table from 20 to 60, groups
{20, 30} and {60}: 2 * (5/40)^2 = 0.03125. Oslo, Oslo and Bergen under Norway in a tree of height 2:
the medoid is Oslo, 0 + 0 + (1/2)^2 = 0.25. Missing cells in a group of missing cells alone count 0;
beside others each counts 1, and the centre is that of the others. A withheld row counts 1 for each
axis, which is as far as two values can be. Mixed data after El-Rashidy et al. 2011.

When to use it: for numbers that are published as centres; ARX and the literature of
microaggregation use it.
"""

from __future__ import annotations

from shoal.review.losses.loss import Evidence, Loss


class SquaredError(Loss):
    """Sum of squared distances to the group's centre: mean of a number, medoid of a hierarchy."""

    name = "squared-error"
    adds = "sum"

    def measure(self, evidence: Evidence) -> float:
        """Compute the sum over all rows and axes."""
        return sum(evidence.squared_errors) + float(
            evidence.groups.withheld * len(evidence.rows.axes)
        )
