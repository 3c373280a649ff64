"""One scheme: no two stretches overlap in part, every box lies in its own, and nothing is wider
than overlaps ask for.
"""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.recode.scheme import one_scheme

boxes = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), max_size=12)


@given(boxes)
def test_stretches_are_chains_of_boxes_that_overlap(boxes):
    lo = np.array([[low for low, _ in boxes]], np.int32)
    hi = lo + np.array([[width for _, width in boxes]], np.int32)
    low, high = one_scheme(lo, hi)
    for i in range(len(boxes)):
        chain = {i}
        while (
            more := {
                j
                for j in range(len(boxes))
                for c in chain
                if lo[0, j] <= hi[0, c] and lo[0, c] <= hi[0, j]
            }
            - chain
        ):
            chain |= more
        assert (low[0, i], high[0, i]) == (
            min(lo[0, j] for j in chain),
            max(hi[0, j] for j in chain),
        )
