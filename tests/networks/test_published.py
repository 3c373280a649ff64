"""The gate: whatever is changed in published tables, it is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from networks.graphs import TREE, knows, people
from shoal.errors import PrivacyNotMet
from shoal.networks.gate import recounted
from shoal.networks.published import Supergraph

PARTY = list("ababababb")


def released(**asked):
    nodes = people().append_column("party", pa.array(PARTY))
    given = {"quasi": ["age", "zip", "gender"], "sensitive": ["party"], "k": 3, "seed": 1}
    trees = {"hierarchies": {"zip": TREE}}
    return shoal.graph.anonymize(nodes, knows(), **{**given, **trees, **asked})


@pytest.fixture(scope="module")
def release():
    return released()


def changed(release, table: str, column: str, row: int, value: object) -> Supergraph:
    tables = dict(release.outcome.release.tables)
    values = tables[table][column].to_pylist()
    values[row] = value
    place = tables[table].column_names.index(column)
    tables[table] = tables[table].set_column(place, column, pa.array(values))
    return Supergraph(**tables)


def test_the_release_passes(release) -> None:
    counted = recounted(release.outcome.release, release.outcome.plan)
    assert counted.k == 3
    assert counted.structure.edges == 10


@pytest.mark.parametrize(
    ("table", "column", "row", "value"),
    [
        ("clusters", "size", 0, 2),
        ("clusters", "size", 0, 4),
        ("clusters", "cluster", 0, 7),
        ("clusters", "inner_edges", 0, 4),
        ("clusters", "inner_edges", 0, -1),
        ("clusters", "inner_edges", 0, "x"),
        ("cluster_edges", "edges", 0, 10),
        ("cluster_edges", "edges", 0, 0),
        ("cluster_edges", "cluster_2", 0, 9),
        ("cluster_edges", "cluster_1", 0, 3),
        ("members", "cluster", 0, 2),
        ("members", "cluster", 0, None),
    ],
)
def test_changed_numbers_are_refused(release, table, column, row, value) -> None:
    values = release.outcome.release.tables[table][column].to_pylist()
    if isinstance(value, str):
        values = [str(each) for each in values]
        tables = dict(release.outcome.release.tables)
        place = tables[table].column_names.index(column)
        tables[table] = tables[table].set_column(place, column, pa.array([value, *values[1:]]))
        odd = Supergraph(**tables)
    else:
        odd = changed(release, table, column, row, value)
    with pytest.raises(PrivacyNotMet):
        recounted(odd, release.outcome.plan)


def test_a_further_column_is_refused(release) -> None:
    tables = dict(release.outcome.release.tables)
    tables["clusters"] = tables["clusters"].append_column("name", pa.array(list("abc")))
    with pytest.raises(PrivacyNotMet, match="columns it should"):
        recounted(Supergraph(**tables), release.outcome.plan)


def test_models_are_judged_cluster_by_cluster() -> None:
    diverse = released(models=["l-diversity:l=2"])
    members = diverse.members.to_pylist()
    for cluster in range(1, diverse.clusters.num_rows + 1):
        assert len({row["party"] for row in members if row["cluster"] == cluster}) >= 2
    same = Supergraph(
        diverse.outcome.release.clusters,
        diverse.outcome.release.cluster_edges,
        pa.table({"cluster": diverse.members["cluster"], "party": ["a"] * 9}),
    )
    with pytest.raises(PrivacyNotMet, match="different values"):
        recounted(same, diverse.outcome.plan)


def test_density_is_bounded_where_asked() -> None:
    bounded = released(most_dense=0.5)
    assert bounded.outcome.release.structure().densities.max() <= 0.5
    assert "leak" not in {note.kind for note in bounded.notices}
    complete = pa.table({"one": [1, 1, 2], "other": [2, 3, 3]})
    nodes = pa.table({"id": [1, 2, 3], "age": [1, 2, 3]})
    with pytest.raises(PrivacyNotMet, match="more of their edges than allowed"):
        shoal.graph.anonymize(nodes, complete, quasi=["age"], k=3, most_dense=0.9)


def test_counts_are_those_of_the_original(release) -> None:
    """Counted once more from labels and edges, by code of its own."""
    labels = release.groups
    rows = release.outcome.release.structure()
    ends = [(a - 1, b - 1) for a, b in zip(*knows().to_pydict().values(), strict=True)]
    inside = sum(labels[a] == labels[b] for a, b in ends)
    assert rows.inner.sum() == inside
    assert rows.between.sum() == len(ends) - inside
    assert sorted(rows.sizes) == sorted(np.bincount(labels))
