"""Rows inside boxes: as counted one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.review.inside import BLOCK, PlacedTuples, counted_inside


@given(st.integers(0, 2**32), st.integers(1, 5), st.integers(0, 20 * BLOCK), st.integers(1, 60))
def test_what_is_counted_one_by_one(seed: int, axes: int, tuples: int, largest: int) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, largest, (axes, tuples), np.int32)
    counts = rng.integers(1, 9, tuples)
    ends = rng.integers(-1, largest + 1, (2, axes, 30), np.int32)
    lo = ends.min(axis=0)
    hi = ends.max(axis=0)
    # some hold nothing
    lo[:, :3] = 1
    hi[:, 3:6] = 0
    inside = ((lo[:, :, None] <= codes[:, None]) & (codes[:, None] <= hi[:, :, None])).all(axis=0)
    assert counted_inside(codes, counts, lo, hi).tolist() == (inside * counts).sum(axis=1).tolist()
    covered = PlacedTuples.of(codes, counts).covered(lo, hi)
    assert covered == (inside.any(axis=0) * counts).sum()
