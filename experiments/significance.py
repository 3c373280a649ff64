"""Significance: p-values of F and t by the incomplete beta function, an analysis of variance, and a
paired t-test.

The beta function's continued fraction is evaluated after Lentz (1976). Nothing of the software
itself needs this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

TINY = 1e-300
NEAR = 1e-15
MOST = 1000


class Significance(NamedTuple):
    """A test statistic, and the chance of one at least as far from the expected."""

    value: float
    p: float


def p_of_f(f: float, above: float, below: float) -> float:
    """The chance of an F at least this large, with so many degrees of freedom above and below the
    line.
    """
    return incomplete_beta(below / 2, above / 2, below / (below + above * f)) if f > 0 else 1.0


def p_of_t(t: float, degrees: float) -> float:
    """The chance of a t at least this far from 0, to either side."""
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t))


def variance_analysis(groups: Sequence[Sequence[float]]) -> Significance:
    """F and p of groups that may have the same mean (one way)."""
    count = len(groups)
    every = np.concatenate([np.asarray(group, float) for group in groups])
    between = sum(len(group) * (np.mean(group) - every.mean()) ** 2 for group in groups) / (
        count - 1
    )
    within = sum(np.sum((np.asarray(group) - np.mean(group)) ** 2) for group in groups) / (
        len(every) - count
    )
    f = float(between / within)
    return Significance(f, p_of_f(f, count - 1, len(every) - count))


def paired(ones: Sequence[float], others: Sequence[float]) -> Significance:
    """t and p of pairs whose difference may be 0 on average."""
    apart = np.asarray(ones, float) - np.asarray(others, float)
    t = float(apart.mean() / (apart.std(ddof=1) / math.sqrt(len(apart))))
    return Significance(t, p_of_t(t, len(apart) - 1))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges quickly on this side only
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    log = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return math.exp(log) / a / _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """1 + d1 / (1 + d2 / (1 + ...)), from the top down."""
    value = numerator = 1.0
    denominator = 0.0
    for step in range(1, MOST):
        half = step // 2
        if step % 2:
            part = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        else:
            part = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        denominator = 1.0 / _apart(1.0 + part * denominator)
        numerator = _apart(1.0 + part / numerator)
        change = numerator * denominator
        value *= change
        if abs(change - 1.0) < NEAR:
            return value
    return value


def _apart(value: float) -> float:
    return value if abs(value) > TINY else TINY
