"""Metrics of graphs, beside those of networkx."""

from __future__ import annotations

import numpy as np
import pytest

from networks.graphs import network
from shoal.kernels.networks.walking import cores
from shoal.networks import metrics

networkx = pytest.importorskip("networkx")


def both(seed: int):
    graph = networkx.gnp_random_graph(30, 0.15, seed=seed)
    return graph, network(list(graph.edges()), 30)


def test_figures_are_those_of_networkx() -> None:
    for seed in range(5):
        graph, ours = both(seed)
        assert metrics.transitivity(ours) == pytest.approx(networkx.transitivity(graph))
        local = networkx.average_clustering(graph)
        assert metrics.local_clustering(ours) == pytest.approx(local)
        near = networkx.global_efficiency(graph)
        assert metrics.harmonic_distance(ours) == pytest.approx(1 / near)
        largest = max(map(len, networkx.connected_components(graph)))
        assert metrics.largest_component(ours) == largest / 30
        radius = max(networkx.adjacency_spectrum(graph).real)
        assert metrics.spectral_radius(ours) == pytest.approx(radius, rel=1e-3)
        assert cores(ours.near).tolist() == list(networkx.core_number(graph).values())
        mixed = networkx.degree_pearson_correlation_coefficient(graph)
        assert metrics.degree_assortativity(ours) == pytest.approx(mixed)


def test_modularity_is_that_of_the_labels() -> None:
    graph = networkx.disjoint_union(networkx.complete_graph(5), networkx.complete_graph(5))
    ours = network(list(graph.edges()), 10)
    assert metrics.modularity(ours) == pytest.approx(0.5)


def test_graphs_without_edges_have_figures() -> None:
    empty = network([], 3)
    assert [measure(empty) for measure in metrics.MEASURES.values()][:3] == [0, 0, 0]


def test_spread_is_over_the_graphs() -> None:
    first = network([(0, 1)], 3)
    second = network([(0, 1), (1, 2), (0, 2)], 3)
    figures = {each.name: each for each in metrics.compared(first, [first, second])}
    assert figures["transitivity"].original == 0
    assert figures["transitivity"].mean == 0.5
    assert figures["transitivity"].spread == 0.5
    moved = metrics.degree_distance(first, second)
    assert moved == pytest.approx(4 / 3)
    assert figures["degree-distance"].mean == pytest.approx(moved / 2)
    assert np.isfinite([each.mean for each in figures.values()]).all()
