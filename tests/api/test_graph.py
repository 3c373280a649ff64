"""`shoal.graph`: options of tables on graphs, graphs of other libraries, and refusals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from networks.graphs import TREE, knows, people
from shoal.errors import DataError, PrivacyNotMet, RecipeError

QUASI = ["age", "zip", "gender"]


def released(nodes=None, edges=None, **asked):
    given = {"quasi": QUASI, "k": 3, "hierarchies": {"zip": TREE}, "seed": 1, **asked}
    return shoal.graph.anonymize(people() if nodes is None else nodes, edges or knows(), **given)


def test_losses_are_the_papers() -> None:
    release = released(method="sangreea:alpha=1")
    assert release.loss("ngil") == pytest.approx(201 / 26 / 27)
    assert release.loss("nsil") == pytest.approx(76 / 9 / 18)
    assert release.certificate.public.recipe["method"] == "sangreea(alpha=1)"
    with pytest.raises(RecipeError, match="no metric 'nsli'"):
        release.loss("nsli")


def test_ids_are_not_published() -> None:
    release = released()
    assert release.clusters.column_names == ["cluster", "size", "inner_edges", *QUASI]
    assert release.certificate.public.columns.dropped == ["id"]
    with pytest.raises(RecipeError, match="two roles"):
        released(quasi=["id", "age"], hierarchies={})


def test_frames_come_back_as_they_came() -> None:
    release = released(people().to_pandas())
    assert isinstance(release.clusters, pd.DataFrame)


def test_missing_values_nodes_without_edges_and_components() -> None:
    nodes = pa.table({"id": list(range(8)), "age": [1, 2, None, 4, 5, 6, None, 8]})
    edges = pa.table({"a": [0, 2], "b": [1, 3]})
    release = shoal.graph.anonymize(nodes, edges, quasi=["age"], k=4, seed=1)
    assert release.clusters["size"].to_pylist() == [4, 4]
    assert release.certificate.public.edges == 2
    with pytest.raises(DataError):
        shoal.graph.anonymize(nodes, edges, quasi=["age"], k=4, missing="refuse")


def test_people_left_out_take_their_edges_along() -> None:
    rng = np.random.default_rng(1)
    ages = np.append(rng.integers(20, 30, 40), [95] * 4)
    nodes = pa.table({"id": np.arange(44), "age": ages})
    edges = pa.table({"a": np.arange(43), "b": np.arange(1, 44)})
    release = shoal.graph.anonymize(nodes, edges, quasi=["age"], k=4, withhold=0.1, seed=1)
    published = release.certificate.public
    left_out = release.certificate.private.withheld
    assert published.nodes == 44 - left_out < 44
    assert published.edges < 43
    assert any("edges with them" in note for note in release.notices)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"k": 10}, PrivacyNotMet),
        ({"form": "label-lists"}, RecipeError),
        ({"method": "mondrian"}, RecipeError),
        ({"person": "id"}, RecipeError),
        ({"weight": "age"}, RecipeError),
        ({"most_dense": 0}, RecipeError),
        ({"quasi": ["agee"], "hierarchies": {}}, RecipeError),
        ({"quasi": []}, RecipeError),
        ({"sensitive": ["party"], "models": ["l-diversity:l=3"]}, RecipeError),
    ],
)
def test_what_can_not_be_is_refused(asked, error) -> None:
    with pytest.raises(error):
        released(**asked)


def test_columns_with_our_names_are_refused() -> None:
    nodes = people().rename_columns(["id", "size", "zip", "gender"])
    with pytest.raises(RecipeError, match="columns of its own named 'size'"):
        released(nodes, quasi=["size", "gender"], hierarchies={})


def test_complete_graphs_and_one_cluster() -> None:
    nodes = pa.table({"id": [1, 2, 3], "age": [1, 2, 3]})
    edges = pa.table({"a": [1, 1, 2], "b": [2, 3, 3]})
    release = shoal.graph.anonymize(nodes, edges, quasi=["age"], k=3)
    assert release.loss("structure-kept") is None
    assert "none to keep" in repr(release)
    assert any(note.kind == "leak" for note in release.notices)


def test_graphs_of_other_libraries() -> None:
    networkx = pytest.importorskip("networkx")
    igraph = pytest.importorskip("igraph")
    rustworkx = pytest.importorskip("rustworkx")
    ages = {node: 20 + node for node in range(6)}
    pairs = [(0, 1), (1, 2), (3, 4), (4, 5)]
    one = networkx.Graph(pairs)
    networkx.set_node_attributes(one, ages, "age")
    two = igraph.Graph(n=6, edges=pairs, vertex_attrs={"age": list(ages.values())})
    three = rustworkx.PyGraph()
    three.add_nodes_from([{"age": age} for age in ages.values()])
    three.add_edges_from_no_data(pairs)
    for graph in (one, two, three):
        release = shoal.graph.anonymize(graph, quasi=["age"], k=3, seed=1)
        assert release.certificate.public.edges == 4
        assert release.clusters["size"].to_pylist() == [3, 3]
    with pytest.raises(DataError, match="direction"):
        shoal.graph.anonymize(one.to_directed(), quasi=["age"], k=3)


def test_graph_files(tmp_path) -> None:
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(6)
    networkx.set_node_attributes(graph, {node: 20 + node for node in range(6)}, "age")
    networkx.write_graphml(graph, tmp_path / "path.graphml")
    networkx.write_gml(graph, tmp_path / "path.gml")
    for name in ("path.graphml", "path.gml"):
        release = shoal.graph.anonymize(tmp_path / name, quasi=["age"], k=3, seed=1)
        assert release.certificate.public.edges == 5
    (tmp_path / "odd.gml").write_text("secret person")
    with pytest.raises(DataError) as refused:
        shoal.graph.anonymize(tmp_path / "odd.gml", quasi=["age"])
    assert "secret" not in str(refused.value)


def test_a_release_is_written_whole_or_not_at_all(tmp_path) -> None:
    release = released()
    release.write(tmp_path / "out")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["certificate.json", "cluster_edges.csv", "clusters.csv"]
    assert json.loads((tmp_path / "out.private.json").read_text())["nodes in"] == 9
    with pytest.raises(RecipeError, match="exists"):
        release.write(tmp_path / "out")
    with pytest.raises(DataError, match="can't be made"):
        release.write(tmp_path / "no" / "such")
    assert not (tmp_path / "no").exists()


def test_equal_inputs_give_equal_public_certificates() -> None:
    one = released().certificate.public
    other = released().certificate.public
    assert one.as_dict() == other.as_dict()
