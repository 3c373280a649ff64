"""`population-uniqueness-pitman`: the share of unique people, estimated with Pitman's model.

    risk = N^(alpha - 1) * Gamma(theta + 1) / Gamma(theta + alpha)

People enter the population one by one, and found a new group with a chance that falls slowly as
groups get many (Pitman 1996; Hoshino 2001, doi:10.1007/BF02911659). Its two parameters make the
sizes of the table's groups likeliest:

    sum_{i<u} 1/(theta + i alpha) = sum_{i<n} 1/(theta + i)
    sum_{i<u} i/(theta + i alpha) = sum over groups of sum_{j<size} 1/(j - alpha)

u groups of n rows. For each alpha the first line falls with theta, and along its solutions the
second changes sign once, so both are found by bisection; sums are differences of digamma functions.
None where that fails: where no alpha above 0.001 fits, or the estimate exceeds everyone. Good where
the sampling fraction is small.

By hand: theta = 0, alpha = 1/2, N = 10,000: 0.01 * Gamma(1) / Gamma(1/2) = 0.01 / 1.7725 =
0.005642.

When to use it: `population-uniqueness` takes it where up to a tenth was sampled.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk

STEPS = 60  # halvings of an interval: as exact as a float is
# The least alpha: below, digamma functions are too alike for their differences to tell anything.
LEAST = 1e-3
FARTHEST = 60.0  # theta + alpha is looked for from exp(-60) to exp(60)


class PopulationUniquenessPitman(Risk):
    """The share of people whom nobody looks like, estimated with Pitman's model."""

    name = "population-uniqueness-pitman"
    question = "singling out"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Compute the share that the likeliest parameters expect."""
        if seen.population is None:
            return None
        if not seen.with_size(1) or seen.groups.count == seen.rows:
            return 1.0 if seen.rows and seen.groups.count == seen.rows else 0.0
        sizes, times = (part.tolist() for part in seen.sizes)
        fitted = likeliest(dict(zip(sizes, times, strict=True)))
        if fitted is None:
            return None
        theta, alpha = fitted
        share = (
            (alpha - 1) * math.log(seen.population.people)
            + math.lgamma(theta + 1)
            - math.lgamma(theta + alpha)
        )
        return math.exp(share) if share <= 0 else None


def likeliest(groups: dict[int, int]) -> tuple[float, float] | None:
    """Find theta and alpha under which groups of these sizes are likeliest.

    `groups` maps sizes to numbers of groups. None if alpha is not above 0.001.
    """
    u = sum(groups.values())
    n = sum(size * times for size, times in groups.items())

    def theta_of(alpha: float) -> float:
        def slope(log: float) -> float:
            theta = math.exp(log) - alpha
            more = (digamma(u + theta / alpha) - digamma(1 + theta / alpha)) / alpha
            return more - (digamma(n + theta) - digamma(1 + theta))

        return math.exp(_falls_to_zero(slope, -FARTHEST, FARTHEST)) - alpha

    def gain(alpha: float) -> float:
        theta = theta_of(alpha)
        founded = (
            u - 1 - theta / alpha * (digamma(u + theta / alpha) - digamma(1 + theta / alpha))
        ) / alpha
        return founded - sum(
            times * (digamma(size - alpha) - digamma(1 - alpha)) for size, times in groups.items()
        )

    if gain(LEAST) <= 0:
        return None
    alpha = _falls_to_zero(gain, LEAST, 1 - 1e-12)
    return theta_of(alpha), alpha


def _falls_to_zero(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def digamma(x: float) -> float:
    """Compute the derivative of the logarithm of the gamma function, for x > 0."""
    below = 0.0
    while x < 8:
        below += 1 / x
        x += 1
    square = 1 / (x * x)
    tail = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132))))
    )
    return math.log(x) - 0.5 / x - tail - below
