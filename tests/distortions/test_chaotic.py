"""Chaotic noise: what the paper says, and what floats make of it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.naive import logistic

from shoal.distortions.chance import Chance
from shoal.distortions.chaotic import FRESH, Chaotic
from shoal.distortions.shape import Shape
from shoal.errors import RecipeError
from shoal.kernels.distortions.orbits import start, walk


def test_every_column_has_an_orbit_of_its_own_as_in_the_paper():
    values = np.random.default_rng(3).integers(0, 1000, (50, 3)).astype(float)
    found = Chaotic(scale=0.2).distort(values, Chance.seeded(5))
    again = Chance.seeded(5)
    for column in range(3):
        begin = again.uniform(FRESH)[0]
        assert found[:, column].tolist() == logistic.distorted(
            values[:, column].tolist(), 4.0, begin, 0.2
        )


def test_noise_reaches_half_the_scale_and_has_the_variance_of_the_arcsine_law():
    values = np.linspace(0.0, 1.0, 100_000).reshape(-1, 1)
    for orbit in ("column", "cell"):
        noise = Chaotic(orbit=orbit).distort(values, Chance.seeded(1)) - values
        assert 0.0499 < np.abs(noise).max() <= 0.05 + 1e-12
        assert noise.var() == pytest.approx(0.01 / 8, rel=0.02)
        assert abs(noise.mean()) < 0.001


def test_cells_of_their_own_do_not_follow_from_each_other():
    values = np.linspace(0.0, 1.0, 1000).reshape(-1, 1)
    for orbit, follows in (("column", True), ("cell", False)):
        noise = (
            Chaotic(orbit=orbit).distort(values, Chance.seeded(1)) - values
        ).ravel() / 0.1 + 0.5
        assert np.allclose(4 * noise[:-1] * (1 - noise[:-1]), noise[1:], atol=1e-9) == follows


def test_orbits_that_fall_to_zero_or_stand_still_go_on_from_a_fresh_value():
    for dead in (0.5, 0.75):  # 0.5 -> 1 -> 0; 0.75 stays
        out = np.empty(6)
        fresh = np.array([dead, 0.3])
        place = start(fresh)
        assert walk(4.0, fresh, place, out)
        assert place.used[0] == 2
        assert out.tolist() == logistic.orbit(4.0, 0.3, 6)


def test_an_orbit_that_walks_in_a_circle_is_noticed():
    out = np.empty(5000)
    fresh = np.linspace(0.1, 0.9, 1000)
    place = start(fresh)
    assert walk(3.83, fresh, place, out)  # in this window orbits end in a cycle of three
    assert 5 < place.used[0] < 1000
    alike = out[6:] == out[3:-3]
    assert alike.mean() < 0.9  # without a fresh start nearly all would repeat


def test_fresh_values_that_run_out_are_said():
    fresh = np.array([0.5])
    assert not walk(4.0, fresh, start(fresh), np.empty(10))


def test_parts_walk_on_where_the_last_one_ended():
    values = np.random.default_rng(3).normal(size=(6000, 2))
    for method in (Chaotic(), Chaotic(orbit="cell")):
        stream = method.begin(Shape.of([values]), Chance.seeded(5))
        parts = np.concatenate(
            [stream.more(part) for part in np.split(values, [1, 700, 701, 5000])]
        )
        assert np.array_equal(parts, method.distort(values, Chance.seeded(5)))


def test_fresh_starts_are_counted_for_the_private_certificate():
    values = np.arange(5000.0).reshape(-1, 1)
    notes = []
    for method in (Chaotic(r=3.83), Chaotic()):
        stream = method.begin(Shape.of([values]), Chance.seeded(1))
        stream.more(values)
        notes.append(stream.notes())
    assert "begun anew" in notes[0][0]
    assert notes[1] == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"r": 3.57},
        {"r": 4.01},
        {"scale": 0},
        {"scale": -1.0},
        {"scale": float("nan")},
        {"scale": 11},
    ],
)
def test_parameters_that_mean_nothing_are_refused(wrong: dict[str, float]):
    with pytest.raises(RecipeError, match="must be above"):
        Chaotic(**wrong)
