"""Attacks on perturbed numbers: what they regain of the real data, and that they regain nothing of
secure noise.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import data_file
from shoal import registry
from shoal.attacks import nearest_code, plain_reading
from shoal.attacks.attack import Attack, Finding, Material
from shoal.attacks.bayes_estimate import BayesEstimate
from shoal.attacks.blind_orbit import BlindOrbit
from shoal.attacks.filter import LIMIT
from shoal.attacks.known_record import KnownRecord
from shoal.attacks.nearest_code import NearestCode, decoded
from shoal.attacks.nearest_record import NearestRecord
from shoal.attacks.perturbed import Perturbed, covariance
from shoal.attacks.plain_reading import PlainReading, read_off
from shoal.attacks.spectral_filter import SpectralFilter
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion

ON_NUMBERS = [name for name, attack in registry.names(Attack).items() if "numbers" in attack.needs]
SEEDS = (1, 2, 3)


@cache
def numbers_in(name: str) -> np.ndarray:
    table = parquet.read_table(data_file(f"{name}.parquet"))
    return np.array([column.to_numpy() for column in table.columns], float).T.copy()


def perturbed(
    values: np.ndarray, method: str, seed: int, digits: int | None = None, **known: object
) -> Perturbed:
    made = registry.make(Distortion, method)
    found = made.distort(values, Chance.seeded(seed))
    found = found if digits is None else found.round(digits)
    return Perturbed(
        values, found, np.nanmin(values, axis=0), np.nanmax(values, axis=0), made.scale, **known
    )


def run(attack: Attack, numbers: Perturbed) -> Finding:
    (finding,) = attack.run(Material.of_numbers(numbers))
    return finding


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("table", "blind"), [("census", (0.60, 0.90)), ("tarragona", (0.70, 0.90))]
)
def test_orbits_are_regained_with_one_record_known_or_none(
    table: str, blind: tuple[float, float], seed: int
):
    numbers = perturbed(numbers_in(table), "chaotic", seed)
    known = run(KnownRecord(), numbers)
    unknown = run(BlindOrbit(), numbers)
    assert known.attack > 0.99 and known.control < 0.01 and known.refuses
    assert blind[0] < unknown.attack < blind[1] and unknown.control < 0.01 and unknown.refuses


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("table", "spectral", "bayes"),
    [
        ("census", (0.0325, 0.0345), (0.0285, 0.0300)),
        ("tarragona", (0.0308, 0.0320), (0.0243, 0.0254)),
    ],
)
def test_filters_leave_the_errors_that_are_known(
    table: str, spectral: tuple, bayes: tuple, seed: int
):
    numbers = perturbed(numbers_in(table), "chaotic", seed)
    noise = float(np.sqrt(np.mean((numbers.filled - numbers.truth) ** 2)))
    assert noise == pytest.approx(0.0353, abs=0.0003)
    for attack, (low, high) in ((SpectralFilter(), spectral), (BayesEstimate(), bayes)):
        finding = run(attack, numbers)
        assert low < noise * (1 - finding.advantage) < high
        assert finding.low <= finding.advantage <= finding.high
        assert finding.refuses == (finding.advantage > LIMIT)
    assert run(BayesEstimate(), numbers).refuses


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("table", ["census", "tarragona", "boston"])
def test_noise_of_the_datas_shape_withstands_all_attacks_that_gate(table: str, seed: int):
    values = numbers_in(table)
    if table == "boston":
        values = np.delete(values, [1, 3, 8, 10], axis=1)  # codes and heaps, which come back
    numbers = perturbed(values, "correlated-noise", seed)
    for attack in (KnownRecord(), BlindOrbit()):
        finding = run(attack, numbers)
        assert finding.attack == pytest.approx(finding.control, abs=0.001)
    assert not any(run(registry.names(Attack)[name](), numbers).refuses for name in ON_NUMBERS)


@pytest.mark.parametrize(
    "method",
    ["noise", "noise:law=uniform", "robust-noise", "chaotic:orbit=cell", "microaggregated-noise"],
)
def test_noise_without_orbits_gives_nothing_exact(method: str):
    for attack in (KnownRecord(), BlindOrbit()):
        finding = run(attack, perturbed(numbers_in("census"), method, 1))
        assert finding.advantage == pytest.approx(0.0, abs=0.001) and not finding.refuses


def test_rounding_stops_orbits_and_shuffling_does_not():
    values = numbers_in("census")
    assert run(KnownRecord(), perturbed(values, "chaotic", 1, digits=0)).advantage < 0.01
    plain = perturbed(values, "chaotic", 1)
    order = np.concatenate(([0], 1 + Chance.seeded(1).order(len(values) - 1)))
    mixed = Perturbed(
        values[order], plain.published[order], plain.low, plain.high, 0.1, shuffled=True
    )
    assert run(BlindOrbit(), mixed).advantage < 0.01
    assert run(KnownRecord(), mixed).attack > 0.99
    few = Perturbed(
        values[order, :2],
        plain.published[order, :2],
        plain.low[:2],
        plain.high[:2],
        0.1,
        shuffled=True,
    )
    assert run(KnownRecord(), few).advantage < 0.01  # two columns do not tell which row is the next


def test_nearness_finds_people_whatever_the_noise_and_is_only_reported():
    finding = run(NearestRecord(), perturbed(numbers_in("census"), "noise", 1))
    assert (
        finding.attack > 0.8
        and finding.control < 0.001
        and not finding.gates
        and not finding.refuses
    )


def test_numbers_that_are_not_whole_are_regained_for_some_forty_rows():
    values = np.random.default_rng(5).normal(size=(400, 2))
    finding = run(KnownRecord(), perturbed(values, "chaotic", 1))
    assert 15 / 399 < finding.attack < 45 / 399 and finding.control == 0
    assert not run(BlindOrbit(), perturbed(values, "chaotic", 1)).refuses


@given(st.integers(0, 2**32), st.sampled_from([3.7, 3.9, 3.99, 4.0]), st.integers(20, 200))
def test_a_known_whole_number_gives_all_below_it(seed: int, r: float, rows: int):
    values = np.random.default_rng(seed).integers(0, 5000, (rows, 2)).astype(float)
    values[0] = 0.0
    values[1] = 5000.0
    finding = run(KnownRecord(), perturbed(values, f"chaotic:r={r}", seed, r=r))
    assert finding.attack == 1.0


def test_missing_values_end_an_orbit_and_are_not_counted():
    values = np.random.default_rng(5).integers(0, 5000, (300, 1)).astype(float)
    values[200] = np.nan
    numbers = perturbed(values, "chaotic", 1)
    finding = run(KnownRecord(), numbers)
    assert finding.trials == 298 and finding.attack == pytest.approx(199 / 298, abs=0.01)
    assert run(BayesEstimate(), numbers).trials == 300


def test_a_part_of_a_table_has_an_interval_and_all_of_it_a_figure():
    values = numbers_in("census")
    all_of_it, some = (
        run(BlindOrbit(), perturbed(values, "chaotic", 1, rows=rows)) for rows in (None, 10_800)
    )
    assert all_of_it.low == all_of_it.high == all_of_it.advantage
    assert some.low < some.advantage < some.high == some.beyond
    all_of_it, some = (
        run(BayesEstimate(), perturbed(values, "chaotic", 1, rows=rows)) for rows in (None, 10_800)
    )
    assert (all_of_it.beyond, some.beyond) == (all_of_it.advantage, some.high)


@pytest.mark.parametrize("name", ON_NUMBERS)
def test_every_attack_on_numbers_says_what_it_lacks_and_bears_nothing_to_attack(name: str):
    attack = registry.names(Attack)[name]()
    (finding,) = attack.run(
        Material(Material.of_numbers(perturbed(np.eye(4), "noise", 1)).release, flow="distort")
    )
    assert finding.attack is None and "not possible without the numbers" in finding.words
    still = np.full((9, 2), 7.0)
    assert not run(attack, Perturbed(still, still.copy(), still[0], still[0], 0.1)).trials
    found = run(attack, perturbed(np.random.default_rng(1).normal(size=(60, 3)), "noise", 1))
    assert (
        found.trials
        and found.low <= found.advantage <= found.high
        and found.as_dict()["limit"] in (0.05, LIMIT, plain_reading.LIMIT, nearest_code.LIMIT)
    )


def test_reading_by_hand():
    values = np.array([np.arange(0.0, 60.0), np.arange(60) * 0.25, np.arange(60) % 2]).T
    moves = np.array(
        [[0.4, 0.004, 0.3], [0.6, 0.006, 0.3]] * 30
    )  # half a step is 0.5, 0.005 and 0.5; 0.005 of the bulk less
    moves[:, 1] *= 20  # bulk of the second: 13.275, and so 0.066375 is near
    numbers = Perturbed(values, values + moves, values.min(axis=0), values.max(axis=0), 0.1)
    assert read_off(numbers).tolist() == [[True, False, True], [False, False, True]] * 30
    numbers = Perturbed(
        values, values + moves / [1, 2, 1], values.min(axis=0), values.max(axis=0), 0.1
    )
    assert read_off(numbers).tolist() == [[True, True, True], [False, True, True]] * 30
    finding = run(PlainReading(), numbers)  # the third column has too few values to count
    assert (finding.trials, finding.attack, finding.control) == (
        120,
        0.75,
        1 / 60,
    ) and finding.refuses
    few = run(
        PlainReading(), Perturbed(values[:, 2:], values[:, 2:] + 0.3, np.zeros(1), np.ones(1), 0.1)
    )
    assert (few.trials, few.attack, few.control) == (60, 1.0, 0.5) and few.refuses


def test_nearest_codes_by_hand():
    grades = np.tile([0.0, 50.0, 100.0], 20)
    grades[0] = 31.0  # nobody else has it, so it is no code
    moves = np.where(np.arange(60) < 30, 20.0, 30.0)
    column = np.array([grades]).T
    numbers = Perturbed(
        column, column + moves[:, None], np.zeros(1), np.full(1, 100.0), 0.5, names=("grade",)
    )
    # 100 + 30 is still the nearest to 100; 30 is nearer to 50 than to 0.
    right = (np.arange(60) < 30) | (grades == 100)
    right[0] = False
    assert decoded(numbers)[:, 0].tolist() == right.tolist()
    finding = run(NearestCode(), numbers)
    assert (finding.trials, finding.attack, finding.control) == (60, right.mean(), 20 / 60)
    assert finding.column == "grade" and finding.refuses


def test_lattices_are_seen_where_hardly_a_value_is_held_twice():
    steps = 3.0 + 7.0 * np.arange(60.0)
    column = np.array([steps]).T
    numbers = Perturbed(column, column + 3.4, column[0], column[-1], 0.1)
    assert decoded(numbers).all()
    beyond = Perturbed(column, column + 3.6, column[0], column[-1], 0.1)
    assert decoded(beyond).sum() <= 1


@pytest.mark.parametrize("table", ["census", "tarragona", "boston"])
@pytest.mark.parametrize(
    "method", ["noise", "robust-noise", "correlated-noise", "microaggregated-noise"]
)
def test_only_noise_that_is_next_to_nothing_can_be_read(table: str, method: str):
    small = method if method != "microaggregated-noise" else "noise"
    for scale, refuses in ((0.1, False), (0.05, False), (1e-4, True), (1e-9, True)):
        numbers = perturbed(
            numbers_in(table), f"{method if not refuses else small}:scale={scale}", 1
        )
        assert run(PlainReading(), numbers).refuses == refuses


def test_covariance_is_numpys_and_bears_one_row():
    values = np.random.default_rng(1).normal(size=(50, 3))
    assert covariance(values) == pytest.approx(np.cov(values.T))
    assert covariance(values[:1]).tolist() == np.zeros((3, 3)).tolist()
