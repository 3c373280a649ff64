"""`microaggregated-noise`: rows take the mean of a small group of near ones, then noise is added.

    divide the rows into groups of k near ones (MDAV, Domingo-Ferrer & Torra 2005)
    value = mean of the group + what `noise` would add

Even whoever takes all noise off finds the means of k rows, not a row. The noise hides how the
groups were cut. Price: what varies inside a group is gone, so variances shrink. Missing values are
as far from anything as two values can be, and stay missing. A table that comes part by part is
grouped inside each part.

Long tables are first cut into blocks, and MDAV divides each block: the OUTER rows that stand
furthest out are one, since what is far from all others costs most when it is put together badly;
the rest is halved across the column in which it is spread most until blocks hold BLOCK rows at
most. Cost: rows times BLOCK over k.

By hand: ages 20, 21, 22, 60, 61 and 65, k = 3. They become 21 three times and 62 three times. Then
each moves by 0.1 * chance * 45, 2.25 at most.

When to use it: where people must not be found by nearness: it protects most, and changes most.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion, Stream
from shoal.distortions.shape import Shape
from shoal.errors import DataError, RecipeError
from shoal.kernels.distortions import near

OUTER = 4_000
BLOCK = 500
MOST_K = 1_000


@dataclass(frozen=True)
class MicroaggregatedNoise(Distortion):
    """The mean of k near rows, and noise: what filters regain is a group, not a person."""

    name = "microaggregated-noise"
    k: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 2 <= self.k <= MOST_K:
            problem = (
                f"k of '{self.name}' must be at least 2 and at most {MOST_K:,}, not {self.k:,}"
            )
            raise RecipeError(problem, remedy=f"{self.name}:k=3")

    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Group the rows of each part, take means, draw noise."""
        if shape.rows < self.k:
            raise DataError(
                f"{shape.rows:,} rows can't form a group of {self.k:,}",
                remedy=f"lower k of '{self.name}'",
            )
        spread = np.sqrt(np.diag(shape.covariance)) * shape.unit
        scale = np.where(spread > 0, spread, 1.0)
        reach = self.scale * shape.range

        def perturb(values: Floats) -> Floats:
            means = means_of(values, grouped((values - shape.mean) / scale, self.k))
            means[np.isnan(values)] = np.nan
            return np.asarray(means + chance.arcsine(*values.shape) * reach, np.float64)

        return Stream(perturb)


def grouped(scores: Floats, k: int) -> Longs:
    """Group rows that are near each other, k or more in each group; NaN is missing."""
    outer = max(OUTER, 4 * k)
    most = max(BLOCK, 4 * k)
    if len(scores) < outer + most:
        order = np.arange(len(scores))
        starts = np.array([0, len(scores)])
    else:
        order, starts = near.blocks(np.nan_to_num(scores), outer, most)
    far = np.nanmax(scores, axis=0, initial=0.0) - np.nanmin(scores, axis=0, initial=0.0)
    return np.asarray(
        near.groups(np.ascontiguousarray(scores), far * far + 1.0, order, starts, k), np.int64
    )


def means_of(values: Floats, group: Longs) -> Floats:
    """Replace rows by the mean of their group; NaN where nobody of the group has a value."""
    means = np.empty_like(values)
    sizes = np.bincount(group)
    for place, column in enumerate(values.T):
        gaps = np.isnan(column)
        sums = np.bincount(group, np.where(gaps, 0.0, column))
        there = sizes - np.bincount(group, gaps) if gaps.any() else sizes
        with np.errstate(invalid="ignore"):
            means[:, place] = (sums / there)[group]
    return means
