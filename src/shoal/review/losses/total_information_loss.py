"""`total-information-loss`: sum over groups of size times the height loss of the tight box.

Byun et al. 2007.

    total = sum over groups G of |G| * sum over axes of loss(G, axis)
    loss  = (max - min) / range for a number, height(lowest common ancestor) / height(tree) for a
          hierarchy

By hand: ages 20, 30 and 60 in a table from 20 to 60, groups {20, 30} and {60}: 2 * 10/40 + 1 * 0 =
0.5. From 0 to rows times axes; a withheld row counts one for each axis.

When to use it: to compare with papers: most clustering methods for k-anonymity report it.
"""

from __future__ import annotations

from shoal.review.losses.loss import Evidence, Loss


class TotalInformationLoss(Loss):
    """Sum over groups of size times tight box, height ratio."""

    name = "total-information-loss"
    of_boxes = True
    adds = "sum"

    def measure(self, evidence: Evidence) -> float:
        """Compute the sum over all rows and axes."""
        return evidence.per_cell(evidence.heights) * evidence.cells
