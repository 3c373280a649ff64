"""The safer relatives: what each adds, and what it leaves alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.attacks.perturbed import ROWS
from shoal.distortions.chance import Chance
from shoal.distortions.correlated_noise import CorrelatedNoise, root
from shoal.distortions.microaggregated_noise import (
    BLOCK,
    MOST_K,
    OUTER,
    MicroaggregatedNoise,
    grouped,
    means_of,
)
from shoal.distortions.noise import Noise
from shoal.distortions.parts import LEAST_ROWS, cut
from shoal.distortions.robust_noise import RobustNoise
from shoal.distortions.shape import SAMPLE, Shape
from shoal.errors import DataError, RecipeError

LONG = np.random.default_rng(2).normal(size=(60_000, 2)) @ np.array([[1.0, 0.8], [0.0, 0.3]])


def test_noise_reaches_half_the_scale():
    reach = LONG.max(axis=0) - LONG.min(axis=0)
    for law, variance in (("arcsine", 1 / 8), ("uniform", 1 / 12)):
        moved = (Noise(scale=0.2, law=law).distort(LONG, Chance.seeded(1)) - LONG) / reach
        assert 0.0999 < np.abs(moved).max() <= 0.1 + 1e-12
        assert moved.var(axis=0) == pytest.approx([0.04 * variance] * 2, rel=0.03)


def test_correlated_noise_has_the_shape_of_the_data_and_the_variance_of_plain_noise():
    stream = CorrelatedNoise().begin(Shape.of([LONG]), Chance.seeded(1))
    moved = stream.more(LONG) - LONG
    reach = LONG.max(axis=0) - LONG.min(axis=0)
    ratio = np.cov(moved.T) / np.cov(LONG.T)
    assert ratio == pytest.approx(np.full((2, 2), ratio[0, 0]), rel=0.05)
    assert (moved / reach).var(axis=0).mean() == pytest.approx(0.01 / 8, rel=0.03)
    assert float(stream.notes()[0].split()[2]) == pytest.approx(1 + ratio[0, 0], rel=0.01)


def test_a_root_gives_its_matrix_back():
    matrix = np.cov(LONG.T)
    assert root(matrix) @ root(matrix).T == pytest.approx(matrix)


def test_robust_noise_does_not_see_an_outlier():
    values = np.concatenate((np.linspace(0, 1, 1000), [1e6])).reshape(-1, 1)
    moved = RobustNoise().distort(values, Chance.seeded(1)) - values
    assert np.abs(moved).max() < 0.05
    assert np.abs(Noise().distort(values, Chance.seeded(1)) - values).max() > 1e4


def test_robust_noise_measures_a_bulk_of_one_value_by_the_range():
    values = np.zeros((100, 1))
    values[0] = 50.0
    assert np.abs(RobustNoise().distort(values, Chance.seeded(1)) - values).max() == pytest.approx(
        2.5, rel=0.05
    )


def test_microaggregated_values_are_means_of_near_rows():
    values = np.array([[0.0], [1.0], [2.0], [100.0], [101.0], [102.0], [103.0]])
    means = means_of(values, grouped((values - values.mean()) / values.std(), 3))
    assert means.ravel().tolist() == [1.0, 1.0, 1.0, 101.5, 101.5, 101.5, 101.5]
    found = MicroaggregatedNoise(scale=1e-6, k=3).distort(values, Chance.seeded(1))
    assert found == pytest.approx(means, abs=1e-3)


@pytest.mark.parametrize("k", [2, 3, 7, MOST_K])
def test_groups_of_long_tables_hold_k_near_rows(k: int):
    values = np.random.default_rng(5).normal(size=(OUTER + 7 * BLOCK + 13, 3)) ** 3
    values[::9, 1] = np.nan
    group = grouped(values / np.nanstd(values, axis=0), k)
    assert k <= np.bincount(group).min() and np.bincount(group).max() < 2 * k
    assert len(np.unique(group)) == group.max() + 1
    means = means_of(values, group)
    inside, whole = (
        np.nansum((values - centre) ** 2) for centre in (means, np.nanmean(values, axis=0))
    )
    assert inside / whole < {2: 0.01, 3: 0.02, 7: 0.06, MOST_K: 0.8}[k]


@pytest.mark.parametrize("rows", [1, 10, 15, 16, 27])
def test_every_part_can_form_groups(rows: int):
    stretches = [pa.table({"a": range(first, min(first + 4, rows))}) for first in range(0, rows, 4)]
    found = [part["a"].to_pylist() for part in cut(stretches, 10)]
    assert [value for part in found for value in part] == list(range(rows))
    assert [len(part) for part in found] == {
        1: [1],
        10: [10],
        15: [10, 5],
        16: [10, 6],
        27: [10, 10, 7],
    }[rows]
    assert [len(part) for part in cut([pa.table({"a": range(24)})], 10)] == [
        10,
        14,
    ]  # not 4: a group may need more
    assert MOST_K <= LEAST_ROWS / 2 and LEAST_ROWS >= ROWS


def test_a_part_is_grouped_as_the_whole_is_where_it_is_the_whole():
    values = LONG[:900]
    found = MicroaggregatedNoise(scale=1e-9, k=5).distort(values, Chance.seeded(1))
    assert np.unique(found.round(4), axis=0).shape[0] <= 900 // 5


def test_too_few_rows_for_a_group_are_refused():
    with pytest.raises(DataError, match="can't form a group of 5"):
        MicroaggregatedNoise(k=5).distort(np.ones((4, 1)), Chance.seeded(1))
    for k in (1, MOST_K + 1):
        with pytest.raises(RecipeError, match="at least 2 and at most"):
            MicroaggregatedNoise(k=k)


def test_a_table_that_does_not_vary_stays():
    values = np.full((20, 2), 7.0)
    stream = CorrelatedNoise().begin(Shape.of([values]), Chance.seeded(1))
    assert (stream.more(values) == values).all()
    assert "nothing was perturbed" in stream.notes()[0]


def test_chance_lies_strictly_between_0_and_1_and_only_seeds_repeat():
    edge = Chance(lambda count: np.array([0, 2**64 - 1] * count, np.uint64)[:count])
    assert 0 < edge.uniform(2).min() < edge.uniform(2).max() < 1
    assert (Chance.seeded(1).uniform(9) == Chance.seeded(1).uniform(9)).all()
    assert (Chance.secret().uniform(9) != Chance.secret().uniform(9)).any()
    assert sorted(Chance.secret().order(50).tolist()) == list(range(50))
    normal = Chance.seeded(3).normal(200_000)
    assert (normal.mean(), normal.std()) == pytest.approx((0, 1), abs=0.01)


def test_a_shape_read_in_parts_is_that_of_the_whole():
    values = np.random.default_rng(4).normal(size=(3 * SAMPLE, 2)) ** 3
    values[::7, 1] = np.nan
    whole = Shape.of([values])
    parts = Shape.of(np.split(values, [10, 10, 90_001, 250_000]))
    for one in (whole, parts):
        assert (one.low == np.nanmin(values, axis=0)).all()
        assert (one.high == np.nanmax(values, axis=0)).all()
        assert one.mean == pytest.approx(np.nanmean(values, axis=0))
        filled = np.where(np.isnan(values), np.nanmean(values, axis=0), values) / one.range
        assert one.covariance == pytest.approx(np.cov(filled.T))
        assert one.bulk == pytest.approx(np.nanquantile(values, [0.05, 0.95], axis=0), rel=0.05)
    assert whole.rows == parts.rows == 3 * SAMPLE


@pytest.mark.parametrize(
    "method", [Noise(), Noise(law="uniform"), RobustNoise(), CorrelatedNoise()]
)
def test_borders_of_parts_change_nothing(method: Noise):
    values = LONG[:1000]
    chance = Chance.seeded(5)
    stream = method.begin(Shape.of([values]), chance)
    parts = np.concatenate([stream.more(part) for part in np.split(values, [1, 400, 401])])
    assert parts == pytest.approx(method.distort(values, Chance.seeded(5)), abs=1e-12)
