"""The recount of graphs: random releases are clean, and every planted violation is found."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

import shoal
from soak import graphs
from soak.outside.graphs import AskedGraph, degree_faults, supergraph_faults
from soak.outside.tables import Column

COUNT = 24
PEOPLE = {
    "age": Column("number", [20 + node % 9 for node in range(COUNT)]),
    "ill": Column("category", [graphs.ILLS[node % 3] for node in range(COUNT)]),
}
PAIRS = [(node, node + 1) for node in range(COUNT - 1)] + [(0, node) for node in range(2, 12)]
ASKED = AskedGraph(4, ["age"], ["ill"], [("l-diversity", {"l": 2})], most_dense=0.9)


@pytest.fixture(scope="module")
def clusters(tmp_path_factory) -> tuple[Path, list[int]]:
    columns = {name: column.values for name, column in PEOPLE.items()}
    nodes = pa.table({"id": list(range(COUNT)), **columns})
    edges = pa.table({"a": [one for one, _ in PAIRS], "b": [other for _, other in PAIRS]})
    release = shoal.graph.anonymize(
        nodes,
        edges,
        quasi=["age"],
        sensitive=["ill"],
        models=["l-diversity:l=2"],
        k=4,
        most_dense=0.9,
        seed=1,
    )
    folder = tmp_path_factory.mktemp("clusters") / "out"
    release.write(folder)
    return folder, release.outcome.published_labels.tolist()


def test_random_releases_are_clean(tmp_path) -> None:
    outcomes = set()
    for case in range(24):
        folder = tmp_path / str(case)
        folder.mkdir()
        done = graphs.released(Random(f"graph {case}"), folder)
        assert done.faults == [], f"case {case}"
        outcomes |= set(done.counts)
    assert outcomes == {"graphs: clusters", "graphs: degrees", "graphs: refused"}


def test_a_true_release_has_no_faults(clusters) -> None:
    folder, labels = clusters
    assert supergraph_faults(PEOPLE, PAIRS, folder, ASKED, labels) == []


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"k": 9}, "fewer than k"),
        ({"models": [("l-diversity", {"l": 4})]}, "l-diversity is broken"),
        ({"most_dense": 0.1}, "denser than allowed"),
        ({"quasi": []}, "columns"),
    ],
)
def test_broken_promises_are_found(clusters, asked, fault) -> None:
    folder, labels = clusters
    wrong = supergraph_faults(PEOPLE, PAIRS, folder, AskedGraph(**{**vars(ASKED), **asked}), labels)
    assert any(fault in one for one in wrong)


def test_other_edges_values_and_clusters_are_found(clusters) -> None:
    folder, labels = clusters
    lost = supergraph_faults(PEOPLE, PAIRS[1:], folder, ASKED, labels)
    assert lost == ["numbers of edges are not the original's"]
    older = {**PEOPLE, "age": Column("number", [90] * COUNT)}
    assert "a cell beside its person" in supergraph_faults(older, PAIRS, folder, ASKED, labels)
    well = {**PEOPLE, "ill": Column("category", ["none"] * COUNT)}
    assert any("sensitive" in one for one in supergraph_faults(well, PAIRS, folder, ASKED, labels))
    out = [-1, *labels[1:]]
    assert any("size" in one for one in supergraph_faults(PEOPLE, PAIRS, folder, ASKED, out))


def test_degrees_that_few_share_and_lost_edges_are_found(tmp_path) -> None:
    edges = pa.table({"a": [one for one, _ in PAIRS], "b": [other for _, other in PAIRS]})
    nodes = pa.table({"id": list(range(COUNT))})
    release = shoal.graph.anonymize(nodes, edges, form="k-degree", k=3, seed=1)
    release.write(tmp_path / "out")
    numbers = release.outcome.place.tolist()
    assert degree_faults(PAIRS, tmp_path / "out", 3, numbers) == []
    assert "fewer than k" in degree_faults(PAIRS, tmp_path / "out", 20, numbers)[0]
    place = tmp_path / "out" / "edges.csv"
    first, second = sorted(numbers[end] + 1 for end in PAIRS[0])
    lines = [line for line in place.read_text().splitlines() if line != f"{first},{second}"]
    place.write_text("\n".join(lines) + "\n")
    assert "an edge of the original is lost" in degree_faults(PAIRS, tmp_path / "out", 3, numbers)
