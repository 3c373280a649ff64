"""Orbits of the logistic map x -> r x (1 - x), as floats walk them.

Real orbits of r = 4 never end; those of 64-bit floats do: some fall to 0 and stay there, most end
in one long cycle. Both are noticed while the orbit is walked, and it goes on from a fresh value.
Cycles are found after Brent (1980): a stone is laid at every step whose number is a power of two;
whoever comes back to the stone walks in a circle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.kernels.jit import compiled


class Place(NamedTuple):
    """State of an orbit; each field is an array of one, so that the walk can go on from it."""

    x: Floats
    stone: Floats
    steps: Longs  # since the stone was laid, and until the next one is
    used: Longs  # fresh values begun with


def start(fresh: Floats) -> Place:
    """Begin an orbit with the first of the fresh values."""
    return Place(fresh[:1].copy(), np.array([-1.0]), np.array([0, 1]), np.array([1]))


@compiled
def walk(r: float, fresh: Floats, place: Place, out: Floats) -> bool:
    """Fill `out` with the next steps of an orbit; tell whether there were enough fresh values.

    Whenever an orbit has ended, it goes on from the next fresh value.

    False where fresh values ran out.
    """
    x = place.x[0]
    stone = place.stone[0]
    steps = place.steps[0]
    power = place.steps[1]
    used = place.used[0]
    for i in range(len(out)):
        x = r * x * (1.0 - x)
        if not 0.0 < x < 1.0 or x == stone or x == r * x * (1.0 - x):
            if used == len(fresh):
                return False
            x = r * fresh[used] * (1.0 - fresh[used])
            stone = -1.0
            steps = 0
            power = 1
            used += 1
        steps += 1
        if steps == power:
            stone = x
            power = 2 * power
            steps = 0
        out[i] = x
    place.x[0] = x
    place.stone[0] = stone
    place.steps[0] = steps
    place.steps[1] = power
    place.used[0] = used
    return True


@compiled
def iterated(r: float, times: int, values: Floats) -> None:
    """Replace each value by what the map makes of it after `times` steps."""
    for i in range(len(values)):
        x = values[i]
        for _ in range(times):
            x = r * x * (1.0 - x)
        values[i] = x
