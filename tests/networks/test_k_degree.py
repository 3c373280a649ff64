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
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.kernels.networks.degrees import cheapest_shift
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


def test_a_release_may_leave_the_order_of_degrees() -> None:
    """Four independent nodes take the place of hubs that know each other: 19 edges, not 20."""
    pairs = list(combinations(range(5), 2))  # the highest node and four hubs
    count = 10
    for node, leaves in enumerate([16, *[11] * 4, *[14] * 5]):
        pairs += [(node, count + leaf) for leaf in range(leaves)]
        count += leaves
    free = iter(range(26, count))  # leaves of others than the highest node
    added = [*combinations(range(6, 10), 2), (5, next(free))]
    apart = [leaf for leaf in free if not {(node, leaf) for node in range(6, 10)} & set(pairs)]
    added += [(6 + place // 3, leaf) for place, leaf in enumerate(apart[:12])]
    after = Counter(end for pair in (*pairs, *added) for end in pair)
    assert len({*pairs, *added}) == len(pairs) + 19
    assert min(Counter(after[node] for node in range(count)).values()) >= 5
    graph = network(pairs, count)
    order = np.argsort(-graph.degrees, kind="stable")
    assert bound_of(DegreeRaise(graph.degrees[order], 5), graph.near, order) <= 19


def fewest_changes(pairs: list[tuple[int, int]], count: int, k: int) -> int:
    """Try every set of pairs that may change, the smallest first."""
    every = list(combinations(range(count), 2))
    for size in range(len(every) + 1):
        for changed in combinations(every, size):
            now = set(pairs) ^ set(changed)
            ends = Counter(end for pair in now for end in pair)
            if min(Counter(ends[node] for node in range(count)).values()) >= k:
                return size
    raise AssertionError("an empty graph has one degree")


def test_small_graphs_get_the_fewest_changes_and_the_proof() -> None:
    pytest.importorskip("scipy")
    rng = np.random.default_rng(3)
    for _ in range(12):
        count = int(rng.integers(4, 6))
        share = rng.uniform(0.2, 0.8)
        every = list(combinations(range(count), 2))
        pairs = [pair for pair in every if rng.random() < share] or every[:1]
        nodes = pa.table({"id": list(range(count))})
        edges = pa.table({"a": [one for one, _ in pairs], "b": [other for _, other in pairs]})
        for removals, by_hand in ((False, fewest_edges), (True, fewest_changes)):
            asked = {"form": "k-degree", "k": 2, "seed": 1, "removals": removals}
            release = shoal.graph.anonymize(nodes, edges, **asked)
            private = release.certificate.private
            changed = private.edges_added + private.edges_removed
            assert changed == by_hand(pairs, count, 2) == private.bound
            assert release.outcome.release.edges.num_rows == (
                len(pairs) + private.edges_added - private.edges_removed
            )


def test_shifts_agree_with_brute_force() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        count = int(rng.integers(3, 7))
        k = int(rng.integers(1, 4))
        degrees = np.sort(rng.integers(0, count, count))[::-1].astype(np.int64).copy()
        if count < k:
            continue
        by_hand = min(
            sum(abs(one - other) for one, other in zip(target, degrees, strict=True))
            for target in product(range(count), repeat=count)
            if min(Counter(target).values()) >= k
        )
        assert cheapest_shift(degrees, k) == by_hand


def test_karate_gets_fewer_changes_with_removals() -> None:
    pytest.importorskip("scipy")
    graph = networkx.karate_club_graph()
    release = shoal.graph.anonymize(graph, form="k-degree", k=2, seed=1, removals=True)
    private = release.certificate.private
    assert private.edges_removed > 0
    assert private.edges_added + private.edges_removed == private.bound < 5
    assert release.certificate.public.recipe["removals"] is True
    assert "removed" in repr(release)
    with pytest.raises(RecipeError, match="k-degree"):
        shoal.graph.anonymize(graph, quasi=["club"], removals=True)


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
