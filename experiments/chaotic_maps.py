"""Chaotic maps beside the logistic one, as noise for tables of numbers, and who follows them.

A map makes a number between 0 and 1 for each row of each column, from a random start:

    logistic           x' = 4 x (1 - x)                                         one number a column
    tent               x' = 1.99999 min(x, 1 - x)                                 one
    Henon              x' = 1 - 1.4 x^2 + y, y' = 0.3 x                           two
    Lorenz             Euler steps of 0.01 of the three equations, x is read      three
    coupled logistic   each column follows the logistic map, mixed by a tenth     one row
                       with those beside it

*The attacker knows* the map, which columns hold multiples of which unit, and the true values of the
first rows: as many as the state has numbers. From then on each step is computed, the value of the
next row is what was published less that noise, rounded to the unit, and the state is put right by
the rounded value, so that chaos never gets the time to blur it. Without rounding the orbit would be
lost after some forty rows.

Maps: Henon 1976, doi:10.1007/BF01608556; Lorenz 1963; Kaneko 1985 for coupled ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats

MIXED = 0.1
STEP = 0.01
SCALE = 0.1
Seen = list[Floats]
"""The numbers of the last rows, one for each column; the newest last."""


@dataclass(frozen=True)
class ChaoticMap:
    """A map that tells the next numbers from the last few."""

    name: str
    memory: int  # rows that tell the next one
    following: Callable[[Seen], Floats]
    begun: Callable[[np.random.Generator, int], Seen]

    def orbit(self, rng: np.random.Generator, rows: int, columns: int) -> Floats:
        """Walk for so many rows."""
        seen = self.begun(rng, columns)
        steps = []
        for _ in range(rows):
            seen = [*seen[1:], self.following(seen)]
            steps.append(seen[-1])
        return np.array(steps)


def _logistic(seen: Seen) -> Floats:
    return 4 * seen[-1] * (1 - seen[-1])


def _tent(seen: Seen) -> Floats:
    return 1.99999 * np.minimum(seen[-1], 1 - seen[-1])


def _coupled(seen: Seen) -> Floats:
    step = _logistic(seen)
    return (1 - MIXED) * step + MIXED / 2 * (np.roll(step, 1) + np.roll(step, -1))


def _henon(seen: Seen) -> Floats:
    """Numbers are x as a share of the range from -1.5 to 1.5."""
    before, now = (3 * each - 1.5 for each in seen[-2:])
    return (1 - 1.4 * now**2 + 0.3 * before + 1.5) / 3


def _lorenz(seen: Seen) -> Floats:
    """Numbers are x as a share of the range from -25 to 25; y and z follow from three of them."""
    return _next_lorenz(*(50 * each - 25 for each in seen[-3:]))


def _next_lorenz(first: Floats, second: Floats, third: Floats) -> Floats:
    y = first + (second - first) / (10 * STEP)
    next_y = second + (third - second) / (10 * STEP)
    safe = np.where(np.abs(first) < 1e-9, 1e-9, first)
    z = 28 - ((next_y - y) / STEP + y) / safe
    next_z = z + STEP * (first * y - 8 / 3 * z)
    last_y = next_y + STEP * (second * (28 - next_z) - next_y)
    return (third + STEP * 10 * (last_y - third) + 25) / 50


def _uniform(rng: np.random.Generator, columns: int) -> Seen:
    return [rng.uniform(0.05, 0.95, columns)]


def _near_henon(rng: np.random.Generator, columns: int) -> Seen:
    seen = [(rng.uniform(-0.1, 0.1, columns) + 1.5) / 3 for _ in range(2)]
    for _ in range(50):
        seen = [seen[-1], _henon(seen)]
    return seen


def _near_lorenz(rng: np.random.Generator, columns: int) -> Seen:
    state = rng.uniform(1, 10, (3, columns))
    seen: Seen = []
    for _ in range(1_003):
        x, y, z = state
        seen = [*seen[-2:], (x + 25) / 50]
        change = np.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
        state = state + STEP * change
    return seen


LOGISTIC = ChaoticMap("logistic", 1, _logistic, _uniform)
MAPS = (
    LOGISTIC,
    ChaoticMap("tent", 1, _tent, _uniform),
    ChaoticMap("Henon", 2, _henon, _near_henon),
    ChaoticMap("Lorenz", 3, _lorenz, _near_lorenz),
    ChaoticMap("coupled logistic", 1, _coupled, _uniform),
)


def distorted(values: Floats, chaotic: ChaoticMap, rng: np.random.Generator) -> Floats:
    """Move every value by the orbit of its column, as the paper does: up to a twentieth of it."""
    steps = chaotic.orbit(rng, *values.shape)
    return values + (steps - 0.5) * SCALE * np.ptp(values, axis=0)


def noise_alone(values: Floats, rng: np.random.Generator) -> Floats:
    """Move every value by a random number of its own, with the law of the logistic orbit."""
    steps = np.sin(np.pi * rng.random(values.shape) / 2) ** 2
    return values + (steps - 0.5) * SCALE * np.ptp(values, axis=0)


def unit_of(column: Floats) -> float:
    """Find the largest power of ten of which all values are multiples, at least 0.0001."""
    for digits in range(-3, 5):
        if np.allclose(column, np.round(column, digits), rtol=0, atol=1e-9):
            return 10.0**-digits
    return 0.0001


@np.errstate(all="ignore")  # who follows a wrong orbit may end anywhere
def regained(values: Floats, published: Floats, chaotic: ChaoticMap) -> float:
    """Follow the orbits from known first rows; return the share of the other cells regained."""
    reach = SCALE * np.ptp(values, axis=0)
    units = np.array([unit_of(column) for column in values.T])
    known = chaotic.memory
    seen = [(published[row] - values[row]) / reach + 0.5 for row in range(known)]
    right = 0
    for row in range(known, len(values)):
        noise = (chaotic.following(seen) - 0.5) * reach
        guess = np.round((published[row] - noise) / units) * units
        right += int(np.count_nonzero(np.abs(guess - values[row]) < units / 2))
        seen = [*seen[1:], (published[row] - guess) / reach + 0.5]
    return right / max((len(values) - known) * values.shape[1], 1)


def guessed(values: Floats) -> float:
    """Guess the most frequent value of each column: what anyone gets without the table."""
    often = [np.unique(column, return_counts=True)[1].max() for column in values.T]
    return float(np.mean(often) / len(values))


def regained_blindly(values: Floats, published: Floats) -> float:
    """Round what was published to the unit: what anyone regains who knows nothing."""
    units = np.array([unit_of(column) for column in values.T])
    return float(np.mean(np.abs(np.round(published / units) * units - values) < units / 2))
