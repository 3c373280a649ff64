"""`noise`: every cell moves by a random number of its own, as far as `chaotic` would move it.

    value + scale * chance * (largest - least value of the column),  chance between -0.5 and 0.5

`law=arcsine` has the law of a chaotic orbit (most cells move nearly as far as they may),
`law=uniform` the plain one, with a third less variance. Nothing follows from one cell to the next,
so knowing a record gives no other away. What is left: columns that depend on each other betray
which part of a value is noise (spectral filtering, Kargupta et al. 2003; Bayes estimate, Huang, Du
& Chen 2005), and nobody moves far. Cost: one random number a cell.

By hand: a column from 0 to 100, scale 0.1. A chance of 0.3 moves a cell by 0.1 * 0.3 * 100 = 3, and
none moves by more than 5.

When to use it: for columns that do not hang together; `correlated-noise` otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import Floats
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion, Stream
from shoal.distortions.shape import Shape


@dataclass(frozen=True)
class Noise(Distortion):
    """A random number of its own for every cell, as far as chaotic noise reaches."""

    name = "noise"
    law: Literal["arcsine", "uniform"] = "arcsine"

    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Draw a number for each cell."""

        def perturb(values: Floats) -> Floats:
            if self.law == "arcsine":
                drawn = chance.arcsine(*values.shape)
            else:
                drawn = chance.uniform(*values.shape) - 0.5
            return np.asarray(values + self.scale * drawn * shape.range, np.float64)

        return Stream(perturb)
