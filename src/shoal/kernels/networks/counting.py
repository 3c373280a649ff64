"""Counting on graphs: neighbours of nodes, edges of clusters, and graphs that fit a release."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.jit import compiled


class Near(NamedTuple):
    """The neighbours of all nodes, ascending: those of i are `ends[starts[i]:starts[i + 1]]`."""

    starts: Longs
    ends: Ints


@compiled
def adjacency(count: int, one: Ints, other: Ints) -> Near:
    """List the neighbours of each node.

    They ascend, as the edges are sorted by `one`, then `other`, and `one` is the lower end.
    """
    starts = np.zeros(count + 1, np.int64)
    for edge in range(len(one)):
        starts[one[edge] + 1] += 1
        starts[other[edge] + 1] += 1
    for node in range(count):
        starts[node + 1] += starts[node]
    place = starts[:-1].copy()
    ends = np.empty(2 * len(one), np.int32)
    # Lower neighbours first: edges are sorted by their lower end.
    for edge in range(len(one)):
        ends[place[other[edge]]] = one[edge]
        place[other[edge]] += 1
    for edge in range(len(one)):
        ends[place[one[edge]]] = other[edge]
        place[one[edge]] += 1
    return Near(starts, ends)


@compiled
def log2_choices(possible: Longs, chosen: Longs) -> float:
    """Compute log2 of the ways to choose so many of what is possible, summed over all pairs."""
    total = 0.0
    for pair in range(len(possible)):
        n = float(possible[pair])
        e = float(chosen[pair])
        if 0.0 < e < n:
            total += math.lgamma(n + 1.0) - math.lgamma(e + 1.0) - math.lgamma(n - e + 1.0)
    return total / math.log(2.0)


@compiled
def triangles(near: Near) -> Longs:
    """Count the triangles at each node; each edge is looked at from its end of higher degree."""
    starts = near.starts
    ends = near.ends
    count = len(starts) - 1
    seen_from = np.full(count, -1, np.int64)
    corners = np.zeros(count, np.int64)
    for node in range(count):
        degree = starts[node + 1] - starts[node]
        for at in range(starts[node], starts[node + 1]):
            seen_from[ends[at]] = node
        for at in range(starts[node], starts[node + 1]):
            middle = ends[at]
            of_middle = starts[middle + 1] - starts[middle]
            if of_middle < degree or (of_middle == degree and middle < node):
                for far_at in range(starts[middle], starts[middle + 1]):
                    far = ends[far_at]
                    of_far = starts[far + 1] - starts[far]
                    lower = of_far < of_middle or (of_far == of_middle and far < middle)
                    if lower and seen_from[far] == node:
                        corners[node] += 1
                        corners[middle] += 1
                        corners[far] += 1
    return corners
