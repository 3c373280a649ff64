"""Metrics of graphs: what an analyst would measure, on the original and on graphs from a release.

| figure | means |
|---|---|
| `degree-distance` | how far degrees have to move to become the original's, for each node |
| `transitivity`, `local-clustering` | closed among all paths of two edges; the mean over nodes |
| `harmonic-distance` | one over the mean of one over distances, over paths from some nodes |
| `largest-component` | share of nodes that hang together |
| `spectral-radius` | the largest eigenvalue of the matrix of neighbours |
| `highest-core` | the largest c for which some nodes have c neighbours among themselves |
| `degree-assortativity` | correlation of degrees at both ends of edges |
| `modularity` | of communities that are found anew (by labels that neighbours take over) |

A supergraph is measured on graphs that are drawn from it: mean and spread over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.networks.counting import triangles
from shoal.kernels.networks.walking import cores, distance_sums, spread_labels
from shoal.networks.network import Network

SOURCES = 200  # nodes from which distances are measured
STEPS = 100  # of the power method


@dataclass(frozen=True)
class GraphFigure:
    """One figure: of the original, and its mean and spread over graphs from the release."""

    name: str
    original: float
    mean: float
    spread: float


def compared(original: Network, released: Sequence[Network]) -> list[GraphFigure]:
    """Measure every figure of the original and of graphs from a release."""
    figures = []
    for name, measure in MEASURES.items():
        values = np.array([measure(each) for each in released])
        figures.append(
            GraphFigure(name, measure(original), float(values.mean()), float(values.std()))
        )
    moved = np.array([degree_distance(original, each) for each in released])
    first = GraphFigure("degree-distance", 0.0, float(moved.mean()), float(moved.std()))
    return [first, *figures]


def degree_distance(one: Network, other: Network) -> float:
    """Compute the earth mover's distance of degrees, for each node."""
    highest = int(max(one.degrees.max(initial=0), other.degrees.max(initial=0))) + 1
    first = np.bincount(one.degrees, minlength=highest).cumsum() / max(one.count, 1)
    second = np.bincount(other.degrees, minlength=highest).cumsum() / max(other.count, 1)
    return float(np.abs(first - second).sum())


def transitivity(network: Network) -> float:
    """Compute the share of paths of two edges whose ends are neighbours."""
    degrees = network.degrees
    paths = int((degrees * (degrees - 1)).sum()) // 2
    return int(triangles(network.near).sum()) / paths if paths else 0.0


def local_clustering(network: Network) -> float:
    """Average over nodes the share of their neighbours' pairs that are neighbours."""
    degrees = network.degrees
    pairs = np.maximum(degrees * (degrees - 1) // 2, 1)
    return float((triangles(network.near) / pairs).mean()) if network.count else 0.0


def _sources(network: Network) -> Longs:
    rng = np.random.default_rng(7)
    chosen = min(SOURCES, network.count)
    return rng.choice(network.count, chosen, replace=False).astype(np.int64)


def harmonic_distance(network: Network) -> float:
    """Compute the harmonic mean of distances from some nodes to all others."""
    sources = _sources(network)
    inverse, _ = distance_sums(network.near, sources)
    pairs = len(sources) * (network.count - 1)
    return pairs / inverse if inverse else 0.0


def largest_component(network: Network) -> float:
    """Compute the share of nodes that the largest component holds, as seen from some nodes."""
    _, reached = distance_sums(network.near, _sources(network))
    return reached / max(network.count, 1)


def spectral_radius(network: Network) -> float:
    """Compute the largest eigenvalue of the matrix of neighbours by the power method."""
    vector = np.ones(network.count)
    length = 0.0
    for _ in range(STEPS):
        # One step of the matrix plus one: bipartite graphs converge too.
        following = vector + np.bincount(
            network.one, weights=vector[network.other], minlength=network.count
        )
        following += np.bincount(
            network.other, weights=vector[network.one], minlength=network.count
        )
        before = float(np.linalg.norm(vector))
        after = float(np.linalg.norm(following))
        length = after / max(before, 1e-300)
        vector = following / max(after, 1e-300)
    return length - 1.0


def highest_core(network: Network) -> float:
    """Compute the highest number of a core."""
    return float(cores(network.near).max(initial=0))


def degree_assortativity(network: Network) -> float:
    """Correlate the degrees at both ends of edges."""
    ends = np.concatenate((network.degrees[network.one], network.degrees[network.other]))
    others = np.concatenate((network.degrees[network.other], network.degrees[network.one]))
    if not len(ends) or ends.std() == 0:
        return 0.0
    return float(np.corrcoef(ends, others)[0, 1])


def modularity(network: Network) -> float:
    """Find communities by labels that neighbours take over, and compute their modularity."""
    if not network.edges:
        return 0.0
    labels = spread_labels(network.near, 10, np.random.default_rng(7).permutation(network.count))
    inside = float((labels[network.one] == labels[network.other]).mean())
    shares = np.bincount(labels, weights=network.degrees) / (2.0 * network.edges)
    return inside - float((shares**2).sum())


MEASURES: dict[str, Callable[[Network], float]] = {
    "transitivity": transitivity,
    "local-clustering": local_clustering,
    "harmonic-distance": harmonic_distance,
    "largest-component": largest_component,
    "spectral-radius": spectral_radius,
    "highest-core": highest_core,
    "degree-assortativity": degree_assortativity,
    "modularity": modularity,
}
