"""Orbits of chaotic maps are followed from a few known rows, plain noise is not; verdicts fail."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.chaotic_maps import MAPS, distorted, noise_alone, regained, unit_of
from experiments.li_2007_maps import ORIGINAL, keeps_accuracy, keeps_rules, protects
from experiments.verdicts import FAILS, HOLDS, IN_PART, UNKNOWN

TABLE = np.random.default_rng(3).integers(0, 1_000, (80, 3)).astype(float)


@pytest.mark.parametrize("chaotic", MAPS, ids=lambda one: one.name)
def test_whoever_knows_the_first_rows_follows_the_orbit(chaotic):
    published = distorted(TABLE, chaotic, np.random.default_rng(1))
    assert np.abs(published - TABLE).max() > 20
    assert regained(TABLE, published, chaotic) > 0.95


@pytest.mark.parametrize("chaotic", MAPS, ids=lambda one: one.name)
def test_noise_without_an_orbit_is_not_followed(chaotic):
    published = noise_alone(TABLE, np.random.default_rng(1))
    assert regained(TABLE, published, chaotic) < 0.1


@pytest.mark.parametrize("chaotic", MAPS, ids=lambda one: one.name)
def test_numbers_of_an_orbit_lie_between_0_and_1_and_do_not_settle(chaotic):
    steps = chaotic.orbit(np.random.default_rng(5), 500, 4)
    assert steps.min() >= 0 and steps.max() <= 1
    assert (steps[-100:].std(axis=0) > 0.05).all()


def test_units():
    assert unit_of(np.array([10.0, 250.0])) == 10 and unit_of(np.array([0.25, 3])) == 0.01


def attacked(followed: float, rounded: float, guessed: float = 0.1) -> list[dict]:
    figures = {"regained": followed, "by rounding": rounded, "by guessing": guessed}
    return [{"data": "one", **figures}, {"data": "two", **figures, "regained": 0.1}]


def test_noise_protects_only_where_nothing_regains_more_than_guesses():
    assert protects(attacked(0.1, 0.12)).verdict == HOLDS
    assert protects(attacked(0.9, 0.12)).verdict == IN_PART
    assert protects(attacked(0.1, 0.9)).verdict == FAILS  # rounding alone regains it
    assert protects([]).verdict == UNKNOWN


@pytest.mark.parametrize(("lost", "verdict"), [(0.01, HOLDS), (0.2, FAILS)])
def test_accuracy_that_is_lost_is_judged(lost, verdict):
    rows = [
        {"method": method, "data": "one", "accuracy": 0.8 - gone}
        for method, gone in ((ORIGINAL, 0.0), ("logistic", lost))
    ]
    assert keeps_accuracy(rows, "logistic").verdict == verdict
    assert keeps_accuracy(rows, "tent").verdict == UNKNOWN


@pytest.mark.parametrize(("share", "verdict"), [(0.05, HOLDS), (0.5, FAILS)])
def test_rules_that_are_lost_are_judged(share, verdict):
    rows = [{"method": "logistic", "data": "one", "lost rules": share}]
    assert keeps_rules(rows, "logistic").verdict == verdict
