"""`entropy-loss`: the entropy of a value given its printed box, averaged over cells.

Gionis & Tassa 2009.

    bits of a cell = H(X | X in box), X being the value of a row of the table drawn at random

By hand: 4 rows, of which 3 say Oslo and 1 says Rome, all in one group: H(3/4, 1/4) = 0.811 bits for
each cell. **It can fall when a box grows**: where nearly everyone was born in one country, `*` is
easier to guess than *Europe*. So it is reported and never minimized; `non-uniform-entropy` is its
relative that can be. Missing beside others is `*`. A withheld row costs the entropy of the whole
column.

When to use it: to compare with papers. It is not minimized here: it can fall when a group grows.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.review.losses.cover import covered, rows_at
from shoal.review.losses.loss import Evidence, Loss


class EntropyLoss(Loss):
    """Mean bits per cell of the entropy inside the printed box; reported, never minimized."""

    name = "entropy-loss"

    def measure(self, evidence: Evidence) -> float:
        """Compute the mean over all cells, in bits."""
        lo, hi = evidence.boxes
        bits = 0.0
        for a, axis in enumerate(evidence.rows.axes):
            at = rows_at(axis, evidence.rows.count)
            first, last = covered(axis, lo[a], hi[a])
            everything = entropies(at, np.zeros(1, np.int32), np.full(1, axis.size, np.int32))[0]
            bits += float(
                entropies(at, first, last) @ evidence.groups.sizes
                + everything * evidence.groups.withheld
            )
        return bits / max(evidence.cells, 1)


def entropies(at: Longs, first: Ints, last: Ints) -> Floats:
    """Compute log2 N - (sum of c log2 c) / N over each run of codes, in bits.

    c are the rows at a code, and N is their sum.
    """
    weighted = at * np.log2(np.maximum(at, 1))
    rows = np.concatenate(([0], np.cumsum(at)))
    sums = np.concatenate(([0.0], np.cumsum(weighted)))
    inside = np.maximum(rows[last + 1] - rows[first], 1)
    bits = np.log2(inside) - (sums[last + 1] - sums[first]) / inside
    return np.where(first == last, 0.0, np.maximum(bits, 0.0))
