"""Chance: rates with their intervals, and the advantage of an attack over its control.

    advantage = (attack - control) / (1 - control)

It is 0 for an attack that does no better than guessing, 1 for one that is always right, and below 0
for one that is worse than guessing. Where guessing is always right there is nothing to gain: 0.

Attack and control are tried on the same people, drawn without replacement from those who could have
been, so what counts is where they differ: the mean chance won, the mean chance lost, and the
control's rate. Each of the three gets Wilson's interval (doi:10.1080/01621459.1927.10502953) at
98.3 %, with the number of people divided by the share that was left out: where everybody was
attacked a rate is known, and its interval a point. The advantage is (won - lost) / (1 - control);
its ends are reached at ends of the three, and if all three hold, which they do in at least 95 of
100 draws (Bonferroni), this one does. Chances between 0 and 1 vary less than hits and misses do, so
the interval is on the wide side for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats

Z = 2.3939797998185104  # of a normal distribution: 98.33 % lie within


@dataclass(frozen=True)
class Rate:
    """A success rate: the mean over the people tried, and its interval."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, mean: float, tried: int, population: int | None = None) -> Rate:
        """Compute the rate of `tried` people out of a population; None: out of any number.

        >>> round(Rate.of(0.5, 100).low, 3), Rate.of(0.5, 100, population=100).low
        (0.384, 0.5)
        """
        mean = min(max(mean, 0.0), 1.0)
        if population is not None and tried >= population:
            return cls(mean, mean, mean)
        left_out = 1.0 if population is None else (population - tried) / (population - 1)
        return cls(mean, *_wilson(mean, tried / left_out))


def _wilson(mean: float, tried: float) -> tuple[float, float]:
    spread = Z * Z / tried
    centre = (mean + spread / 2) / (1 + spread)
    half = Z * math.sqrt(mean * (1 - mean) / tried + spread / tried / 4) / (1 + spread)
    return max(min(centre - half, mean), 0.0), min(max(centre + half, mean), 1.0)


@dataclass(frozen=True)
class Advantage:
    """The gain of an attack over guessing, and its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, attack: Floats, control: Floats, population: int | None) -> Advantage:
        """Compare each person's chance under attack with that of the control.

        >>> attack = np.array([1.0, 1.0, 0.0, 0.0])
        >>> control = np.array([0.5, 0.5, 0.0, 0.0])
        >>> Advantage.of(attack, control, population=4).value
        0.3333333333333333
        """
        blind = float(np.mean(control))
        if blind >= 1.0:
            return cls(0.0, 0.0, 0.0)
        won = _gain_rate(attack - control, population)
        lost = _gain_rate(control - attack, population)
        base = _base_rate(control, population)
        value = (won.mean - lost.mean) / (1.0 - blind)
        least = won.low - lost.high
        most = won.high - lost.low
        low = least / max(1.0 - (base.low if least > 0 else base.high), 1e-9)
        high = most / max(1.0 - (base.high if most > 0 else base.low), 1e-9)
        return cls(min(value, 1.0), min(low, value, 1.0), min(max(high, value), 1.0))


def _gain_rate(step: Floats, population: int | None) -> Rate:
    """Compute the rate of what people gain; who loses gains 0."""
    return Rate.of(float(np.mean(np.maximum(step, 0.0))), len(step), population)


def _base_rate(control: Floats, population: int | None) -> Rate:
    """Compute the rate of the control."""
    # A chance that is the same for all people is known, and needs no interval.
    constant = float(np.ptp(control)) == 0.0
    return Rate.of(float(np.mean(control)), len(control), len(control) if constant else population)
