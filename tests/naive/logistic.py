"""The logistic map and k-means read literally, without NumPy's arrays or any cleverness."""

from __future__ import annotations

import itertools
import math


def orbit(r: float, start: float, steps: int) -> list[float]:
    """x1, x2, ... of x -> r x (1 - x)."""
    found = []
    for _ in range(steps):
        start = r * start * (1.0 - start)
        found.append(start)
    return found


def distorted(column: list[float], r: float, start: float, scale: float) -> list[float]:
    """Equation 7 of the paper, with 0.5 taken off the orbit."""
    reach = scale * (max(column) - min(column))
    return [
        value + (x - 0.5) * reach
        for value, x in zip(column, orbit(r, start, len(column)), strict=True)
    ]


def dunn(points: list[tuple[float, ...]], labels: list[int]) -> float:
    """Least distance between clusters over the largest inside one, over all pairs."""
    pairs = list(itertools.combinations(range(len(points)), 2))
    across = [math.dist(points[i], points[j]) for i, j in pairs if labels[i] != labels[j]]
    inside = [math.dist(points[i], points[j]) for i, j in pairs if labels[i] == labels[j]]
    return min(across) / max(inside)


def cheapest_matching(costs: list[list[float]]) -> float:
    """The least sum of a matching, by trying all."""
    return min(
        sum(costs[i][j] for i, j in enumerate(way))
        for way in itertools.permutations(range(len(costs)))
    )


def k_means(points: list[tuple[float, ...]], centres: list[tuple[float, ...]]) -> list[int]:
    """The cluster of each point when nothing changes any more."""
    labels: list[int] = []
    while True:
        found = [
            min(range(len(centres)), key=lambda c: (_squared(p, centres[c]), c)) for p in points
        ]
        if found == labels:
            return labels
        labels = found
        for c in range(len(centres)):
            mine = [p for p, label in zip(points, labels, strict=True) if label == c]
            if mine:
                centres[c] = tuple(sum(values) / len(mine) for values in zip(*mine, strict=True))


def _squared(point: tuple[float, ...], centre: tuple[float, ...]) -> float:
    """The squared distance, without a root that would round ties apart."""
    return sum((a - b) ** 2 for a, b in zip(point, centre, strict=True))
