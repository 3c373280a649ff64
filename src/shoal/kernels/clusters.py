"""Clusters: k-means on a table of numbers, and centres of two clusterings matched.

The best of RUNS runs, each from rows drawn at random. Centres of two tables are matched so that the
sum of their distances is least (the assignment problem, solved after Kuhn 1955 and Munkres 1957);
the papers leave open which belong together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.errors import DataError
from shoal.kernels.lloyd import lloyd
from shoal.wording import Remedy, Set

RUNS = 10
MOST_ROUNDS = 100


@dataclass(frozen=True)
class ClusterResult:
    """Centres, the cluster of each row, and the sum of squared distances."""

    centres: Floats
    labels: Ints
    squares: float


def cluster(
    points: Floats, count: int, rng: np.random.Generator, runs: int = RUNS
) -> ClusterResult:
    """Cluster points by k-means; return the best of several runs."""
    if len(points) < count:
        raise DataError(
            f"{len(points):,} rows can't form {count:,} clusters",
            remedy=Remedy(Set("clusters", max(len(points), 1))),
        )
    tries = (
        from_centres(points, points[rng.choice(len(points), count, replace=False)])
        for _ in range(runs)
    )
    return min(tries, key=lambda clusters: clusters.squares)


def from_centres(points: Floats, centres: Floats) -> ClusterResult:
    """Run k-means once, beginning with these centres."""
    centres = centres.copy()
    labels = np.empty(len(points), np.int32)
    squares = lloyd(np.ascontiguousarray(points), centres, MOST_ROUNDS, labels)
    return ClusterResult(centres, labels, squares)


def matched(centres: Floats, others: Floats) -> Floats:
    """Match centres with others, no two sharing one; return the distance of each to its match."""
    apart = distances(centres, others)
    return np.asarray(apart[np.arange(len(centres)), assignment(apart)], np.float64)


def distances(centres: Floats, others: Floats) -> Floats:
    """Compute how far each centre is from each of the others."""
    return np.asarray(
        np.sqrt(((centres[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)), np.float64
    )


def assignment(costs: Floats) -> Longs:
    """Assign a column of its own to each row of a square matrix, at the least sum of costs.

    Rows enter one by one; a row that finds its column taken looks for the shortest way to shift
    others (Jonker & Volgenant).
    """
    size = len(costs)
    # prices, by which reduced costs stay above 0
    rows = np.zeros(size + 1)
    columns = np.zeros(size + 1)
    owner = np.zeros(size + 1, np.int64)  # row, counted from 1, that has each column; 0 = nobody
    for row in range(1, size + 1):
        owner[0] = row
        column = 0
        least = np.full(size + 1, np.inf)
        before = np.zeros(size + 1, np.int64)
        seen = np.zeros(size + 1, np.bool_)
        while owner[column]:
            seen[column] = True
            reduced = costs[owner[column] - 1] - rows[owner[column]] - columns[1:]
            closer = ~seen[1:] & (reduced < least[1:])
            least[1:][closer] = reduced[closer]
            before[1:][closer] = column
            onward = 1 + int(np.argmin(np.where(seen[1:], np.inf, least[1:])))
            step = least[onward]
            rows[owner[seen]] += step
            columns[seen] -= step
            least[~seen] -= step
            column = onward
        while column:
            owner[column] = owner[before[column]]
            column = before[column]
    chosen = np.empty(size, np.int64)
    chosen[owner[1:] - 1] = np.arange(size)
    return chosen
