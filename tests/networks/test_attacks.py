"""Attacks on graphs: candidates counted by hand, and what gates."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from networks.graphs import TREE, knows, network, people, random_graph
from shoal.networks.attacks import alone_by, class_sizes, on_degrees, signatures
from shoal.networks.propagation import Propagation, rightly_mapped


def neighbours(pairs, node):
    return [a + b - node for a, b in pairs if node in (a, b)]


def by_hand(pairs, count):
    near = [neighbours(pairs, node) for node in range(count)]
    known = {frozenset(pair) for pair in pairs}
    degree = [len(each) for each in near]
    inside = [
        sum(frozenset((a, b)) in known for i, a in enumerate(each) for b in each[i + 1 :])
        for each in near
    ]
    return {
        "degree": degree,
        "neighbourhood-count": list(zip(degree, inside, strict=True)),
        "neighbour-degrees": [tuple(sorted(degree[b] for b in each)) for each in near],
    }


def test_signatures_part_nodes_as_by_hand() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        count = int(rng.integers(2, 12))
        pairs, _rows = random_graph(rng, count)
        for name, labels in signatures(network(pairs, count)).items():
            expected = by_hand(pairs, count)[name]
            counts = Counter(expected)
            assert class_sizes(labels).tolist() == [counts[each] for each in expected]


def test_who_stands_alone() -> None:
    star = network([(0, 1), (0, 2), (0, 3)], 4)
    alone = alone_by(star, np.array([0, 0, 0, 1]))
    assert alone["degree"]["alone"] == 0.25
    assert alone["attributes"]["alone"] == 0.25
    assert alone["attributes-and-degree"]["alone"] == 0.5
    assert alone["degree"]["among fewer than 5"] == 1.0


def test_only_the_degree_gates_in_a_k_degree_graph() -> None:
    findings = {finding.name: finding for finding in on_degrees(network([(0, 1), (0, 2)], 3), 2)}
    assert findings["degree"].refuses
    assert not findings["neighbour-degrees"].gates
    square = network([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    assert not any(finding.refuses for finding in on_degrees(square, 4))


@pytest.fixture(scope="module")
def release():
    trees = {"zip": TREE}
    return shoal.graph.anonymize(
        people(), knows(), quasi=["age", "zip", "gender"], hierarchies=trees, k=3, seed=1
    )


def test_attacks_on_a_supergraph_find_no_more_than_promised(release) -> None:
    findings = shoal.graph.attack(release)
    assert findings.holds
    by_name = {finding.name: finding for finding in findings.all}
    assert set(by_name) == {"degree", "attributes", "attributes-and-degree", "edge-disclosure"}
    for name in ("degree", "attributes", "attributes-and-degree"):
        assert by_name[name].attack <= 1 / 3 + 1e-12
        assert by_name[name].control == pytest.approx(1 / 9)
    assert by_name["attributes-and-degree"].attack >= by_name["attributes"].attack


def test_edges_are_guessed_by_density(release) -> None:
    structure = release.outcome.release.structure()
    possible, real = structure.pairs
    by_name = {finding.name: finding for finding in shoal.graph.attack(release).all}
    expected = float((real**2 / possible).sum() / real.sum())
    assert by_name["edge-disclosure"].attack == pytest.approx(expected)
    assert by_name["edge-disclosure"].control == pytest.approx(10 / 36)


def test_degrees_rule_out_clusters_without_edges() -> None:
    nodes = pa.table({"id": list(range(6)), "age": [1, 1, 1, 1, 1, 1]})
    edges = pa.table({"a": [0, 0, 1], "b": [1, 2, 2]})
    apart = shoal.graph.anonymize(nodes, edges, quasi=["age"], k=3, seed=1, method="shoal:alpha=0")
    by_name = {finding.name: finding for finding in shoal.graph.attack(apart).all}
    assert by_name["attributes"].attack == pytest.approx(1 / 6)
    assert by_name["attributes-and-degree"].attack == pytest.approx((3 / 3 + 3 / 6) / 6)


def test_propagation_finds_everybody_in_an_unchanged_graph() -> None:
    rng = np.random.default_rng(3)
    pairs = [(a, b) for a in range(40) for b in range(a) if rng.random() < 0.25]
    known = network(pairs, 40)
    place = rng.permutation(40)
    published = network([(place[a], place[b]) for a, b in pairs], 40)
    right, wrong = rightly_mapped(Propagation(known, published), place, 6)
    assert right >= 30
    assert wrong <= 2
