"""Graphs as people have them: each odd input is taken as the guide says, or refused in words."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import registry
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.privacy.model import Model

COUNT = 12
RING = [(node, (node + 1) % COUNT) for node in range(COUNT)]
GIVEN = {
    "l-diversity": "l=2",
    "entropy-l-diversity": "l=1.5",
    "recursive-l-diversity": "c=4,l=2",
    "frequency-l-diversity": "l=1.5",
    "t-closeness": "t=0.6",
    "alpha-k": "alpha=0.7",
    "p-sensitive": "p=2",
    "beta-likeness": "beta=2",
    "delta-disclosure": "delta=2",
    "k-e": "e=1",
    "k-anonymity": "k=3",
    "delta-presence": "low=0,high=1",
    "lkc": "l=2,c=0.9",
    "m-invariance": "m=2",
}
NEED_MORE = {"delta-presence", "k-map", "lkc", "m-invariance"}
"""Models that need a population, one scheme for all rows, or a ledger: refused for clusters."""


def people(**more) -> pa.Table:
    ages = [20 + node % 6 for node in range(COUNT)]
    return pa.table({"id": np.arange(COUNT), "age": ages, **more})


def linked(pairs, **more) -> pa.Table:
    ends = {"a": [one for one, _ in pairs], "b": [other for _, other in pairs]}
    return pa.table({**ends, **more})


def released(nodes, edges, **asked):
    return shoal.graph.anonymize(nodes, edges, **{"quasi": ["age"], "k": 3, "seed": 1, **asked})


@pytest.mark.parametrize("form", ["supergraph", "k-degree"])
@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([*RING, (3, 3)], "from a node to itself"),
        ([*RING, (0, 1)], "between a pair once more"),
        ([*RING, (1, 0)], "between a pair once more"),
        ([*RING, (0, 77)], "not in the table"),
        ([*RING, (0, None)], "no end"),
    ],
)
def test_odd_edges_are_refused_without_values(form, pairs, said) -> None:
    asked = {"form": form} if form == "k-degree" else {}
    with pytest.raises(DataError, match=said) as refused:
        released(people(), linked(pairs), **asked)
    assert "77" not in str(refused.value)
    assert "rows: 13" in str(refused.value)


def test_simplify_takes_what_can_be_simplified() -> None:
    release = released(people(), linked([*RING, (3, 3), (1, 0)]), simplify=True)
    assert release.certificate.public.edges == len(RING)
    assert sum("left out" in str(note) for note in release.notices) == 2


def test_weights_are_dropped_and_said_so() -> None:
    release = released(people(), linked(RING, weight=[0.5] * COUNT))
    assert any("not published: 'weight'" in str(note) for note in release.notices)


def test_directed_graphs_are_refused_or_simplified() -> None:
    networkx = pytest.importorskip("networkx")
    directed = networkx.DiGraph(RING)
    networkx.set_node_attributes(directed, {node: node for node in range(COUNT)}, "age")
    with pytest.raises(DataError, match="direction"):
        shoal.graph.anonymize(directed, quasi=["age"], k=3)
    release = shoal.graph.anonymize(directed, quasi=["age"], k=3, simplify=True, seed=1)
    assert any("direction" in str(note) for note in release.notices)


@pytest.mark.parametrize("ids", [[0, *range(COUNT - 1)], [None, *range(1, COUNT)], ["x"] * COUNT])
def test_ids_are_there_once(ids) -> None:
    nodes = people().set_column(0, "id", pa.array(ids))
    with pytest.raises(DataError, match="id"):
        released(nodes, linked(RING))


def test_isolated_nodes_and_components() -> None:
    release = released(people(), linked([(0, 1), (4, 5), (5, 6)]))
    assert release.certificate.public.nodes == COUNT
    by_degree = shoal.graph.anonymize(people(), linked([(0, 1), (4, 5)]), form="k-degree", k=3)
    assert by_degree.certificate.public.k >= 3


@pytest.mark.parametrize("form", ["supergraph", "k-degree"])
def test_fewer_nodes_than_k(form) -> None:
    asked = {"quasi": ["age"]} if form == "supergraph" else {}
    with pytest.raises(PrivacyNotMet):
        shoal.graph.anonymize(people(), linked(RING), form=form, k=COUNT + 1, **asked)


def test_complete_graphs_tell_everything_and_say_so() -> None:
    every = linked(list(combinations(range(COUNT), 2)))
    release = released(people(), every)
    assert any("who knows whom is known" in str(note) for note in release.notices)
    with pytest.raises(PrivacyNotMet, match="more of their edges"):
        released(people(), every, most_dense=0.9)
    kept = shoal.graph.anonymize(people(), every, form="k-degree", k=3)
    assert kept.loss("edges-added") == 0


def test_graphs_without_edges_are_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        released(people(), linked([]))


def test_pairs_without_an_edge_are_warned_about() -> None:
    release = released(people(), linked([(0, 6), (1, 7)]))
    assert any("nobody in one knows anybody" in str(note) for note in release.notices)


def test_clusters_that_give_every_edge_away_are_merged_if_asked() -> None:
    cliques = [pair for begin in (0, 3, 6, 9) for pair in combinations(range(begin, begin + 3), 2)]
    ages = pa.array([node // 3 for node in range(COUNT)])
    nodes = people().set_column(1, "age", ages)
    dense = released(nodes, linked(cliques), method="shoal:alpha=1")
    assert any("who knows whom is known" in str(note) for note in dense.notices)
    thin = released(nodes, linked(cliques), method="shoal:alpha=1", most_dense=0.5)
    assert thin.outcome.release.structure().densities.max() <= 0.5
    assert thin.certificate.public.recipe["most_dense"] == 0.5


@pytest.mark.parametrize("name", sorted(registry.names(Model)))
def test_every_model_holds_on_clusters_or_is_refused_in_words(name, tmp_path) -> None:
    ills = [("flu", "gout", "hip")[node % 3] for node in range(COUNT)]
    if name == "k-e":
        ills = [node % 5 for node in range(COUNT)]
    model = f"{name}:{GIVEN[name]}" if name in GIVEN else name
    asked = {"sensitive": ["ill"], "models": [model]}
    try:
        release = released(people(ill=ills), linked(RING), **asked)
    except ShoalError as refused:
        assert refused.exit_code == 2
        assert name in NEED_MORE, str(refused)
        return
    assert name not in NEED_MORE
    measured = {
        one.as_dict()["model"].partition("(")[0] for one in release.certificate.public.models
    }
    assert name in measured
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds


def test_recipes_hierarchies_and_coding_work_as_for_tables(tmp_path) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text('[roles]\nquasi = ["age"]\n\n[protection]\nk = 4\n\n[coding.top]\nage = 23\n')
    release = shoal.graph.anonymize(people(), linked(RING), recipe=recipe, seed=1)
    assert any("23+" in cell for cell in release.clusters["age"].to_pylist())
    release.write(tmp_path / "out")
    assert shoal.verify(tmp_path / "out").holds
    assert shoal.graph.attack(tmp_path / "out", people(), linked(RING)).holds


@pytest.mark.parametrize("asked", [{"person": "id"}, {"weight": "age"}, {"memory": "1GB"}])
def test_what_means_nothing_for_graphs_is_refused(asked) -> None:
    with pytest.raises(RecipeError, match="graphs can't be published with"):
        released(people(), linked(RING), **asked)
