"""Work on graphs: read from files, tried at several weights, and released as the terminal does."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from networks.graphs import knows, network, people
from shoal.adapters import files
from shoal.errors import DataError, PrivacyNotMet
from shoal.networks.network import network_of
from shoal.studio.words import in_words
from shoal.studio.work import graph_reading, graph_releasing, graph_trying
from shoal.studio.work.graph_trying import POINTS, following, part_of
from shoal.studio.work.telling import Tell

ASKED = {"quasi": ["age", "zip"], "sensitive": ["gender"], "k": 3}
OWN = {"form": "supergraph", "method": "shoal:alpha=0.3", "most_dense": 1.0, "simplify": False}


def heard() -> tuple[Tell, io.StringIO]:
    said = io.StringIO()
    return Tell(said), said


def read(folder: Path, one: str | None, other: str, *, simplify: bool = False) -> dict[str, Any]:
    """Reads a graph as the studio does, from files without a suffix."""
    named = None
    if one is not None:
        (folder / "0a1b").write_text(one)
        named = {"place": str(folder / "0a1b"), "name": "people.csv"}
    suffix = ".graphml" if other.startswith("<") else ""
    place = folder / f"2c3d{suffix}"
    place.write_text(other)
    edges = {"place": str(place), "name": "knows.csv"}
    return graph_reading.do(heard()[0], str(folder), named, edges, simplify=simplify)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The paper's graph, as it was read."""
    for name, table in (("one.csv", people()), ("other.csv", knows())):
        files.write(table, tmp_path / name)
    read(tmp_path, (tmp_path / "one.csv").read_text(), (tmp_path / "other.csv").read_text())
    return tmp_path


def test_people_and_edges_are_read_and_roles_suggested(tmp_path: Path) -> None:
    ages = "\n".join(f"p{i},{20 + i},a{i % 2}" for i in range(9))
    facts = read(tmp_path, f"who,age,ward\n{ages}", "a,b,since\np1,p2,2020\np3,p8,2021\n")
    assert (facts["people"], facts["edges"], facts["id"]) == (9, 2, "who")
    assert [view["name"] for view in facts["columns"]] == ["age", "ward"]
    assert facts["columns"][0]["role"] == "quasi"
    assert facts["notices"] == ["columns of edges are not published: 'since'"]
    nodes, edges = graph_reading.tables_of(str(tmp_path))
    assert nodes.num_rows == 9 and edges.column_names == ["a", "b", "since"]
    json.dumps(facts)


def test_edges_alone_and_a_file_with_everything(tmp_path: Path) -> None:
    facts = read(tmp_path, None, "a,b\n1,2\n2,3\n")
    assert (facts["people"], facts["edges"], facts["columns"]) == (3, 2, [])
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_nodes_from([(i, {"age": 30 + i}) for i in range(4)])
    graph.add_edges_from([(0, 1), (2, 3), (1, 2)])
    facts = read(tmp_path, None, "\n".join(networkx.generate_graphml(graph)))
    assert (facts["people"], facts["edges"]) == (4, 3)
    assert [view["name"] for view in facts["columns"]] == ["age"]


REFUSED = {
    "an unknown node": ("a,b\np1,p2\np1,p77\n", "1 edges end in 'b' at a node that is not in the"),
    "a loop": ("a,b\np1,p2\np3,p3\n", "1 edges lead from a node to itself"),
    "a pair twice": ("a,b\np1,p2\np2,p1\n", "1 edges lead between a pair once more"),
    "one column": ("a\np1\n", "edges need two columns"),
    "no end": ("a,b\np1,\n", "1 edges have no end in 'b'"),
    "no graph": ("<graphml>", "'knows.csv' can't be read as graphml"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_graph_is_refused_in_a_sentence(tmp_path: Path, what: str) -> None:
    edges, sentence = REFUSED[what]
    nodes = None if what == "no graph" else "id,age\np1,30\np2,31\np3,32\n"
    with pytest.raises(DataError) as refused:
        read(tmp_path, nodes, edges)
    said = in_words(refused.value)
    assert said.startswith(sentence) and str(tmp_path) not in said and "p77" not in said
    if what in ("a loop", "a pair twice"):
        assert "what helps: count each pair once (Graph)" in said
        facts = read(tmp_path, nodes, edges, simplify=True)
        assert facts["edges"] == 1 and "were left out" in facts["notices"][0]


def test_people_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="1 nodes have an id in 'id' that an earlier row has"):
        read(tmp_path, "id,age\np1,30\np1,31\n", "a,b\np1,p1\n")


def test_a_release_is_that_of_the_terminal_and_its_private_part_stays(home: Path) -> None:
    folder = home / "run"
    folder.mkdir()
    tell, said = heard()
    told = graph_releasing.do(tell, str(home), ASKED, OWN, str(folder))
    json.dumps(told, allow_nan=False)
    assert {path.name for path in folder.iterdir()} == {
        *("released", "released.private.json", "released.zip"),
        *("report.html", "report.public.html"),
    }
    assert shoal.graph.verify(folder / "released").holds
    with zipfile.ZipFile(told["archive"]) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    whole = {f"released/{path.name}": path.read_bytes() for path in folder.glob("released/*")}
    assert packed == whole and len(packed) == 4
    assert told["headline"].startswith("9 people released in 3 clusters of at least 3.")
    assert told["before"].startswith("everyone stands alone by what others know")
    assert json.loads((folder / "released.private.json").read_text())["nodes in"] == 9
    stages = [json.loads(line).get("name") for line in said.getvalue().splitlines()]
    assert "dividing into groups" in stages and stages[-1] == "writing"


def test_a_graph_of_degrees_is_drawn_by_degrees(home: Path) -> None:
    folder = home / "run"
    folder.mkdir()
    own = {"form": "k-degree", "removals": True, "simplify": False}
    told = graph_releasing.do(heard()[0], str(home), {"k": 3}, own, str(folder))
    assert told["pictures"]["heads"][0] == "neighbours"
    assert all(after == 0 or after >= 3 for _, _, after in told["pictures"]["rows"])
    assert told["before"] == "22 of 100 people stand alone by their number of neighbours"
    assert shoal.graph.verify(folder / "released").holds


def test_fewer_people_than_k_leave_nothing_behind(home: Path) -> None:
    folder = home / "run"
    folder.mkdir()
    with pytest.raises(PrivacyNotMet):
        graph_releasing.do(heard()[0], str(home), {**ASKED, "k": 10}, OWN, str(folder))
    assert not list(folder.iterdir())


def test_who_stands_alone_is_counted_by_values_and_neighbours() -> None:
    named = network_of(people(), knows())
    assert np.flatnonzero(graph_releasing.standing_alone(named, [])).tolist() == [2, 3]
    # of the two people aged 25 each has two neighbours, and so do the others who share a value
    alone = graph_releasing.standing_alone(named, ["age"])
    assert np.flatnonzero(~alone).tolist() == [0, 1]


def test_each_weight_is_tried_and_the_curve_is_that_of_releases(home: Path) -> None:
    tell, said = heard()
    asked = {"quasi": ["age", "zip"], "k": 3}
    graph_trying.do(tell, str(home), asked, simplify=False, most_dense=1.0)
    told = [json.loads(line) for line in said.getvalue().splitlines()]
    points = {one["alpha"]: one for one in told if one["says"] == "point"}
    assert {0.0, 0.5, 1.0} <= points.keys() and len(points) <= POINTS
    release = shoal.graph.anonymize(
        people(), knows(), **asked, method="shoal:alpha=0.5", effort="low", seed=1
    )
    assert points[0.5]["lost"] == pytest.approx(release.loss("ngil"))
    assert points[0.5]["kept"] == pytest.approx(release.loss("structure-kept"))
    assert points[0.0]["kept"] >= points[1.0]["kept"]
    assert points[0.0]["lost"] >= points[1.0]["lost"]
    assert points[0.5]["people"] == points[0.5]["of"] == 9


def test_points_go_where_the_curve_is_longest() -> None:
    bent = {0.0: (0.8, 0.7), 0.5: (0.2, 0.1), 1.0: (0.1, 0.0)}
    assert following({}) == 0.5 and following(bent) == 0.25
    flat = {0.0: (0.8, 0.7), 0.03: (0.1, 0.0), 1.0: (0.1, 0.0), 0.5: (0.1, 0.0)}
    assert following(flat) != 0.015  # too near to tell apart
    assert following({place / 10: (0.0, 0.0) for place in range(11)}) is None


def test_a_part_of_a_large_graph_hangs_together() -> None:
    nodes = pa.table({"id": np.arange(30), "age": np.arange(30)})
    path = network([(i, i + 1) for i in range(29)], 30)
    part, edges = part_of(nodes, path, 10)
    ids = part["id"].to_pylist()
    assert part.num_rows == 10 and ids == list(range(ids[0], ids[0] + 10))
    assert edges.num_rows == 9
    assert part_of(nodes, path, 30)[0].equals(nodes)
    lonely, none = part_of(nodes, network([], 30), 10)
    assert lonely.num_rows == 10 and none.num_rows == 0
