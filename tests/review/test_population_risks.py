"""Risks among everyone: examples by hand, ARX's own answers, and each formula against another way
to the same number.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.errors import DataError, RecipeError
from shoal.groups import Groups
from shoal.review.prechecks.population import Population, read
from shoal.review.risks.average_journalist_risk import AverageJournalistRisk
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.highest_journalist_risk import HighestJournalistRisk
from shoal.review.risks.individual_risk import IndividualRisk, expected
from shoal.review.risks.marketer_risk import MarketerRisk
from shoal.review.risks.population_uniqueness import PopulationUniqueness
from shoal.review.risks.population_uniqueness_pitman import (
    PopulationUniquenessPitman,
    digamma,
    likeliest,
)
from shoal.review.risks.population_uniqueness_snb import (
    PopulationUniquenessSnb,
    all_groups,
    sampled,
    solved,
)
from shoal.review.risks.population_uniqueness_zayatz import PopulationUniquenessZayatz
from shoal.review.risks.rows_at_journalist_risk import RowsAtJournalistRisk
from shoal.review.sources import Source, printed

NINE = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "income",
]


def drawn(sizes: list[int], people: list[float] | int | float) -> Exposure:
    groups = Groups.of(np.repeat(np.arange(len(sizes)), sizes))
    if isinstance(people, list):
        return Exposure(
            groups,
            population=Population(int(sum(people)), np.array(people, np.float64), counted=True),
        )
    return Exposure(groups, population=Population.estimated(groups, people))


def test_examples_of_the_pages() -> None:
    seen = drawn([4, 2, 2], [40, 5, 20])
    assert HighestJournalistRisk().measure(seen) == 0.2
    assert MarketerRisk().measure(seen) == pytest.approx(0.075)
    assert AverageJournalistRisk().measure(seen) == pytest.approx(0.075)
    assert RowsAtJournalistRisk().measure(drawn([4, 2, 2], [40, 4, 5])) == 0.25
    assert IndividualRisk().measure(drawn([1], 2)) == pytest.approx(math.log(2))
    assert IndividualRisk().measure(seen) == MarketerRisk().measure(
        seen
    )  # counted people leave nothing to expect
    assert PopulationUniquenessZayatz().measure(drawn([1, 1, 2], 8)) == pytest.approx(7 / 22)
    assert PopulationUniqueness().measure(drawn([1, 1, 2], 8)) == pytest.approx(7 / 22)
    assert PopulationUniqueness().measure(drawn([1, 1, 2], [1, 3, 2])) == 0.25


def test_the_average_over_people_may_be_the_worse_one() -> None:
    assert AverageJournalistRisk().measure(drawn([1, 20], [2, 20])) == pytest.approx(2 / 22)


def test_a_sampling_fraction_scales_every_group() -> None:
    seen = drawn([4, 2, 2], 0.1)
    assert HighestJournalistRisk().measure(seen) == pytest.approx(0.05)
    assert MarketerRisk().measure(seen) == pytest.approx(0.1 * 3 / 8)
    assert MarketerRisk().measure(drawn([4, 2, 2], 80)) == pytest.approx(0.1 * 3 / 8)


def adult(source: Source) -> Exposure:
    return printed(pq.read_table(data_file("adult.parquet"), columns=NINE), NINE, [], source)


def test_arx_known_answers_on_raw_adult() -> None:
    """ARX stops its search at six digits, hence no more of Pitman's."""
    assert PopulationUniqueness().measure(adult(0.1)) == pytest.approx(
        0.27684993883653597, rel=1e-9
    )
    assert PopulationUniqueness().measure(adult(0.01)) == pytest.approx(
        0.1446083531167384, rel=1e-9
    )
    assert PopulationUniqueness().measure(adult(1.0)) == pytest.approx(
        0.5142895033485844, rel=1e-12
    )
    assert PopulationUniquenessZayatz().measure(adult(0.1)) == pytest.approx(
        0.3207402393466189, rel=1e-12
    )
    assert PopulationUniquenessZayatz().measure(adult(0.2)) == pytest.approx(
        0.3577099234829125, rel=1e-12
    )


@pytest.mark.parametrize("fraction", [0.05, 0.3])
def test_a_sample_of_adult_tells_about_adult(fraction: float) -> None:
    table = pq.read_table(data_file("adult.parquet"), columns=NINE)
    few = np.random.default_rng(1).choice(
        table.num_rows, round(fraction * table.num_rows), replace=False
    )
    estimate = PopulationUniqueness().measure(
        printed(table.take(pa.array(few)), NINE, [], table.num_rows)
    )
    assert estimate == pytest.approx(0.5143, abs=0.08)


@pytest.mark.parametrize("p", [0.999, 0.7, 0.5, 0.31, 0.1, 0.01, 1e-6])
@pytest.mark.parametrize("f", [1, 2, 3, 7, 30, 31, 200, 5000])
def test_individual_risk_is_the_integral(f: int, p: float) -> None:
    """By Gauss and Legendre on many pieces, in a variable in which the integrand bends nowhere
    sharply: p + q u = exp(v).
    """
    q = 1 - p
    lo = math.log(p)
    nodes, weights = np.polynomial.legendre.leggauss(20)
    ends = np.concatenate((np.linspace(lo, lo / 100, 200), np.linspace(lo / 100, 0, 1000)[1:]))
    widths = np.diff(ends)[:, None]
    v = ends[:-1, None] + widths * (nodes + 1) / 2
    integral = float((weights * widths / 2 * p * ((np.exp(v) - p) / q) ** (f - 1)).sum()) / q
    assert expected(np.array([f]), np.array([p]))[0] == pytest.approx(integral, rel=1e-9)


def test_individual_risk_is_the_mean_over_numbers_of_people() -> None:
    p = Fraction(1, 3)
    f = 4
    total = 0.0
    chance = float(p**f)
    for people in range(f, 400):
        total += chance / people
        chance *= float(1 - p) * people / (people - f + 1)
    assert expected(np.array([f]), np.array([1 / 3]))[0] == pytest.approx(total, rel=1e-12)


def test_individual_risk_exceeds_that_of_the_expected_number() -> None:
    assert IndividualRisk().measure(drawn([1, 1, 5], 0.2)) > MarketerRisk().measure(
        drawn([1, 1, 5], 0.2)
    )  # type: ignore[operator]


def test_pitmans_parameters_are_the_likeliest() -> None:
    groups = {1: 500, 2: 120, 3: 40, 10: 9, 200: 1}
    fitted = likeliest(groups)
    assert fitted is not None
    theta, alpha = fitted
    u = sum(groups.values())
    n = sum(size * times for size, times in groups.items())
    of_theta = sum(1 / (theta + i * alpha) for i in range(1, u)) - sum(
        1 / (theta + i) for i in range(1, n)
    )
    of_alpha = sum(i / (theta + i * alpha) for i in range(1, u)) - sum(
        times / (j - alpha) for size, times in groups.items() for j in range(1, size)
    )
    assert abs(of_theta) < 1e-8 and abs(of_alpha) < 1e-6


def test_pitman_says_when_nothing_fits() -> None:
    assert likeliest({1: 2, 50: 40}) is None
    assert PopulationUniquenessPitman().measure(drawn([1, 1] + [50] * 40, 0.1)) is None
    assert (
        PopulationUniqueness().measure(drawn([1, 1] + [50] * 40, 0.1)) is not None
    )  # Zayatz steps in


@pytest.mark.parametrize("x", [1e-3, 0.5, 1.0, 7.9, 8.0, 123.456, 1e9])
def test_digamma_is_a_slope(x: float) -> None:
    assert digamma(x + 1) - digamma(x) == pytest.approx(1 / x, rel=1e-6, abs=1e-14)
    h = 1e-5 * x
    assert digamma(x) == pytest.approx(
        (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h), rel=1e-5
    )


@pytest.mark.parametrize(
    ("alpha", "beta", "p"), [(0.8, 0.3, 0.2), (2.0, 0.5, 0.5), (0.05, 0.01, 0.15), (5.0, 0.9, 0.8)]
)
def test_snb_finds_the_parameters_again(alpha: float, beta: float, p: float) -> None:
    ones, twos = sampled(10_000.0, p, np.float64(alpha), np.float64(beta))
    fitted = solved(10_000.0, p, float(ones), float(twos))
    assert fitted is not None
    assert [float(c) for c in sampled(10_000.0, p, *map(np.float64, fitted))] == pytest.approx(
        [float(ones), float(twos)]
    )


def test_snb_expects_what_is_drawn() -> None:
    rng = np.random.default_rng(6)
    people = 1 + rng.negative_binomial(0.8, 0.3, 200_000)
    rows = rng.binomial(people, 0.2)
    found = sampled(200_000.0, 0.2, np.float64(0.8), np.float64(0.3))
    assert [float(c) for c in found] == pytest.approx(
        [np.count_nonzero(rows == size) for size in (1, 2)], rel=0.02
    )
    sizes, times = np.unique(rows[rows > 0], return_counts=True)
    assert all_groups(sizes.astype(float), times.astype(float), 0.2) == pytest.approx(
        200_000, rel=0.25
    )


def test_snb_says_when_nothing_fits() -> None:
    assert PopulationUniquenessSnb().measure(drawn([1, 3, 3, 3], 0.5)) is None
    assert PopulationUniquenessSnb().measure(drawn([1, 2, 4], 1.0)) == pytest.approx(1 / 7)


def test_weights_say_for_how_many_people_a_row_stands() -> None:
    groups = Groups.of(np.array([0, 0, 1, -1]))
    found = Population.weighted(groups, np.array([10.0, 5.0, 0.5, 99.0]))
    assert found.sizes.tolist() == [15.0, 1.0]  # nobody is less than one
    assert found.people == 16 and not found.counted


@pytest.mark.parametrize("odd", [0, -5, 0.0, 1.5, -0.1, float("nan"), True])
def test_odd_numbers_are_refused(odd: float) -> None:
    with pytest.raises(RecipeError, match="population"):
        Population.estimated(Groups.of(np.array([0, 1])), odd)


def test_fewer_people_than_rows_are_refused() -> None:
    with pytest.raises(DataError, match="smaller than the table"):
        drawn([4, 2], 5)


def test_what_is_typed() -> None:
    assert [read(text) for text in ("5", "0.5", "1.0", "a.csv", "5.csv")] == [
        5,
        0.5,
        1.0,
        "a.csv",
        "5.csv",
    ]
