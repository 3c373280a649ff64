"""`correlated-noise`: noise with the covariance of the data itself.

Kim 1986; Huang, Du & Chen 2005.

    S = covariance of the columns, each divided by its range
    noise = normal numbers with covariance c S,  c such that a cell moves on average as much as
                                                 under `noise`

Filters tell noise from data by its shape: independent noise is round, data is flat. Noise of the
same shape leaves nothing to filter: what an attacker can still do is to pull all values a little
towards the mean. Correlations stay as they were, and variances grow by one factor for all columns,
1 + c, which the private certificate gives: pass it on to analysts. A column that hardly varies
beside its range (a few outliers) gets less noise than under `noise`, others more. Missing values
take their column's mean for S alone. Cost: rows times columns squared.

By hand: two columns with variance 0.04 each and a correlation of 0.9, c = 0.03. The noise has
variance 0.0012 in each and a correlation of 0.9 as well. Published are variances of 0.0412, 1.03
times as much, and a correlation of 0.9.

When to use it: for numbers whose means, spreads and correlations must stay: it is the default of
`shoal distort`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import ARCSINE_VARIANCE, Distortion, Stream
from shoal.distortions.shape import Shape
from shoal.groups import Note


@dataclass(frozen=True)
class CorrelatedNoise(Distortion):
    """Noise with the covariance of the data: nothing to filter, correlations stay."""

    name = "correlated-noise"

    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Draw normal numbers for each row and give them the shape of the data."""
        varies = np.diag(shape.covariance) > 0
        if not varies.any():
            unmoved = Note("noise", "no column varies: nothing was perturbed")
            return Stream(np.copy, lambda: (unmoved,))
        share = self.scale**2 * ARCSINE_VARIANCE / float(np.diag(shape.covariance)[varies].mean())
        turned = (root(shape.covariance) * np.sqrt(share)).T * shape.range
        note = Note("noise", f"variances are {1 + share:.6f} times those of the data")
        return Stream(
            lambda values: values + chance.normal(*values.shape) @ turned, lambda: (note,)
        )


def root(matrix: Floats) -> Floats:
    """Return a matrix that gives the other one when multiplied with its own transpose."""
    levels, axes = np.linalg.eigh(matrix)
    return np.asarray(axes * np.sqrt(np.maximum(levels, 0.0)), np.float64)
