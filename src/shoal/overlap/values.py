"""Values: noisy counts of sensitive values, for neighbourhoods that overlap.

Exact distributions of overlapping neighbourhoods are linear equations; solving them gives most
sensitive values away. With noise every row tells how often each value occurs in its neighbourhood,
give or take a two-sided geometric number (Ghosh, Roughgarden & Sundararajan 2009,
doi:10.1145/1536414.1536464). A record counts in at most `cap` neighbourhoods, those in which it
stands nearest, so one changed value moves at most 2 cap counts by 1, and the noise makes up for
that: values are differentially private with epsilon for each column, while quasi-identifiers and
the list of values are taken as known. That holds only where neighbourhoods don't depend on
sensitive values: l = 1. The noise is large: for each count its deviation is near 2.8 cap / epsilon,
beside counts that add up to k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Floats, Ints, Longs
from shoal.errors import RecipeError


@dataclass(frozen=True)
class Noisy:
    """Distributions with noise: `shares[row, value]`, each row adding up to 1."""

    shares: Floats
    epsilon: float
    cap: int
    left_out: int
    """The places that were not counted, of records in more than `cap` neighbourhoods."""


@dataclass(frozen=True)
class NoiseStrength:
    """The strength of noise on counts: `epsilon` for a record in at most `cap` neighbourhoods."""

    epsilon: float
    cap: int
    l: int

    def __post_init__(self) -> None:
        if self.l > 1:
            problem = (
                f"noisy counts go with l = 1 alone: with l = {self.l} neighbourhoods depend on "
                "sensitive values"
            )
            raise RecipeError(problem, remedy="l = 1")
        if not self.epsilon > 0 or not math.isfinite(self.epsilon) or self.cap < 1:
            problem = (
                "noise takes an epsilon above 0 and a cap of at least 1, "
                f"not {self.epsilon:g} and {self.cap}"
            )
            raise RecipeError(problem, remedy="epsilon=1,cap=20")


def noisy(
    members: Ints, values: Ints, size: int, noise: NoiseStrength, rng: np.random.Generator
) -> Noisy:
    """Return noisy shares of the values of one sensitive column in each neighbourhood.

    Row r has the neighbourhood `members[r]`; the code of each record, `values[record]`, lies below
    `size`.
    """
    cap = noise.cap
    epsilon = noise.epsilon
    counted = within_cap(members, cap)
    rows = np.broadcast_to(np.arange(len(members))[:, None], members.shape)
    counts = np.zeros((len(members), size), np.int64)
    np.add.at(counts, (rows[counted], values[members[counted]]), 1)
    counts = np.maximum(counts + geometric(counts.shape, epsilon / (2 * cap), rng), 0)
    totals = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1.0 / max(size, 1), np.float64)
    shares = np.where(totals > 0, counts / np.maximum(totals, 1), even)
    return Noisy(shares, epsilon, cap, int(counted.size - np.count_nonzero(counted)))


def within_cap(members: Ints, cap: int) -> Flags:
    """Mark the places that count: for each record its `cap` nearest neighbourhoods.

    Of equally near ones those of the lowest rows.
    """
    rows, places = np.indices(members.shape)
    order = np.lexsort((rows.ravel(), places.ravel(), members.ravel()))
    record = members.ravel()[order]
    begins = np.append(True, record[1:] != record[:-1])[: len(record)]
    since = np.arange(len(record)) - np.maximum.accumulate(
        np.where(begins, np.arange(len(record)), 0)
    )
    counted = np.empty(members.size, np.bool_)
    counted[order] = since < cap
    return counted.reshape(members.shape)


def geometric(shape: tuple[int, ...], scale: float, rng: np.random.Generator) -> Longs:
    """Draw two-sided geometric noise: z has a chance in proportion to exp(-scale |z|)."""
    once = rng.geometric(-math.expm1(-scale), shape)
    again = rng.geometric(-math.expm1(-scale), shape)
    return np.asarray(once - again, np.int64)
