"""Structure: what a supergraph tells of a graph, and how much of it is lost.

    a cluster of s nodes has C = s (s - 1) / 2 pairs and e edges inside
    two clusters of s and t nodes have s t pairs and e edges between them
    SIL  = sum over clusters and pairs of clusters of 2 e (1 - e / pairs)
    NSIL = SIL / (n (n - 1) / 4)
    structure kept = 1 - SIL / SIL(all nodes in one cluster)
    bits = log2 of the number of graphs that fit the release

A pair of nodes adds the chance that a guess by density is wrong; SIL is highest at density 1/2 (A.
Campan and T. Truta, 2009, doi:10.1007/978-3-642-01718-6_4). **NSIL can't be read alone**: telling
no more than the numbers of nodes and edges already costs 4 p (1 - p), which is small wherever edges
are few. Structure kept is 0 there, 1 for the graph itself. `bits` is the logarithmic twin of SIL
(M. Hay and others, 2008, doi:10.14778/1453856.1453873).

Edges of nodes that are left out are lost in full: each adds 2 to SIL.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.groups import Groups
from shoal.kernels.networks.counting import log2_choices
from shoal.networks.network import Network


@dataclass(frozen=True)
class Structure:
    """Numbers of edges inside clusters and between them; pairs without an edge are not listed."""

    sizes: Longs
    inner: Longs
    first: Longs
    second: Longs
    between: Longs

    @classmethod
    def of(cls, network: Network, groups: Groups) -> Structure:
        """Count the edges of clusters; edges of withheld nodes are left out."""
        one = groups.labels[network.one].astype(np.int64)
        other = groups.labels[network.other].astype(np.int64)
        there = (one >= 0) & (other >= 0)
        low = np.minimum(one, other)[there]
        high = np.maximum(one, other)[there]
        inside = low == high
        inner = np.bincount(low[inside], minlength=groups.count).astype(np.int64)
        keys, between = np.unique(
            low[~inside] * max(groups.count, 1) + high[~inside], return_counts=True
        )
        first = keys // max(groups.count, 1)
        second = keys % max(groups.count, 1)
        return cls(groups.sizes, inner, first, second, between.astype(np.int64))

    @property
    def edges(self) -> int:
        """Count the edges that are published."""
        return int(self.inner.sum() + self.between.sum())

    @cached_property
    def pairs(self) -> tuple[Longs, Longs]:
        """List the possible and the real edges of each cluster, then of each pair of clusters."""
        inside = self.sizes * (self.sizes - 1) // 2
        across = self.sizes[self.first] * self.sizes[self.second]
        return np.concatenate((inside, across)), np.concatenate((self.inner, self.between))

    @property
    def densities(self) -> Floats:
        """Compute edges over possible edges, where any are possible; unlisted pairs have 0."""
        possible, real = self.pairs
        return real[possible > 0] / possible[possible > 0]

    def sil(self, lost: int = 0) -> float:
        """Compute the structural information loss; `lost` edges were left out with their nodes."""
        possible, real = self.pairs
        held = possible > 0
        kept = float(np.sum(real[held].astype(np.float64) ** 2 / possible[held]))
        return 2.0 * (self.edges + lost) - 2.0 * kept

    @property
    def bits(self) -> float:
        """Compute log2 of the number of graphs that have these numbers of edges."""
        return float(log2_choices(*self.pairs))


def losses_of(structure: Structure, nodes: int, edges: int) -> dict[str, float | None]:
    """Measure what a supergraph loses of a graph with so many nodes and edges."""
    sil = structure.sil(edges - structure.edges)
    most = trivial_sil(nodes, edges)
    pairs = nodes * (nodes - 1) // 2
    return {
        "sil": sil,
        "nsil": sil / (pairs / 2) if pairs else None,
        "structure-kept": 1.0 - sil / most if most else None,
        "bits": structure.bits,
        "bits-of-one-cluster": float(log2_choices(np.array([pairs]), np.array([edges]))),
    }


def trivial_sil(nodes: int, edges: int) -> float:
    """Compute SIL of all nodes in one cluster: no release tells less. 0 where nothing can be lost.

    That is so in an empty and in a complete graph.
    """
    pairs = nodes * (nodes - 1) // 2
    return 2.0 * edges * (1.0 - edges / pairs) if pairs else 0.0
