"""SaNGreeA's growing of clusters: see `shoal.networks.sangreea`, which says it in words."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import UNIT, Costs, between
from shoal.kernels.jit import compiled
from shoal.kernels.networks.counting import Near


@compiled
def add_shared(near: Near, node: int, shared: Longs) -> None:
    """Add to each node the neighbours that it shares with one node, and 1 if it is its neighbour.

    Two nodes with d and e neighbours differ in d + e - 2 * shared others.
    """
    starts = near.starts
    ends = near.ends
    for at in range(starts[node], starts[node + 1]):
        middle = ends[at]
        shared[middle] += 1
        for far_at in range(starts[middle], starts[middle + 1]):
            shared[ends[far_at]] += 1


@compiled
def _box_with(costs: Costs, codes: Ints, lo: Ints, hi: Ints, node: int) -> int:
    total = 0
    for axis in range(len(lo)):
        code = codes[axis, node]
        total += between(costs, axis, min(lo[axis], code), max(hi[axis], code))
    return total


@compiled
def grow(costs: Costs, codes: Ints, near: Near, k: int, share: Longs, seeds: Ints) -> Ints:
    """Grow clusters of k nodes, the last maybe of fewer; alpha is share[0] / share[1].

    Scores are whole numbers: all candidates of a step are weighed over one denominator.
    """
    starts = near.starts
    count = codes.shape[1]
    axes = codes.shape[0]
    labels = np.full(count, -1, np.int32)
    free = np.arange(count).astype(np.int32)
    left = count
    cluster = 0
    shared = np.zeros(count, np.int64)
    others = max(count - 2, 1)
    for seed in seeds:
        if labels[seed] >= 0:
            continue
        shared[:] = 0
        lo = codes[:, seed].copy()
        hi = codes[:, seed].copy()
        member = seed
        degrees = 0
        size = 0
        while True:
            labels[member] = cluster
            size += 1
            for axis in range(axes):
                lo[axis] = min(lo[axis], codes[axis, member])
                hi[axis] = max(hi[axis], codes[axis, member])
            degrees += starts[member + 1] - starts[member]
            add_shared(near, member, shared)
            if size == k:
                break
            best = np.int64(2**62)
            chosen = -1
            for place in range(left):
                node = free[place]
                if labels[node] >= 0:
                    continue
                of_node = starts[node + 1] - starts[node]
                differ = size * of_node + degrees - 2 * shared[node]
                box = _box_with(costs, codes, lo, hi, node)
                score = share[0] * box * size * others
                score += (share[1] - share[0]) * differ * axes * UNIT
                if score < best:
                    best = score
                    chosen = node
            if chosen < 0:
                break
            member = chosen
        cluster += 1
        # Nodes that have a cluster leave the list.
        kept = 0
        for place in range(left):
            if labels[free[place]] < 0:
                free[kept] = free[place]
                kept += 1
        left = kept
    return labels
