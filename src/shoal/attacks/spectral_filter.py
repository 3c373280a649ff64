"""`spectral-filter`: keep directions in which data varies more than noise (Kargupta et al. 2003).

    decompose the covariance of the published columns
    keep the directions whose variance exceeds what independent noise of this variance can have,
        sigma^2 (1 + sqrt(columns / rows))^2
    project all rows on them

Chaotic orbits are as white as any other noise: chaos does not evade it. It gates: a release is
refused where more than 0.15 of the error goes away. The control believes what is published. Cost:
rows times columns squared.

H. Kargupta, S. Datta, Q. Wang, K. Sivakumar, ICDM 2003, doi:10.1109/ICDM.2003.1250908.

By hand: two columns that are nearly equal, 1,000 rows, noise of variance 1 in each. Along the
diagonal the published rows have variance 21, across it 1.0. The limit is (1 + sqrt(2 / 1000))^2 =
1.09, so only the diagonal is kept, and the half of the noise that points across it is gone.

When to use it: on perturbed columns that hang together: what a filter takes off the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.filter import Filter
from shoal.attacks.perturbed import Perturbed, covariance


@dataclass(frozen=True)
class SpectralFilter(Filter):
    """Keep the directions in which the published table varies more than noise can."""

    name = "spectral-filter"

    def _estimate(self, numbers: Perturbed) -> Floats:
        values = numbers.filled
        mean = values.mean(axis=0)
        rows, columns = values.shape
        levels, axes = np.linalg.eigh(covariance(values))
        noise = float(np.diag(numbers.noise).mean())
        kept = axes[:, levels > noise * (1 + np.sqrt(columns / rows)) ** 2]
        return np.asarray(mean + (values - mean) @ kept @ kept.T, np.float64)
