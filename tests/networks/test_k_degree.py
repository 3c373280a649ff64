"""k-degree: the table of known answers, brute force over degrees and graphs, and a recount."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest

import shoal
from networks.graphs import network
from shoal.errors import PrivacyNotMet
from shoal.networks.degrees import DegreeRaise, bound_of
from shoal.networks.k_degree import DegreeGraph, refuse_rare_degrees

networkx = pytest.importorskip("networkx")
KNOWN = {  # least raise of either parity, and half of the even one
    "karate": {2: (7, 4), 3: (15, 8), 5: (25, 13), 10: (86, 43), 20: (422, 211)},
    "lesmis": {2: (19, 10), 3: (39, 20), 5: (86, 43), 10: (225, 113), 20: (551, 279)},
}
GRAPHS = {"karate": networkx.karate_club_graph, "lesmis": networkx.les_miserables_graph}


def ordered(degrees, k: int) -> DegreeRaise:
    return DegreeRaise(np.sort(np.asarray(degrees, np.int64))[::-1].copy(), k)


@pytest.mark.parametrize("name", KNOWN)
def test_known_answers(name) -> None:
    degrees = [degree for _, degree in GRAPHS[name]().degree()]
    for k, (either, half) in KNOWN[name].items():
        raising = ordered(degrees, k)
        assert (raising.least_of_either_parity, raising.least // 2) == (either, half)


def cheapest_by_hand(degrees: list[int], k: int) -> int | None:
    """Try every vector of degrees that are no lower, shared by k, and of even sum."""
    n = len(degrees)
    best = None
    for raised in product(*(range(d, n) for d in degrees)):
        shared = min(Counter(raised).values()) >= k
        if shared and sum(raised) % 2 == 0:
            total = sum(raised) - sum(degrees)
            best = total if best is None else min(best, total)
    return best


def test_the_programme_agrees_with_brute_force() -> None:
    rng = np.random.default_rng(1)
    for _ in range(60):
        count = int(rng.integers(3, 7))
        k = int(rng.integers(2, 4))
        degrees = rng.integers(0, count, count).tolist()
        by_hand = cheapest_by_hand(degrees, k)
        raising = ordered(degrees, k)
        if by_hand is None:
            with pytest.raises(PrivacyNotMet):
                _ = raising.least
        else:
            assert raising.least == by_hand


def fewest_edges(pairs: list[tuple[int, int]], count: int, k: int) -> int:
    """Try every set of edges that may be added, the smallest first."""
    free = [pair for pair in combinations(range(count), 2) if pair not in pairs]
    for size in range(len(free) + 1):
        for added in combinations(free, size):
            ends = Counter(end for pair in (*pairs, *added) for end in pair)
            degrees = Counter(ends.get(node, 0) for node in range(count))
            if min(degrees.values()) >= k:
                return size
    raise AssertionError("a complete graph has one degree")


def test_the_bound_never_exceeds_what_is_possible() -> None:
    rng = np.random.default_rng(2)
    met = 0
    for _ in range(40):
        count = int(rng.integers(4, 7))
        k = int(rng.integers(2, 4))
        share = rng.uniform(0.1, 0.8)
        pairs = [pair for pair in combinations(range(count), 2) if rng.random() < share]
        graph = network(pairs, count)
        order = np.argsort(-graph.degrees, kind="stable")
        bound = bound_of(DegreeRaise(graph.degrees[order], k), graph.near, order)
        fewest = fewest_edges(pairs, count, k)
        assert bound <= fewest
        met += bound == fewest
    assert met >= 20  # a bound that is never reached proves little


@pytest.mark.parametrize(("name", "k"), [("karate", 3), ("karate", 5), ("lesmis", 2)])
def test_a_release_is_recounted_from_its_files(tmp_path, name, k) -> None:
    graph = networkx.convert_node_labels_to_integers(GRAPHS[name]())
    release = shoal.graph.anonymize(graph, form="k-degree", k=k, seed=1)
    release.write(tmp_path / "out")
    with (tmp_path / "out" / "edges.csv").open() as file:
        rows = [(int(row["node_1"]), int(row["node_2"])) for row in csv.DictReader(file)]
    ends = Counter(end for pair in rows for end in pair)
    assert len(set(rows)) == len(rows)
    assert min(Counter(ends.values()).values()) >= k
    number = release.outcome.place + 1
    kept = {tuple(sorted((number[a], number[b]))) for a, b in graph.edges()}
    assert kept <= set(rows)
    private = release.certificate.private
    assert len(rows) - len(kept) == private.edges_added >= private.bound


def test_a_rare_degree_is_refused() -> None:
    nodes = pa.table({"node": [1, 2, 3]})
    star = pa.table({"node_1": [1, 1], "node_2": [2, 3]})
    with pytest.raises(PrivacyNotMet, match="shared by fewer than 2"):
        refuse_rare_degrees(DegreeGraph(nodes, star), 2)
    with pytest.raises(PrivacyNotMet, match="there twice"):
        twice = pa.table({"node_1": [1, 1], "node_2": [2, 2]})
        refuse_rare_degrees(DegreeGraph(nodes, twice), 1)


def test_fewer_nodes_than_k_are_refused() -> None:
    with pytest.raises(PrivacyNotMet, match="can't share"):
        shoal.graph.anonymize(networkx.path_graph(3), form="k-degree", k=4)


def test_samples_have_the_numbers_of_edges_that_are_published() -> None:
    graph = networkx.karate_club_graph()
    networkx.set_node_attributes(graph, {node: node % 7 for node in graph}, "age")
    release = shoal.graph.anonymize(graph, quasi=["age"], k=4, seed=1)
    structure = release.outcome.release.structure()
    one = release.sample(seed=1)
    cluster = np.asarray(one.nodes["cluster"]) - 1
    inner = np.zeros(len(structure.sizes), int)
    between = Counter()
    for a, b in zip(one.network.one, one.network.other, strict=True):
        low, high = sorted((cluster[a], cluster[b]))
        inner[low] += low == high
        between[low, high] += low != high
    assert inner.tolist() == structure.inner.tolist()
    pairs = zip(structure.first, structure.second, structure.between, strict=True)
    assert {(a, b): e for a, b, e in pairs} == {pair: e for pair, e in between.items() if e}
    assert one.edges.equals(release.sample(seed=1).edges)
    assert not one.edges.equals(release.sample(seed=2).edges)
    assert one.to_networkx().number_of_edges() == 78
