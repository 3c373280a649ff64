"""Layout of a graph: bubbles hold every person and every edge, and no two touch."""

from __future__ import annotations

import numpy as np
import pytest

from networks.graphs import BY_ATTRIBUTES, PAPER, groups, network
from shoal.groups import Groups
from shoal.networks.network import Network
from shoal.networks.structure import Structure
from shoal.studio.work.graph_layout import GAP, HIGH, WIDE, Bubbles, bubbles_of


def random_graph(people: int, edges: int, k: int) -> tuple[Network, Groups]:
    ends = np.random.default_rng(5).integers(0, people, (edges, 2))
    pairs = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    return Network.of(people, pairs[:, 0], pairs[:, 1]), Groups.of(np.arange(people) // k)


def checked(made: Bubbles, people: int, edges: int) -> None:
    """Everybody and every edge is there once; circles stand apart, and inside of the picture."""
    assert made.people.sum() == people and made.inner.sum() + made.between.sum() == edges
    assert (made.inner * 2 + made.outer).sum() == 2 * edges
    distance = np.hypot(made.x[:, None] - made.x, made.y[:, None] - made.y)
    np.fill_diagonal(distance, np.inf)
    assert (distance > made.radius[:, None] + made.radius + GAP - 0.5).all()
    assert (made.x > made.radius).all() and (made.x < WIDE - made.radius).all()
    assert (made.y > made.radius).all() and (made.y < HIGH - made.radius).all()


@pytest.mark.parametrize("people, edges, k", [(60, 150, 3), (1_000, 3_000, 4), (300, 0, 5)])
def test_everybody_is_in_one_of_a_few_bubbles(people: int, edges: int, k: int) -> None:
    graph, clusters = random_graph(people, edges, k)
    made = bubbles_of(Structure.of(graph, clusters), most=40)
    assert made.count == min(clusters.count, 40)
    assert made.clusters.sum() == clusters.count
    checked(made, people, graph.edges)


def test_a_few_clusters_stay_as_they_are() -> None:
    made = bubbles_of(Structure.of(network(PAPER, 9), groups(BY_ATTRIBUTES)))
    assert made.of_cluster.tolist() == [0, 1, 2] and made.people.tolist() == [3, 3, 3]
    assert made.radius.min() == made.radius.max()
    checked(made, 9, 10)


def test_what_hangs_together_is_joined_and_stands_together() -> None:
    """Two crowds of ten clusters, with one edge between them: no bubble holds some of both."""
    inside = [(a, b) for a in range(40) for b in range(a + 1, 40) if (a * 7 + b) % 3 == 0]
    edges = [*inside, *((a + 40, b + 40) for a, b in inside), (0, 40)]
    clusters = groups([list(range(4 * i, 4 * i + 4)) for i in range(20)])
    made = bubbles_of(Structure.of(network(edges, 80), clusters), most=6)
    crowds = [set(made.of_cluster[:10].tolist()), set(made.of_cluster[10:].tolist())]
    assert not crowds[0] & crowds[1] and made.count == 6
    places = [np.column_stack((made.x, made.y))[sorted(crowd)] for crowd in crowds]
    centre = [place.mean(axis=0) for place in places]
    near = np.hypot(*(places[0] - centre[0]).T).max()
    assert np.hypot(*(centre[0] - centre[1])) > near


def test_a_star_of_many_clusters_ends() -> None:
    edges = [(0, i) for i in range(1, 3_000)]
    clusters = Groups.of(np.arange(3_000))
    made = bubbles_of(Structure.of(network(edges, 3_000), clusters))
    assert made.count == 80
    checked(made, 3_000, 2_999)


def test_one_release_has_one_picture() -> None:
    graph, clusters = random_graph(200, 600, 4)
    structure = Structure.of(graph, clusters)
    one, other = bubbles_of(structure), bubbles_of(structure)
    assert np.array_equal(one.x, other.x) and np.array_equal(one.y, other.y)
