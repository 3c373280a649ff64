"""Sampling: an ordinary graph drawn from all those that fit a supergraph, each as likely.

Inside each cluster and between each pair of clusters, as many pairs of nodes are drawn as there are
edges, without replacement. Nodes are numbered through, cluster after cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Longs
from shoal.networks.network import Network
from shoal.networks.structure import Structure


@dataclass(frozen=True)
class SampledNetwork:
    """A graph that was drawn, and the cluster of each of its nodes, from 0."""

    network: Network
    cluster: Longs


def sampled(structure: Structure, seed: int | None) -> SampledNetwork:
    """Draw a graph that has the numbers of edges of a supergraph."""
    rng = np.random.default_rng(seed)
    sizes = structure.sizes
    begin = np.concatenate(([0], np.cumsum(sizes)))
    block, pair = _drawn(*structure.pairs, rng)
    inside = block < len(sizes)
    cluster = block[inside]
    high = _row_of_triangle(pair[inside])
    low = pair[inside] - high * (high - 1) // 2
    across = block[~inside] - len(sizes)
    first = structure.first[across]
    second = structure.second[across]
    one = begin[first] + pair[~inside] // sizes[second]
    other = begin[second] + pair[~inside] % sizes[second]
    ones = np.concatenate((begin[cluster] + low, one))
    others = np.concatenate((begin[cluster] + high, other))
    network = Network.of(int(sizes.sum()), ones, others)
    return SampledNetwork(network, np.repeat(np.arange(len(sizes)), sizes))


def _drawn(possible: Longs, real: Longs, rng: np.random.Generator) -> tuple[Longs, Longs]:
    """Draw `real` different numbers below `possible` for each block; return blocks and numbers."""
    single = np.flatnonzero(real == 1)
    blocks = [single]
    numbers: list[AnyArray] = [rng.integers(0, np.maximum(possible[single], 1))]
    for block in np.flatnonzero(real > 1).tolist():
        chosen = rng.choice(int(possible[block]), int(real[block]), replace=False, shuffle=False)
        blocks.append(np.full(len(chosen), block))
        numbers.append(chosen)
    return np.concatenate(blocks).astype(np.int64), np.concatenate(numbers).astype(np.int64)


def _row_of_triangle(index: Longs) -> Longs:
    """Find the higher node of a pair by its number, which is high (high - 1) / 2 + low."""
    high = np.floor((1 + np.sqrt(1 + 8 * index.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > index
    return high + (high * (high + 1) // 2 <= index)
