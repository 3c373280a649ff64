"""Protection: what attacks regain of a perturbed table, and the scale at which methods move centres
equally far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.attacks.perturbed import Perturbed
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion
from shoal.flows.distortion_attacks import attacked
from shoal.kernels.clusters import ClusterResult, cluster, from_centres, matched
from shoal.registry import make
from shoal.review.effects.effect import Pair
from shoal.review.effects.values_nearly_kept import ValuesNearlyKept

METHODS = (
    "chaotic",
    "chaotic:orbit=cell",
    "noise",
    "noise:law=uniform",
    "robust-noise",
    "correlated-noise",
    "microaggregated-noise",
)
CLUSTERS = 4
SEEDS = tuple(range(1, 13))  # centre errors vary with the draw: medians of a dozen
ATTACKED = SEEDS[:3]
CLOSE = 1.03
TURNS = 8
LEAST = 0.001
MOST = 1.6


@dataclass(frozen=True)
class Protection:
    """A method at one scale on one table; means over draws."""

    method: str
    scale: float
    centre_error: float
    figures: dict[
        str, float
    ]  # by attack: cells regained beyond the control, or the share of the error taken away
    refused: float  # the share of draws that would not be published
    left: float  # root mean squared error after the better filter, in shares of the ranges
    nearly_kept: float

    def __getitem__(self, name: str) -> float:
        return self.figures[name]


def centres(values: np.ndarray) -> ClusterResult:
    """The clusters of the original, from which those of perturbed tables start."""
    return cluster(Pair(values, values).before, CLUSTERS, np.random.default_rng(1))


def centre_error(values: np.ndarray, method: Distortion, start: ClusterResult) -> float:
    """How far centres move: the median over draws, so that a cluster that breaks apart once does
    not decide.
    """
    tables = (Pair(values, method.distort(values, Chance.seeded(seed))).after for seed in SEEDS)
    return float(
        np.median(
            [matched(start.centres, from_centres(y, start.centres).centres).mean() for y in tables]
        )
    )


def at_equal_error(
    values: np.ndarray, text: str, target: float, start: ClusterResult
) -> Distortion:
    """The method at the largest scale at which centres move no further than that; at the LEAST one
    if they always do.
    """
    low = make(Distortion, f"{text}{',' if ':' in text else ':'}scale={LEAST}")
    high = MOST
    if centre_error(values, low, start) > target:
        return low
    for _ in range(TURNS):
        middle = replace(low, scale=round(float(np.sqrt(low.scale * high)), 4))
        low, high = (
            (middle, high)
            if centre_error(values, middle, start) <= target * CLOSE
            else (low, middle.scale)
        )
    return low


def measure(values: np.ndarray, text: str, method: Distortion, start: ClusterResult) -> Protection:
    """Every attack on some draws of a method."""
    figures: dict[str, list[float]] = {}
    refused = []
    left = []
    kept = []
    for seed in ATTACKED:
        after = method.distort(values, Chance.seeded(seed))
        numbers = Perturbed(values, after, values.min(axis=0), values.max(axis=0), method.scale)
        found = attacked(numbers)
        for finding in found.all:
            figures.setdefault(finding.name, []).append(finding.advantage or 0.0)
        error = float(np.sqrt(np.mean((numbers.filled - numbers.truth) ** 2)))
        cut = max(0.0, figures["spectral-filter"][-1], figures["bayes-estimate"][-1])
        refused.append(not found.holds)
        left.append(error * (1 - cut))
        kept.append(ValuesNearlyKept().measure(Pair(values, after)) or 0.0)
    means = {name: float(np.mean(values)) for name, values in figures.items()}
    error = centre_error(values, method, start)
    return Protection(
        text,
        method.scale,
        error,
        means,
        float(np.mean(refused)),
        float(np.mean(left)),
        float(np.mean(kept)),
    )
