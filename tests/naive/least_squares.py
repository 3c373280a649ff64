"""The least squared error of any grouping of a few points, by trying them all; and the bound, read
literally.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def apart(one, other):
    return sum((Fraction(x) - Fraction(y)) ** 2 for x, y in zip(one, other, strict=True))


def error(points):
    """Squared distances to the mean."""
    mean = [sum(map(Fraction, line)) / len(points) for line in zip(*points, strict=True)]
    return sum(apart(point, mean) for point in points)


def least_error(points, k):
    """The first point stands in a group with some of the others; the rest is divided likewise."""
    if not points:
        return Fraction(0)
    found = []
    for size in range(k, len(points) + 1):
        if 0 < len(points) - size < k:
            continue
        for chosen in combinations(range(1, len(points)), size - 1):
            group = [points[0], *(points[i] for i in chosen)]
            rest = [p for i, p in enumerate(points) if i and i not in chosen]
            found.append(error(group) + least_error(rest, k))
    return min(found)


def bound(points, k):
    """Half the mean squared distance of each point to its k nearest, itself among them."""
    return sum(
        sum(sorted(apart(point, other) for other in points)[:k]) / (2 * k) for point in points
    )
