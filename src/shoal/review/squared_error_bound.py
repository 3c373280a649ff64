"""Squared-error bound: a share of squared error that no grouping of numbers can stay below.

    bound = sum over rows of half the mean squared distance to the k nearest rows, itself among them

Proof: the squared error of a group of s rows is the sum over its ordered pairs of squared
distances, divided by 2s. So each row answers for half the mean of its squared distances to the s
rows of its group, itself among them. That is at least half the mean over its s nearest rows; and
the mean of the s nearest falls with no further row, since each is at least as far as those before.
So s = k is the least. Distances are those of z-scores, so the sum divided by the spread of all
columns is a share like `squared-error-share`, for groupings that withhold nobody.

By hand: 0, 1, 5 and 7 at k = 2 have their nearest rows at 1, 1, 2 and 2: (1 + 1 + 4 + 4) / 4 = 2.5,
which is what {0, 1} {5, 7} lose. Cost: all pairs of rows, about a second for 4,000 rows.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats
from shoal.encode.rows import Rows

MOST_ROWS = 5_000
CHUNK = 200  # rows at a time
ROUNDED = 1 - 1e-9  # what floats could have added is taken off


def least_squared_error_share(rows: Rows, k: int) -> float | None:
    """Compute the bound; None for categories, missing cells, and tables too long or constant."""
    points = _points(rows)
    if points is None or rows.count > MOST_ROWS or k > rows.count:
        return None
    return ROUNDED * half_mean_of_nearest(points, k) / points.shape[1]


def half_mean_of_nearest(points: Floats, k: int) -> float:
    """Sum half the mean squared distance of each point to the k nearest, itself among them."""
    total = 0.0
    for at in range(0, len(points), CHUNK):
        some = points[at : at + CHUNK]
        apart = np.zeros((len(some), len(points)))
        for line in range(points.shape[1]):
            difference = some[:, line, None] - points[:, line]
            apart += difference * difference
        total += float(np.partition(apart, k - 1, axis=1)[:, :k].sum())
    return total / (2 * k)


def _points(rows: Rows) -> Floats | None:
    """Place rows on columns that vary, each with a total spread of 1; None where that can't be."""
    lines = []
    for axis, codes in zip(rows.axes, rows.codes, strict=True):
        if axis.points is None or (codes == axis.size).any():
            return None
        if axis.size > 1:
            line = (axis.points[codes] - axis.points[0]) / axis.range
            apart = line - line.mean()
            lines.append(apart / np.sqrt((apart * apart).sum()))
    return np.array(lines).T if lines else None
