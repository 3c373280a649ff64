"""`microaggregated-noise`: rows take the mean of a small group of near ones, then noise is added.

    divide the rows into groups of k near ones (MDAV, Domingo-Ferrer & Torra 2005)
    value = mean of the group + what `noise` would add

Even whoever takes all noise off finds the means of k rows, not a row. The noise hides how the groups were cut. Price: what
varies inside a group is gone, so variances shrink. Long tables are first cut across their longest direction into parts of
PART rows, and divided part by part. Cost: for each part its rows squared over k. Missing values are as far from anything as
two values can be, and stay missing. A table that comes part by part is grouped inside each part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.distort.chance import Chance
from shoal.distort.distortion import Distortion, Stream
from shoal.distort.shape import Shape
from shoal.encode.costs import costs_of
from shoal.errors import DataError, RecipeError
from shoal.kernels.mdav import Space, take

PART = 4_000


@dataclass(frozen=True)
class MicroaggregatedNoise(Distortion):
    """The mean of k near rows, and noise: what filters regain is a group, not a person."""

    name = "microaggregated-noise"
    k: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k < 2:
            raise RecipeError(f"k of '{self.name}' must be at least 2, not {self.k}", remedy=f"{self.name}:k=3")

    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Group the rows of each part, take means, draw noise."""
        if shape.rows < self.k:
            raise DataError(f"{shape.rows:,} rows can't form a group of {self.k:,}", remedy=f"lower k of '{self.name}'")
        spread = np.sqrt(np.diag(shape.covariance)) * shape.unit
        scale, reach = np.where(spread > 0, spread, 1.0), self.scale * shape.range

        def perturb(values: Floats) -> Floats:
            scores, means = (values - shape.mean) / scale, np.empty_like(values)
            for part in parts(scores, self.k):
                means[part] = grouped(scores[part], values[part], self.k)
            means[np.isnan(values)] = np.nan
            return np.asarray(means + chance.arcsine(*values.shape) * reach, np.float64)

        return Stream(perturb)


def parts(scores: Floats, k: int) -> list[Longs]:
    """Rows in runs along the direction in which they are spread most; none below k."""
    there = np.nan_to_num(scores)
    longest = np.linalg.eigh(there.T @ there)[1][:, -1]
    order = np.argsort(there @ longest, kind="stable")
    return np.array_split(order, max(1, len(order) // max(PART, 2 * k)))


def grouped(scores: Floats, values: Floats, k: int) -> Floats:
    """Each row's group mean; NaN where nobody of the group has a value."""
    far = np.nanmax(scores, axis=0, initial=0.0) - np.nanmin(scores, axis=0, initial=0.0)
    leaves = np.zeros((len(scores), 0), np.int32)  # numbers only
    space = Space(np.ascontiguousarray(scores), far * far + 1.0, leaves, costs_of([], "height", {}), np.zeros(0))
    labels, free = np.full(len(scores), len(scores)), np.arange(len(scores))
    while len(free) >= 2 * k:
        free = take(space, free, k, len(free) >= 3 * k, labels)
    group = np.unique(labels, return_inverse=True)[1]
    there = ~np.isnan(values)
    sums = np.array([np.bincount(group, np.where(there[:, c], values[:, c], 0.0)) for c in range(values.shape[1])])
    counts = np.array([np.bincount(group, there[:, c]) for c in range(values.shape[1])])
    with np.errstate(invalid="ignore"):
        return np.asarray((sums / counts).T[group], np.float64)
