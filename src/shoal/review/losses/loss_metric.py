"""`loss-metric`: the mean over cells of the share of values that stand together in a group (LM).

    loss = (max - min) / range for a number,
           (different leaves in the group - 1) / (leaves of the tree - 1) for a hierarchy

By hand: in a tree of five cities a group holds Oslo, Oslo and Rome: (2 - 1) / (5 - 1) = 0.25 for
each of its rows, whatever stands between the two in the tree. So it weighs releases that print sets
of values, and is never above `leaf-share`. Missing beside anything counts 1, alone 0; a withheld
row counts 1 in each of its cells.

When to use it: to compare with papers that count the values which occur in a group instead of those
under its node.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats
from shoal.encode.axes import Axis
from shoal.review.losses.held import HeldCodes
from shoal.review.losses.loss import Evidence, Loss


class LossMetric(Loss):
    """Mean loss per cell: share of the range, or of the tree's leaves that the group holds."""

    name = "loss-metric"
    adds = "rows"

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells."""
        # Heights are right for numbers, and for missing values beside others.
        losses = evidence.heights.copy()
        for a, axis in enumerate(evidence.rows.axes):
            if axis.tree is not None:
                whole = evidence.boxes[1][a] < axis.size
                losses[a][whole] = set_shares(axis, evidence.held[a], evidence.groups.count)[whole]
        return evidence.per_cell(losses)


def set_shares(axis: Axis, held: HeldCodes, count: int) -> Floats:
    """Compute (different leaves - 1) / (leaves of the tree - 1) of each group without missing.

    Where values are published as nodes at least, all leaves under these count.
    """
    assert axis.tree is not None and axis.leaf is not None
    there = held.those(held.code < axis.size)
    # Codes are in the order of leaves, so equal leaves are neighbours.
    least = axis.node[0][there.code]
    new = np.ones(len(there.code), np.bool_)
    new[1:] = (np.diff(there.group) != 0) | (np.diff(least) != 0)
    leaves = np.bincount(there.group[new], axis.tree.leaf_count[least[new]], minlength=count)
    return np.asarray((leaves - 1) / max(len(axis.tree.leaves) - 1, 1), np.float64)
