"""p-values against tables that everyone has, and tests of hand-made samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from experiments.families import Reading, read, scaled
from experiments.significance import incomplete_beta, p_of_f, p_of_t, paired, variance_analysis


@pytest.mark.parametrize(
    ("t", "degrees", "p"),
    [
        (12.7062, 1, 0.05),
        (2.2281, 10, 0.05),
        (3.1693, 10, 0.01),
        (1.9840, 100, 0.05),
        (0.0, 7, 1.0),
    ],
)
def test_t_as_in_the_tables(t: float, degrees: int, p: float):
    assert p_of_t(t, degrees) == pytest.approx(p, abs=2e-5)
    assert p_of_t(-t, degrees) == p_of_t(t, degrees)


@pytest.mark.parametrize(
    ("f", "above", "below", "p"),
    [(161.4476, 1, 1, 0.05), (4.9646, 1, 10, 0.05), (2.9782, 10, 10, 0.05), (4.8491, 10, 10, 0.01)],
)
def test_f_as_in_the_tables(f: float, above: int, below: int, p: float):
    assert p_of_f(f, above, below) == pytest.approx(p, abs=1e-5)
    assert p_of_f(0.0, above, below) == 1.0


def test_the_beta_function_where_it_is_known():
    assert incomplete_beta(1, 1, 0.3) == pytest.approx(0.3)
    assert incomplete_beta(2, 1, 0.3) == pytest.approx(0.09)
    assert incomplete_beta(0.5, 0.5, 0.25) == pytest.approx(2 / math.pi * math.asin(0.5))
    assert incomplete_beta(5, 7, 0.4) == pytest.approx(1 - incomplete_beta(7, 5, 0.6))
    assert (incomplete_beta(2, 3, 0.0), incomplete_beta(2, 3, 1.0)) == (0.0, 1.0)


def test_analysis_of_variance_and_pairs_by_hand():
    f, p = variance_analysis([[1, 2, 3], [2, 3, 4], [5, 6, 7]])
    assert f == pytest.approx(13.0) and p == pytest.approx(0.006592, abs=1e-5)
    t, p = paired([3, 5, 7, 9], [1, 4, 5, 6])
    assert t == pytest.approx(2 / (math.sqrt(2 / 3) / 2)) and p == p_of_t(t, 3)


def test_readings_normalize_as_they_say():
    before = np.array([[0.0], [10.0]])
    after = np.array([[-5.0], [15.0]])
    assert [
        scaled(before, after, ranges)[1].ravel().tolist() for ranges in ("original", "own", "none")
    ] == [[-0.5, 1.5], [0.0, 1.0], [-5.0, 15.0]]
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 2))
    found = read(table, [table] * 10, 3, rng)
    assert found.ild[Reading("original", "together", "once")] == [0.0] * 10
    assert found.ild[Reading("own", "warm", "once")] == [pytest.approx(0.0, abs=1e-9)]
    assert max(found.ild[Reading("original", "apart", "each")]) > 0
