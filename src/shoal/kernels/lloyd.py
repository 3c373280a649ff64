"""k-means after Lloyd (1982), until nothing moves.

Each point goes to its nearest centre, and each centre to the mean of its points.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.kernels.jit import compiled


@compiled
def lloyd(points: Floats, centres: Floats, most: int, labels: Ints) -> float:
    """Move centres until they stand still, at most `most` rounds; return the sum of squares.

    The labels are filled in.

    Ties go to the lowest centre; a centre without points stays where it is.
    """
    labels[:] = -1
    for _ in range(most):
        moved, total = assign(points, centres, labels)
        if not moved:
            return total
        recentre(points, labels, centres)
    return assign(points, centres, labels)[1]


@compiled
def assign(points: Floats, centres: Floats, labels: Ints) -> tuple[bool, float]:
    """Label each point with its nearest centre; return if any changed, and the sum of squares."""
    moved = False
    total = 0.0
    for i in range(len(points)):
        best = 0
        least = np.inf
        for c in range(len(centres)):
            apart = 0.0
            for a in range(points.shape[1]):
                step = points[i, a] - centres[c, a]
                apart += step * step
            if apart < least:
                best = c
                least = apart
        moved = moved or labels[i] != best
        labels[i] = best
        total += least
    return moved, total


@compiled
def recentre(points: Floats, labels: Ints, centres: Floats) -> None:
    """Move each centre to the mean of its points."""
    sums = np.zeros_like(centres)
    counts = np.zeros(len(centres), np.int64)
    for i in range(len(points)):
        counts[labels[i]] += 1
        sums[labels[i]] += points[i]
    for c in range(len(centres)):
        if counts[c] > 0:
            centres[c] = sums[c] / counts[c]


@compiled
def separation(points: Floats, labels: Ints) -> tuple[float, float]:
    """Find the least squared distance between clusters, and the largest inside one."""
    apart = np.inf
    across = 0.0
    for i in range(len(points)):
        for j in range(i):
            distance = 0.0
            for a in range(points.shape[1]):
                step = points[i, a] - points[j, a]
                distance += step * step
            if labels[i] == labels[j]:
                across = max(across, distance)
            else:
                apart = min(apart, distance)
    return apart, across
