"""`individual-risk`: the chance of naming a row, over rows and numbers of people who may fit.

    risk = sum over groups of rows * E[1/F] / rows

Of the F people who fit a group its f rows are known, and that each person was sampled with chance p
= f over the people that the weights, the number of people or the sampling fraction expect. Then F
has a negative binomial distribution, and (Benedetti & Franconi 1998; Polettini 2003)

    E[1/F] = integral from 0 to 1 of p u^(f-1) / (p + q u) du,   q = 1 - p

which is -p/q ln p for f = 1. It is never less than one over the expected F: that rare people may be
rarer than expected is counted in. With I(f) for the integral without its p, p I(f) + q I(f+1) = 1/f
leads from f to f + 1 and never enlarges errors while p <= q; elsewhere the series p * sum over m of
q^m B(f, m+1) converges quickly. People who were counted in a file leave nothing to expect: then 1/F
itself.

By hand: one row of two people expected, p = 1/2: ln 2 = 0.6931.

When to use it: for samples with weights, in the tradition of sdcMicro and mu-Argus.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.arrays import AnyArray, Floats
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk

# Sizes up to this one are reached by steps where p <= q; beyond, the series is quick for any p.
STEPPED = 30
EXACT = 1e-17


class IndividualRisk(Risk):
    """The chance of naming a row, over all numbers of people who may fit it."""

    name = "individual-risk"
    question = "linkability"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Average the expected chance over rows."""
        if seen.population is None:
            return None
        sizes = seen.groups.sizes
        people = seen.population.sizes
        if seen.population.counted:
            chances = 1.0 / people
        else:
            chances = expected(sizes, np.minimum(sizes / people, 1.0))
        return math.fsum(sizes * chances) / seen.rows if seen.rows else 0.0


def expected(sizes: AnyArray, chance: Floats) -> Floats:
    """Compute E[1/F] of groups of these sizes, when each person is sampled with a chance.

    >>> expected(np.array([1, 5]), np.array([0.5, 1.0])).round(4).tolist()
    [0.6931, 0.2]
    """
    # Each different pair is computed once: there are few sizes, and one chance unless rows have
    # weights.
    rows, of_size = np.unique(np.asarray(sizes, np.float64), return_inverse=True)
    p, of_chance = np.unique(chance, return_inverse=True)
    pairs, which = np.unique(of_size * len(p) + of_chance, return_inverse=True)
    rows = rows[pairs // len(p)]
    p = p[pairs % len(p)]
    stepped = (rows <= STEPPED) & (p <= 0.5)
    chances = np.empty(len(p))
    chances[stepped] = _stepped(rows[stepped], p[stepped])
    chances[~stepped] = _summed(rows[~stepped], p[~stepped])
    return chances[which]


def _stepped(rows: Floats, p: Floats) -> Floats:
    q = 1 - p
    integral = -np.log(p) / (1 - p)
    chances = p * integral
    for size in range(1, STEPPED):
        integral = (1 / size - p * integral) / q
        chances[rows == size + 1] = (p * integral)[rows == size + 1]
    return chances


def _summed(rows: Floats, p: Floats) -> Floats:
    term = 1 / rows
    total = np.zeros(len(rows))
    m = 0
    while len(rows) and (term > EXACT * total).any():
        total = total + term
        m += 1
        term = term * (1 - p) * m / (rows + m)
    return p * total
