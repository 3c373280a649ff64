"""No grouping of numbers has less squared error than the bound says."""

import numpy as np
import pytest

from naive.least_squares import bound, least_error
from shoal.groups import Groups
from shoal.review.losses.loss import Evidence
from shoal.review.losses.squared_error_share import SquaredErrorShare
from shoal.review.optimality_gap import gap_of
from shoal.review.squared_error_bound import half_mean_of_nearest, least_squared_error_share
from tables import Column, encoded


def points_of(seed: int) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 9, (int(rng.integers(4, 8)), int(rng.integers(1, 4)))).tolist()


def test_it_is_that_of_the_plain_reading_and_no_grouping_is_below_it():
    sharp = 0
    for seed in range(120):
        points = points_of(seed)
        k = 2 + seed % 2
        proven = half_mean_of_nearest(np.array(points, float), k)
        assert proven == pytest.approx(float(bound(points, k)))
        least = float(least_error(points, k))
        assert proven <= least + 1e-9, f"seed {seed}"
        sharp += proven > 0.5 * least
    assert sharp > 60


def test_by_hand():
    points = np.array([[0.0], [1.0], [5.0], [7.0]])
    assert half_mean_of_nearest(points, 2) == pytest.approx(2.5)


def test_a_certificate_states_the_gap_of_squared_error():
    rows = encoded([Column([0.0, 1.0, 5.0, 7.0])])
    evidence = Evidence(rows, Groups.of([0, 0, 1, 1]), 2)
    lost = SquaredErrorShare().measure(evidence)
    gap = gap_of(evidence, "squared-error", {"squared-error-share": lost})
    assert gap.loss == "squared-error-share"
    assert gap.least == pytest.approx(lost) and gap.least <= lost
    withheld = Evidence(rows, Groups.of([0, 0, -1, -1]), 2)
    assert gap_of(withheld, "squared-error", {"squared-error-share": lost}) is None


def test_nothing_is_claimed_of_categories_missing_cells_and_constants():
    tree = Column(["a", "b", "a", "b"], ("*", ["a", "b"]))
    for column in (tree, Column([1.0, 2.0, None, 3.0]), Column([1.0] * 4)):
        assert least_squared_error_share(encoded([column]), 2) is None
