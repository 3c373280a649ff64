"""Reading graphs: every refusal names rows and no value, and what is left out is said."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from networks.graphs import knows, people
from shoal.errors import DataError
from shoal.networks.network import Network, network_of


def edges(*pairs: tuple[object, object]) -> pa.Table:
    return pa.table({"one": [a for a, _ in pairs], "other": [b for _, b in pairs]})


def test_ids_become_rows() -> None:
    named = network_of(people(), knows())
    assert (named.network.count, named.network.edges, named.id_column) == (9, 10, "id")
    assert named.network.degrees.tolist() == [2, 2, 3, 5, 2, 2, 2, 1, 1]
    near = named.network.near
    assert near.ends[near.starts[3] : near.starts[4]].tolist() == [4, 5, 6, 7, 8]


def test_the_first_column_is_the_id_where_none_has_that_name() -> None:
    nodes = pa.table({"who": ["x", "y"], "age": [1, 2]})
    assert network_of(nodes, edges(("y", "x"))).id_column == "who"


def test_numbers_and_texts_meet() -> None:
    nodes = pa.table({"id": ["7", "8"]})
    assert network_of(nodes, edges((7, 8))).network.edges == 1
    floats = pa.table({"one": [7.0], "other": [8.0]})
    assert network_of(pa.table({"id": [7, 8]}), floats).network.edges == 1


@pytest.mark.parametrize(
    ("nodes", "pairs", "problem"),
    [
        ([1, 2, 2], [(1, 2)], "1 nodes have an id in 'id' that an earlier row has"),
        ([1, None, 3], [(1, 3)], "1 nodes have no id"),
        ([1, 2, 3], [(1, None)], "1 edges have no end in 'other'"),
        ([1, 2, 3], [(1, 2), (1, 777)], "1 edges end in 'other' at a node that is not"),
        ([1, 2, 3], [(1, 2), (3, 3)], "1 edges lead from a node to itself"),
        ([1, 2, 3], [(1, 2), (2, 1)], "1 edges lead between a pair once more"),
        ([1, 2, 3], [(1, 2), (1, 2)], "1 edges lead between a pair once more"),
    ],
)
def test_odd_graphs_are_refused_by_row(nodes, pairs, problem) -> None:
    with pytest.raises(DataError, match=problem) as refused:
        network_of(pa.table({"id": pa.array(nodes, pa.int64())}), edges(*pairs))
    assert "777" not in str(refused.value)
    assert "rows: " in str(refused.value)


def test_loops_and_repeated_pairs_are_left_out_where_asked() -> None:
    nodes = pa.table({"id": [1, 2, 3]})
    named = network_of(nodes, edges((1, 2), (2, 1), (3, 3), (2, 3)), simplify=True)
    assert named.network.edges == 2
    assert [str(note) for note in named.notices] == [
        "1 edges from a node to itself were left out",
        "1 edges between a pair once more were left out",
    ]


def test_directed_edges_are_refused_unless_simplified() -> None:
    nodes = pa.table({"id": [1, 2]})
    with pytest.raises(DataError, match="a direction, which is not published"):
        network_of(nodes, edges((1, 2)), directed=True)
    named = network_of(nodes, edges((1, 2)), directed=True, simplify=True)
    assert "direction of edges is not published" in named.notices[0]


def test_further_columns_of_edges_are_dropped_with_a_notice() -> None:
    table = edges((1, 2)).append_column("weight", pa.array([0.5]))
    named = network_of(pa.table({"id": [1, 2]}), table)
    assert named.notices[0].kind == "dropped"
    assert "'weight'" in named.notices[0]


def test_one_column_is_no_table_of_edges() -> None:
    with pytest.raises(DataError, match="two columns"):
        network_of(people(), pa.table({"one": [1]}))


def test_neighbours_agree_with_the_edges_of_random_graphs() -> None:
    rng = np.random.default_rng(9)
    for _ in range(30):
        count = int(rng.integers(1, 12))
        pairs = [(a, b) for a in range(count) for b in range(a) if rng.random() < 0.3]
        ends = np.array(pairs, np.int64).reshape(-1, 2)
        near = Network.of(count, ends[:, 0], ends[:, 1]).near
        for node in range(count):
            expected = sorted({a + b - node for a, b in pairs if node in (a, b)})
            assert near.ends[near.starts[node] : near.starts[node + 1]].tolist() == expected
