"""Which boxes hold people, read literally: one person and one box at a time."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.attacks.reach import RUN, covering, covering_count


@pytest.mark.parametrize("seed", range(30))
def test_boxes_that_hold_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    # whole runs, and one that is not
    boxes = int(rng.integers(0, 4 * RUN))
    axes = int(rng.integers(1, 4))
    first, last = np.sort(rng.integers(0, 9, (2, boxes, axes)), axis=0).astype(np.int32)
    order = np.lexsort(first.T[::-1])  # neighbours are alike, as in a release
    first = first[order]
    last = last[order]
    lo, hi = np.sort(rng.integers(0, 9, (2, 20, axes)), axis=0).astype(np.int32)
    lo[rng.random(lo.shape) < 0.2] = -1  # not known
    found = covering_count(first, last, lo, hi)
    starts = np.concatenate(([0], np.cumsum(found))).astype(np.int64)
    matched = covering(first, last, lo, hi, starts)
    for person in range(20):
        known = [a for a in range(axes) if lo[person, a] >= 0]
        holds = [
            box
            for box in range(boxes)
            if all(first[box, a] <= lo[person, a] and hi[person, a] <= last[box, a] for a in known)
        ]
        assert matched[starts[person] : starts[person + 1]].tolist() == holds
