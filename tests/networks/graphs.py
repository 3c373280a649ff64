"""Small graphs for tests: the paper's, and random ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.kernels.costs import boxes, of_box
from shoal.networks.network import Network
from shoal.recipe import hierarchy_of

AGES = [25, 25, 27, 35, 38, 36, 30, 28, 33]
ZIPS = ["41076", "41075", "41076", "41099", "48201", "41075", "41099", "41099", "41075"]
GENDERS = list("mmmmffmmf")
PAPER = [(0, 1), (0, 2), (1, 2), (2, 6), (3, 4), (3, 5), (3, 6), (3, 7), (3, 8), (4, 5)]
TREE = {"482**": ["48201"], "410**": ["41075", "41076", "41088", "41099"]}
BY_ATTRIBUTES = [[3, 6, 7], [0, 1, 2], [4, 5, 8]]
BY_STRUCTURE = [[3, 4, 5], [0, 1, 2], [6, 7, 8]]


def people() -> pa.Table:
    columns = {"age": AGES, "zip": ZIPS, "gender": GENDERS}
    return pa.table({"id": list(range(1, 10)), **columns})


def knows() -> pa.Table:
    return pa.table({"one": [a + 1 for a, _ in PAPER], "other": [b + 1 for _, b in PAPER]})


def rows_of(table: pa.Table, trees: dict[str, object]) -> Rows:
    columns = [profile(table[name].combine_chunks(), name) for name in table.column_names]
    return encode(columns, {name: hierarchy_of(tree) for name, tree in trees.items()})


def paper_rows() -> Rows:
    return rows_of(people().drop_columns(["id"]), {"zip": TREE, "gender": "flat"})


def network(edges: list[tuple[int, int]], count: int) -> Network:
    ends = np.array(edges, np.int64).reshape(-1, 2)
    return Network.of(count, ends[:, 0], ends[:, 1])


def groups(partition: list[list[int]]) -> Groups:
    labels = np.empty(sum(map(len, partition)), np.int64)
    for number, cluster in enumerate(partition):
        labels[cluster] = number
    return Groups.of(labels)


def cost_of(rows: Rows):
    """Cost of a set of nodes, as the naive greedy asks for it."""

    def cost(nodes: list[int]) -> int:
        lo, hi = boxes(rows.codes[:, nodes], np.zeros(len(nodes), np.int32), 1)
        return int(of_box(rows.costs, lo[:, 0], hi[:, 0]))

    return cost


def clusters_of(grouped: Groups) -> list[list[int]]:
    return sorted(
        np.flatnonzero(grouped.labels == label).tolist() for label in range(grouped.count)
    )


def random_graph(rng: np.random.Generator, count: int) -> tuple[list[tuple[int, int]], Rows]:
    share = rng.uniform(0.05, 0.7)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count) if rng.random() < share]
    columns = {
        "age": rng.integers(20, 40, count),
        "zip": rng.choice(["41075", "41076", "48201"], count),
    }
    return pairs, rows_of(pa.table(columns), {"zip": TREE})


class SizeAlone:
    """A guard that asks for k nodes and nothing else."""

    only_size = True
    survives_merging = True
    only_more_helps = True
    survives_recoding = True
    rules = None

    def __init__(self, least: int) -> None:
        self.least = least

    def safe(self, grouped: Groups):
        return grouped.sizes >= self.least
