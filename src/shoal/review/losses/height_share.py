"""`height-share`: on average, the share of its detail that a cell lost.

In the words of the papers: the mean over cells of the height loss of the row's tight box (GCP,
NCP). Height is how far up its hierarchy a cell went; a tight box is the least that holds the group.

    share = total-information-loss / (rows * axes)
    loss  = (max - min) / range for a number, height(lowest common ancestor) / height(tree) for a
          hierarchy

By hand: ages 20, 30 and 60 in a table from 20 to 60, groups {20, 30} and {60}: (0.25 + 0.25 + 0) /
3 = 0.1667. From 0 to 1; a withheld row counts 1 in each of its cells. Papers that count leaves
instead of heights print other numbers under the same names: compare those with `leaf-share`.

When to use it: as the first figure for how coarse a release is: 0.17 says that on average a cell
lost 17 % of its detail.
"""

from __future__ import annotations

from shoal.review.losses.loss import Evidence, Loss


class HeightShare(Loss):
    """Mean loss per cell: share of the range, or height of the common ancestor over the tree's."""

    name = "height-share"
    of_boxes = True
    adds = "rows"

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells."""
        return evidence.per_cell(evidence.heights)
