"""`population-uniqueness-zayatz`: the share of unique people, estimated from group sizes.

    risk = groups of one / rows * c1 / (sum over sizes i of c_i * H(i))

c_i groups have i rows. Zayatz (1991) lets groups in the population have the sizes of groups in the
table; then Bayes' rule says how many groups of one come from people who are alone. H(i) is how much
more likely a group of i people leaves one row than a group of one does, under sampling without
replacement: i times the product over j < i of (N - n - j + 1) / (N - j). The share does not depend
on the sampling fraction otherwise.

By hand: 2 groups of one and 1 of two, n = 4 of N = 8 people: H(2) = 2 * 4/7, so 2/4 * 2 / (2 + 8/7)
= 0.3182.

When to use it: `population-uniqueness` takes it where more than a tenth was sampled, if it is lower
than that of SNB, or where another estimate fails.
"""

from __future__ import annotations

import numpy as np

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class PopulationUniquenessZayatz(Risk):
    """The share of people whom nobody looks like, estimated after Zayatz."""

    name = "population-uniqueness-zayatz"
    question = "singling out"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Estimate the share of rows that are alone here and among everyone."""
        if seen.population is None:
            return None
        alone = seen.with_size(1)
        people = seen.population.people
        if not alone:
            return 0.0
        sizes, times = seen.sizes
        before = np.arange(1, int(sizes[-1]))
        # Where more people look alike than can leave one row, the chance is 0.
        with np.errstate(divide="ignore"):
            steps = np.log(np.maximum(people - seen.rows - before + 1, 0)) - np.log(people - before)
        chances = sizes * np.exp(np.concatenate(([0.0], np.cumsum(steps))))[sizes - 1]
        return alone / seen.rows * alone / float((times * chances).sum())
