"""Orbits regained: kernels and the plain version agree cell for cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from naive import logistic
from naive import regain as naive
from shoal.kernels.attacks import regain

SEEDS = st.integers(0, 2**32)
RS = st.sampled_from([3.8, 3.99, 4.0])


def plain(column: np.ndarray) -> list[float | None]:
    return [None if np.isnan(cell) else cell for cell in column.tolist()]


def same(found: np.ndarray, expected: list[float | None]) -> bool:
    return np.array_equal(
        found,
        np.array([np.nan if cell is None else cell for cell in expected], float),
        equal_nan=True,
    )


def table(
    seed: int, rows: int, r: float, columns: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """Whole numbers, mostly zero, the same with orbits, and how far these reach; here and there a
    gap or a broken orbit.
    """
    rng = np.random.default_rng(seed)
    values = (rng.integers(0, 500, (rows, columns)) * (rng.random((rows, columns)) < 0.4)).astype(
        float
    )
    reach = rng.uniform(5, 100, columns)
    orbits = np.array([logistic.orbit(r, rng.random(), rows) for _ in range(columns)]).T
    published = values + (orbits - 0.5) * reach
    published[rng.random(published.shape) < rng.choice([0.0, 0.03])] = np.nan
    broken = rng.random(published.shape) < rng.choice([0.0, 0.02])
    published[broken] += 0.4
    return values, published, reach, rng


@given(SEEDS, RS, st.integers(2, 90), st.booleans())
def test_rows_below_a_known_one(seed: int, r: float, rows: int, whole: bool):
    values, published, reach, rng = table(seed, rows, r)
    column = np.ascontiguousarray(published[:, 0])
    row = int(rng.integers(0, rows))
    if np.isnan(column[row]):
        return
    out = np.full(rows, -1.0)
    end = regain.follow(column, row, values[row, 0], r, reach[0], whole, out)
    value, span = float(values[row, 0]), float(reach[0])  # Python's: those of NumPy warn
    expected = naive.follow(plain(column), row, value, r, span, whole)
    assert end == row + len(expected)
    assert same(out[row:end], expected) and (out[:row] == -1).all() and (out[end:] == -1).all()


@given(SEEDS, RS, st.integers(2, 90))
def test_nobody_known(seed: int, r: float, rows: int):
    _, published, reach, _ = table(seed, rows, r)
    column = np.ascontiguousarray(published[:, 0])
    out = np.zeros(rows)
    flags = np.zeros(rows, np.bool_)
    guesses = np.array([0.0, 7.0])
    total = regain.regain(column, guesses, r, reach[0], out, flags)
    expected = naive.regain(plain(column), guesses.tolist(), r, float(reach[0]))
    assert total == flags.sum() and flags.tolist() == [cell is not None for cell in expected]
    assert out[flags].tolist() == [cell for cell in expected if cell is not None]


@given(SEEDS, RS, st.integers(2, 40), st.integers(2, 5))
def test_rows_in_any_order(seed: int, r: float, rows: int, columns: int):
    values, published, reach, rng = table(seed, rows, r, columns)
    order = np.concatenate(([0], 1 + rng.permutation(rows - 1)))
    values = values[order]
    published = np.ascontiguousarray(published[order])
    if np.isnan(published[0]).any():
        return
    out = np.full(published.shape, np.nan)
    total = regain.search(published, 0, np.ascontiguousarray(values[0]), r, reach, out)
    expected = naive.search(
        [plain(row) for row in published], 0, values[0].tolist(), r, reach.tolist()
    )
    assert total == len(expected)
    assert all(same(out[row], expected.get(row, [None] * columns)) for row in range(rows))
