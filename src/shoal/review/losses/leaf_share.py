"""`leaf-share`: the mean over cells of the share of leaves that a tight box leaves open.

Iyengar 2002.

    loss = (max - min) / range for a number,
           (leaves under the lowest common ancestor - 1) / (leaves of the tree - 1) for a hierarchy

By hand: Oslo and Bergen under Norway, Rome under Italy, all three in one group of cities: the
ancestor is `*`, so (3 - 1) / (3 - 1) = 1. Groups {Oslo, Bergen} and {Rome}: (0.5 + 0.5 + 0) / 3 =
0.3333. Leaves are those of the hierarchy, whether the table holds them or not. ARX calls this
*Loss*. A withheld row counts 1 in each of its cells.

When to use it: to compare with ARX, whose *Loss* it is, and where some branches of a hierarchy hold
many more values than others.
"""

from __future__ import annotations

from shoal.encode.axes import Axis
from shoal.review.losses.loss import Evidence, Loss


class LeafShare(Loss):
    """Mean loss per cell: share of the range, or of the tree's leaves under the common ancestor."""

    name = "leaf-share"
    of_boxes = True
    adds = "rows"

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells."""
        return evidence.per_cell(evidence.by_axis(Axis.leaf_shares))
