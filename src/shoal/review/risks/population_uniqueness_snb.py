"""`population-uniqueness-snb`: the share of unique people, from shifted negative binomial sizes.

    risk = K * beta^alpha / N

K groups of people, each of one person and a number of others that has a negative binomial
distribution (Chen & Keller-McNulty 1998). When each person is sampled with chance p, the numbers of
groups of one and of two rows are, with d = (1 - p)(1 - beta), expected to be

    c1 = K p (beta / (1 - d))^alpha (1 + alpha d / (1 - d))
    c2 = K p^2 / 2 alpha (1 - beta) beta^alpha (2 - (1 - alpha) d) / (1 - d)^(alpha + 2)

K is estimated after Shlosser (1981), in the third form of Haas & Stokes (1998). alpha and beta then
follow from the two lines: Newton's method from the best points of a grid. None where no parameters
fit, or more than everyone would be alone.

By hand: K = 100 groups, beta = 0.5, alpha = 2, N = 400: 100 * 0.25 / 400 = 0.0625.

When to use it: `population-uniqueness` takes it where more than a tenth was sampled, if it is lower
than Zayatz's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.arrays import Floats
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk

GRID = 81  # values of each parameter that are tried
TRIED = 8  # points of the grid from which Newton's method starts, best first
STEPS = 40  # of Newton, more than it ever takes where it arrives
EXACT = 1e-10


class PopulationUniquenessSnb(Risk):
    """The share of people whom nobody looks like, under shifted negative binomial group sizes."""

    name = "population-uniqueness-snb"
    question = "singling out"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Compute the share that the fitted parameters expect."""
        if seen.population is None:
            return None
        ones = seen.with_size(1)
        twos = seen.with_size(2)
        people = seen.population.people
        if not ones or seen.groups.count == seen.rows:
            return 1.0 if seen.rows and seen.groups.count == seen.rows else 0.0
        chance = seen.rows / people
        if chance >= 1:
            return ones / seen.rows
        sizes, times = seen.sizes
        groups = all_groups(sizes.astype(np.float64), times.astype(np.float64), chance)
        fitted = solved(groups, chance, ones, twos) if twos else None
        if fitted is None:
            return None
        share = groups * fitted[1] ** fitted[0] / people
        return share if share <= 1 else None


def all_groups(sizes: Floats, times: Floats, p: float) -> float:
    """Estimate the number of groups of the population from `times` groups of each size."""
    ones = float(times[sizes == 1].sum())
    unseen = (times * (1 - p) ** sizes).sum()
    seen_once = (times * sizes * p * (1 - p) ** (sizes - 1)).sum()
    twice = (times * sizes * p**2 * (1 - p**2) ** (sizes - 1)).sum()
    between = (times * (1 - p) ** sizes * ((1 + p) ** sizes - 1)).sum()
    return float(times.sum() + ones * twice / between * (unseen / seen_once) ** 2)


def solved(groups: float, p: float, ones: float, twos: float) -> tuple[float, float] | None:
    """Find alpha and beta that expect these numbers of groups of one and two rows; None if none."""

    def errors(points: Floats) -> Floats:
        """`points[0]` are logarithms of alpha, `points[1]` of beta / (1 - beta)."""
        beta = 1 / (1 + np.exp(-points[1]))
        logs = np.log(np.array(sampled(groups, p, np.exp(points[0]), beta)))
        target = np.log([ones, twos]).reshape((2,) + (1,) * (points.ndim - 1))
        return np.asarray(logs - target, np.float64)

    with np.errstate(all="ignore"):
        starts = np.meshgrid(np.linspace(-12, 8, GRID), np.linspace(-14, 14, GRID))
        grid = np.array(starts).reshape(2, -1)
        far = np.abs(errors(grid)).max(axis=0)
        for start in np.argsort(np.where(np.isfinite(far), far, np.inf), kind="stable")[:TRIED]:
            point = _newton(errors, grid[:, start])
            if point is not None:
                return float(np.exp(point[0])), float(1 / (1 + np.exp(-point[1])))
    return None


def sampled(groups: float, p: float, alpha: Floats, beta: Floats) -> tuple[Floats, Floats]:
    """Compute the expected numbers of groups of one and of two rows."""
    d = (1 - p) * (1 - beta)
    shrunk = (beta / (1 - d)) ** alpha
    ones = groups * p * shrunk * (1 + alpha * d / (1 - d))
    twos = groups * p**2 / 2 * alpha * (1 - beta) * shrunk * (2 - (1 - alpha) * d) / (1 - d) ** 2
    return ones, twos


def _newton(errors: Callable[[Floats], Floats], point: Floats) -> Floats | None:
    """Find the point where both errors vanish, by steps that are halved until they help."""
    for _ in range(STEPS):
        now = errors(point)
        if np.abs(now).max() < EXACT:
            return point
        slopes = np.array(
            [(errors(point + h) - errors(point - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
        ).T
        if not np.isfinite(slopes).all() or abs(np.linalg.det(slopes)) < 1e-300:
            return None
        step = np.linalg.solve(slopes, now)
        while not np.abs(errors(point - step)).max() < np.abs(now).max():
            step = step / 2
            if np.abs(step).max() < 1e-14:
                return None
        point = point - step
    return None
