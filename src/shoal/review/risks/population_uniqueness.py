"""`population-uniqueness`: the share of people whom nobody looks like among everyone.

    risk = the estimate that is best for the sampling fraction

With a file of everyone it is counted: the rows that only one person fits, over rows. Else it is
estimated, by the rule of Dankar, El Emam, Neisa & Roffey (2012, doi:10.1186/1472-6947-12-66):
without rows that are alone in the table, 0. Up to a tenth sampled: `population-uniqueness-pitman`,
or Zayatz's estimate if that fails. More than a tenth: the lower of `population-uniqueness-snb` and
`population-uniqueness-zayatz`, or the latter alone if the former fails.

By hand: 2 groups of one and 1 of two rows, 4 of 8 people: nothing fits SNB, so Zayatz's 0.3182
counts.

When to use it: for a sample: who is alone in it need not be alone among everyone.
"""

from __future__ import annotations

import numpy as np

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.population_uniqueness_pitman import PopulationUniquenessPitman
from shoal.review.risks.population_uniqueness_snb import PopulationUniquenessSnb
from shoal.review.risks.population_uniqueness_zayatz import PopulationUniquenessZayatz
from shoal.review.risks.risk import Risk


class PopulationUniqueness(Risk):
    """The share of people whom nobody looks like among everyone."""

    name = "population-uniqueness"
    question = "singling out"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Count the share, or choose the estimate for the sampling fraction."""
        population = seen.population
        if population is None or not seen.rows:
            return None if population is None else 0.0
        if population.counted:
            return int(np.count_nonzero(population.sizes == 1)) / seen.rows
        if not seen.with_size(1):
            return 0.0
        zayatz = PopulationUniquenessZayatz().measure(seen)
        if 10 * seen.rows <= population.people:
            pitman = PopulationUniquenessPitman().measure(seen)
            return zayatz if pitman is None else pitman
        estimates = [zayatz, PopulationUniquenessSnb().measure(seen)]
        return min((share for share in estimates if share is not None), default=None)
