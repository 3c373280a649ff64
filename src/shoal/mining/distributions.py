"""`distributions`: measure how far columns, and pairs of columns, are from the original's.

    total variation = half the sum over values of |share in the release - share in the original|

0 is alike, 1 shares nothing. Numbers are cut at up to 20 quantiles of the original; a missing value
is one more. Shares of the release are means over its concrete tables. Reported are the mean and the
worst column, and the mean over all pairs. By hand: {a: 1/2, b: 1/2} published as {a: 3/4, b: 1/4}:
(1/4 + 1/4) / 2 = 0.25.

Cost: one pass over the rows for each pair of columns.

When to use it: always: it is quick, and says whether columns still look as they did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.mining.bins import Bins
from shoal.mining.features import Plain
from shoal.mining.task import Figure, MiningMaterial, Task

BINS = 20
MOST_CELLS = 1_000_000


class Distributions(Task):
    """Measure how far columns, and pairs of columns, are from the original's distributions."""

    name = "distributions"

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the mean and the worst total variation of columns, and the mean of pairs."""
        bins = Bins.of(material.before, BINS)
        before = bins.codes(material.before)
        after = [bins.codes(table) for table in material.after]
        columns = range(len(bins.sizes))
        alone = [_apart(material, before, after, bins, (column,)) for column in columns]
        pairs = [_apart(material, before, after, bins, pair) for pair in combinations(columns, 2)]
        figures = {
            "mean of columns": Figure(float(np.mean(alone)), 0.0),
            "worst column": Figure(max(alone), 0.0),
        }
        return figures | (
            {"mean of pairs of columns": Figure(float(np.mean(pairs)), 0.0)} if pairs else {}
        )


def _apart(
    material: MiningMaterial,
    before: Longs,
    after: list[Longs],
    bins: Bins,
    columns: tuple[int, ...],
) -> float:
    sizes = [bins.sizes[column] for column in columns]
    keys = [np.ravel_multi_index(tuple(codes[list(columns)]), sizes) for codes in (before, *after)]
    size = math.prod(sizes)
    if size > MOST_CELLS:  # only those that occur
        different, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        keys = np.split(inverse.reshape(-1), np.cumsum([len(codes) for codes in keys])[:-1])
        size = len(different)
    own, *others = (
        _shares(codes, table, size)
        for codes, table in zip(keys, (material.before, *material.after), strict=True)
    )
    return total_variation(own, np.mean(others, axis=0))


def _shares(keys: Longs, table: Plain, size: int) -> Floats:
    counts = np.bincount(keys, table.weights, minlength=size)
    return np.asarray(counts / counts.sum(), np.float64)


def total_variation(one: Floats, other: Floats) -> float:
    """Compute half the sum of absolute differences of two distributions.

    >>> total_variation(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    0.25
    """
    return float(np.abs(one - other).sum() / 2)
