"""Rates, intervals and advantages: known answers, and that intervals hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.chance import Advantage, Rate, Z

chances = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30)


def test_wilson_by_hand():
    # 10 of 40: centre (0.25 + z^2/80) / (1 + z^2/40), half-width z sqrt(0.25 * 0.75 / 40 + z^2 /
    # 6400) / (1 + z^2/40)
    rate = Rate.of(0.25, 40)
    z = Z
    centre = (0.25 + z * z / 80) / (1 + z * z / 40)
    half = z * (0.1875 / 40 + z * z / 6400) ** 0.5 / (1 + z * z / 40)
    assert rate.low == pytest.approx(centre - half) and rate.high == pytest.approx(centre + half)


def test_nothing_seen_is_not_nothing():
    assert Rate.of(0.0, 100).low == 0 and 0.03 < Rate.of(0.0, 100).high < 0.06


def test_everybody_tried_is_a_point():
    assert Rate.of(0.3, 50, population=50) == Rate(0.3, 0.3, 0.3)
    assert Rate.of(0.3, 49, population=50).high > 0.3


def test_a_small_population_left_out_narrows_the_interval():
    assert (
        Rate.of(0.3, 50, population=60).high
        < Rate.of(0.3, 50, population=6000).high
        < Rate.of(0.3, 50).high
    )


@pytest.mark.parametrize(
    ("attack", "control", "value"),
    [
        ([1, 1, 1, 1], [0, 0, 0, 0], 1.0),
        ([1, 1, 0, 0], [1, 0, 0, 0], 1 / 3),
        ([0.5, 0.5], [0.5, 0.5], 0.0),
        ([0, 0, 0, 0], [1, 0, 0, 0], -1 / 3),
        ([1, 1], [1, 1], 0.0),
        ([0, 1], [1, 1], 0.0),
    ],
)
def test_advantage_by_hand(attack, control, value):
    found = Advantage.of(np.array(attack, float), np.array(control, float), population=len(attack))
    assert found.value == pytest.approx(value) and found.low == pytest.approx(value) == found.high


@given(chances, st.integers(0, 1000) | st.none())
def test_an_interval_holds_its_value(pairs, more):
    attack, control = np.array(pairs).T
    found = Advantage.of(attack, control, None if more is None else len(pairs) + more)
    assert found.low <= found.value <= found.high <= 1.0


def test_intervals_hold_in_nineteen_of_twenty_draws():
    rng = np.random.default_rng(3)
    control = (rng.random(2000) < 0.4).astype(float)
    attack = np.where(rng.random(2000) < 0.05, 1.0, control)
    truth = Advantage.of(attack, control, len(control)).value
    held = 0
    for _ in range(400):
        some = rng.choice(2000, 150, replace=False)
        found = Advantage.of(attack[some], control[some], 2000)
        held += found.low <= truth <= found.high
    assert held >= 380


def test_people_who_fare_alike_leave_a_narrow_interval():
    alike = (np.arange(10_000) % 4 == 0).astype(float)
    assert Advantage.of(alike, alike, None).high < 0.001
