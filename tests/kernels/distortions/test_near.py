"""Groups of near rows: the kernel and the plain version agree row for row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import near as naive
from shoal.kernels.distortions import near


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    """Whole numbers, many of them equal: sums are exact, and ties are frequent."""
    rows = draw(st.integers(2, 45))
    columns = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.integers(-9, 9, (rows, columns)).astype(float)
    return values * draw(st.sampled_from([1, 100]))


@given(tables(), st.integers(0, 30), st.integers(2, 20))
def test_blocks_are_those_of_the_plain_version(points: np.ndarray, outer: int, most: int):
    order, starts = near.blocks(points, outer, most)
    found = [sorted(order[begin:end].tolist()) for begin, end in pairwise(starts)]
    assert found == [sorted(block) for block in naive.blocks(points.tolist(), outer, most)]


def test_blocks_of_many_rows_are_those_of_the_plain_version():
    points = np.random.default_rng(3).integers(-90, 90, (2 * near.ENOUGH + 77, 3)).astype(float)
    order, starts = near.blocks(points, 50, 900)
    found = [sorted(order[begin:end].tolist()) for begin, end in pairwise(starts)]
    assert found == [sorted(block) for block in naive.blocks(points.tolist(), 50, 900)]


@given(tables(), st.integers(2, 9), st.integers(0, 2**32))
def test_groups_are_those_of_the_plain_version(points: np.ndarray, k: int, seed: int):
    rng = np.random.default_rng(seed)
    points[rng.random(points.shape) < rng.choice([0.0, 0.2])] = np.nan
    order = rng.permutation(len(points))
    far = np.full(points.shape[1], 50.0)
    starts = np.array([0, len(points) // 2, len(points)])
    labels = near.groups(points, far, order.copy(), starts, k)
    plain = [[None if np.isnan(cell) else cell for cell in row] for row in points.tolist()]
    expected = [
        group
        for rows in (order[: starts[1]], order[starts[1] :])
        for group in naive.mdav(plain, far.tolist(), rows.tolist(), k)
    ]
    assert [sorted(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)] == list(
        map(sorted, expected)
    )
