"""Walks over graphs: distances from some nodes, cores, and labels that spread."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.jit import compiled
from shoal.kernels.networks.counting import Near


@compiled
def distance_sums(near: Near, sources: Longs) -> tuple[float, int]:
    """Sum one over the distances from some nodes; and count the most nodes that one reaches."""
    count = len(near.starts) - 1
    seen = np.full(count, -1, np.int64)
    waiting = np.empty(count, np.int64)
    away = np.empty(count, np.int64)
    inverse = 0.0
    most = 0
    for source in sources:
        seen[source] = source
        waiting[0] = source
        away[0] = 0
        done = 0
        length = 1
        while done < length:
            node = waiting[done]
            for at in range(near.starts[node], near.starts[node + 1]):
                other = near.ends[at]
                if seen[other] != source:
                    seen[other] = source
                    waiting[length] = other
                    away[length] = away[done] + 1
                    inverse += 1.0 / away[length]
                    length += 1
            done += 1
        most = max(most, length)
    return inverse, most


@compiled
def cores(near: Near) -> Longs:
    """Compute the core of each node: peel nodes of the lowest degree, one after the other."""
    count = len(near.starts) - 1
    left = near.starts[1:] - near.starts[:-1]
    highest = 0
    for node in range(count):
        highest = max(highest, left[node])
    begin = np.zeros(highest + 2, np.int64)
    for node in range(count):
        begin[left[node] + 1] += 1
    for degree in range(highest + 1):
        begin[degree + 1] += begin[degree]
    order = np.empty(count, np.int64)
    place = np.empty(count, np.int64)
    fill = begin.copy()
    for node in range(count):
        place[node] = fill[left[node]]
        order[place[node]] = node
        fill[left[node]] += 1
    for step in range(count):
        node = order[step]
        for at in range(near.starts[node], near.starts[node + 1]):
            other = near.ends[at]
            if left[other] > left[node]:
                first = begin[left[other]]
                swapped = order[first]
                order[place[other]] = swapped
                place[swapped] = place[other]
                order[first] = other
                place[other] = first
                begin[left[other]] += 1
                left[other] -= 1
    return left


@compiled
def spread_labels(near: Near, rounds: int, order: Longs) -> Longs:
    """Let each node take the label that most of its neighbours have; ties by lowest label."""
    count = len(near.starts) - 1
    labels = np.arange(count)
    votes = np.zeros(count, np.int64)
    for _ in range(rounds):
        changed = False
        for node in order:
            best = labels[node]
            most = 0
            for at in range(near.starts[node], near.starts[node + 1]):
                label = labels[near.ends[at]]
                votes[label] += 1
                if votes[label] > most or (votes[label] == most and label < best):
                    most = votes[label]
                    best = label
            for at in range(near.starts[node], near.starts[node + 1]):
                votes[labels[near.ends[at]]] = 0
            if best != labels[node]:
                labels[node] = best
                changed = True
        if not changed:
            break
    return labels
