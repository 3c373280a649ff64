"""Every distortion, found by itself: shape, missing values, constant columns, randomness,
refusals.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion
from shoal.errors import DataError
from shoal.registry import make, names

NAMES = list(names(Distortion))


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    rows = draw(st.integers(6, 30))
    columns = draw(st.integers(1, 4))
    cells = st.one_of(st.floats(-1e9, 1e9), st.integers(-5, 5).map(float), st.just(float("nan")))
    values = np.array(
        draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    ).reshape(rows, columns)
    values[0] = 1.0  # a column without any value is refused
    return values


@pytest.mark.parametrize("name", NAMES)
@given(values=tables(), seed=st.integers(0, 2**32))
def test_shape_missing_values_and_constant_columns_stay(name: str, values: np.ndarray, seed: int):
    before = values.copy()
    found = make(Distortion, name).distort(values, Chance.seeded(seed))
    assert np.array_equal(values, before, equal_nan=True)
    assert (np.isnan(found) == np.isnan(values)).all()
    assert np.isfinite(found[~np.isnan(found)]).all()
    still = np.nanmax(values, axis=0) == np.nanmin(values, axis=0)
    assert np.allclose(found[:, still], values[:, still], equal_nan=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_repeats_and_nothing_else_does(name: str):
    values = np.random.default_rng(1).normal(size=(40, 3))
    distortion = make(Distortion, name)
    one, two = (distortion.distort(values, Chance.seeded(4)) for _ in range(2))
    assert (one == two).all()
    assert (distortion.distort(values, Chance.secret()) != one).any()
    assert (np.abs(one - values).max(axis=0) > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_twice_the_scale_moves_further(name: str):
    values = np.random.default_rng(1).normal(size=(400, 3))
    moved = [
        np.abs(
            make(Distortion, f"{name}:scale={scale}").distort(values, Chance.seeded(4)) - values
        ).mean()
        for scale in (0.5, 2.0)
    ]
    assert moved[1] > 1.5 * moved[0]


@pytest.mark.parametrize("name", NAMES)
def test_what_has_no_range_is_refused(name: str):
    distortion = make(Distortion, name)
    for wrong, words in ((np.inf, "infinite"), (np.nan, "no value at all")):
        values = np.full((9, 2), wrong)
        values[:, 0] = np.arange(9)
        with pytest.raises(DataError, match=words):
            distortion.distort(values, Chance.secret())
    with pytest.raises(DataError, match="no rows"):
        distortion.distort(np.zeros((0, 2)), Chance.secret())
