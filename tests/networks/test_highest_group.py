"""The bound by the group of the highest node: by hand, by brute force, and known answers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import shoal
from networks.graphs import network
from networks.test_k_degree import GRAPHS, fewest_edges
from shoal.networks.degrees import DegreeRaise
from shoal.networks.exchanging import TargetExchange
from shoal.networks.highest_group import HighestGroup
from shoal.networks.realizing import Realization

networkx = pytest.importorskip("networkx")
MANY = 10_000  # states


def drawn(rng: np.random.Generator, most: int) -> tuple[list[tuple[int, int]], int]:
    count = int(rng.integers(4, most + 1))
    share = rng.uniform(0.1, 0.8)
    return [pair for pair in combinations(range(count), 2) if rng.random() < share], count


def ordered(pairs: list[tuple[int, int]], count: int, k: int) -> HighestGroup:
    graph = network(pairs, count)
    return HighestGroup.of(graph, np.argsort(-graph.degrees, kind="stable"), k)


def least_by_hand(pairs: list[tuple[int, int]], count: int, k: int) -> int:
    """Try every target and every group of a highest node: raises, less pairs that may be joined."""
    degrees = network(pairs, count).degrees.tolist()
    highest = degrees.index(max(degrees))
    best = None
    for target in range(max(degrees), count):
        for size in range(k, count + 1):
            for group in combinations(range(count), size):
                if highest in group:
                    joined = [
                        pair
                        for pair in combinations(group, 2)
                        if pair not in pairs and max(degrees[node] for node in pair) < target
                    ]
                    added = sum(target - degrees[node] for node in group) - len(joined)
                    best = added if best is None else min(best, added)
    assert best is not None
    return best


def test_no_graph_adds_fewer_edges() -> None:
    rng = np.random.default_rng(5)
    met = 0
    for _ in range(60):
        pairs, count = drawn(rng, 6)
        k = int(rng.integers(2, 5))
        if k > count:
            continue
        fewest = fewest_edges(pairs, count, k)
        bounds = [
            ordered(pairs, count, k).search(most, steps).bound
            for most in (fewest, fewest + 3)
            for steps in (0, 1, 3, MANY)
        ]
        assert max(bounds) <= fewest
        met += min(bounds[3], bounds[7]) == fewest
    assert met >= 15  # a bound that is never reached proves little


def test_all_sets_are_looked_at() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        pairs, count = drawn(rng, 7)
        k = int(rng.integers(2, 4))
        by_hand = least_by_hand(pairs, count, k)
        assert ordered(pairs, count, k).search(count * count, MANY).bound >= by_hand


def test_hubs_that_know_each_other_need_others() -> None:
    """Two hubs with 5 and 3 leaves who are neighbours: the lower one needs two among the leaves."""
    pairs = [(0, 1), *[(0, leaf) for leaf in range(2, 7)], *[(1, leaf) for leaf in range(7, 10)]]
    assert ordered(pairs, 10, 2).search(20, MANY).bound == 2


@pytest.mark.parametrize(
    ("name", "k", "bound"), [("karate", 10, 59), ("lesmis", 5, 68), ("lesmis", 10, 165)]
)
def test_known_bounds(name, k, bound) -> None:
    graph = networkx_graph(name)
    group = HighestGroup.of(graph, np.argsort(-graph.degrees, kind="stable"), k)
    assert group.search(10_000, 500).bound == bound


def networkx_graph(name: str):
    graph = networkx.convert_node_labels_to_integers(GRAPHS[name]())
    return network([tuple(sorted(pair)) for pair in graph.edges()], len(graph))


def test_exchanged_targets_are_shared_by_k_and_ask_for_fewer_edges() -> None:
    graph = networkx_graph("karate")
    raising = DegreeRaise(np.sort(graph.degrees)[::-1].astype(np.int64), 10)
    many = [pair for pair in combinations(range(34), 2) if pair[1] > 17][:70]
    fewer = TargetExchange(graph, raising, many, np.random.default_rng(1)).fewer("default", 59)
    degrees = graph.degrees + np.bincount(np.ravel(fewer), minlength=34)
    counts = np.bincount(degrees)
    assert counts[counts > 0].min() >= 10
    known = set(zip(graph.one.tolist(), graph.other.tolist(), strict=True))
    assert len(set(fewer)) == len(fewer) and not known & set(fewer)
    assert 59 <= len(fewer) <= 61


def test_what_fails_the_test_can_not_be_realized() -> None:
    rng = np.random.default_rng(7)
    seen = 0
    for _ in range(300):
        pairs, count = drawn(rng, 8)
        graph = network(pairs, count)
        lacking = rng.integers(0, 4, count)
        raising = DegreeRaise(np.sort(graph.degrees)[::-1].astype(np.int64), 2)
        exchange = TargetExchange(graph, raising, [], rng)
        if exchange._unrealized(lacking):
            seen += 1
            assert Realization(graph.near, lacking.copy(), rng).edges() is None
    assert seen >= 50


def test_karate_is_proven_to_need_59_edges_and_gets_hardly_more() -> None:
    """Targets in the order of degrees alone need 61 at k = 10, and degrees alone prove 48."""
    release = shoal.graph.anonymize(networkx.karate_club_graph(), form="k-degree", k=10, seed=1)
    private = release.certificate.private
    assert private.bound == 59
    assert private.edges_added <= 60
