"""`non-uniform-entropy`: the bits that lead from a cell back to its value, on average.

Gionis & Tassa 2009.

    bits of a cell = -log2 P(value | box) = log2(rows of the table inside the box / rows that hold
                     the value)

The box is the interval or node that is printed, with every row of the table that falls inside, not
the group alone. By hand: 4 rows, of which 3 say Oslo and 1 says Rome, all in one group: each Oslo
costs log2(4/3) = 0.415 bits, Rome log2(4/1) = 2 bits, the mean is 0.811. A rare value that is
hidden in a wide box costs most. It never falls when a box grows. Missing beside others is `*`:
every row is inside. A withheld row costs as much as if all its cells were `*`.

When to use it: if frequent values should cost less to generalize than rare ones, as in ARX.
"""

from __future__ import annotations

import numpy as np

from shoal.review.losses.cover import covered, rows_at, rows_before
from shoal.review.losses.loss import Evidence, Loss


class NonUniformEntropy(Loss):
    """Mean bits per cell that lead from the printed box back to the value."""

    name = "non-uniform-entropy"
    of_boxes = True

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells, in bits."""
        lo, hi = evidence.boxes
        count = evidence.rows.count
        bits = 0.0
        for a, axis in enumerate(evidence.rows.axes):
            first, last = covered(axis, lo[a], hi[a])
            before = rows_before(axis, count)
            inside = evidence.of_rows(before[last + 1] - before[first], count)
            bits += float(np.log2(inside / rows_at(axis, count)[evidence.rows.codes[a]]).sum())
        return bits / max(evidence.cells, 1)
