"""Published: the tables of a supergraph as they are written, and as they are read back.

| table | columns |
|---|---|
| `clusters` | `cluster`, `size`, `inner_edges`, then a cell for each quasi-identifier |
| `cluster_edges` | `cluster_1`, `cluster_2`, `edges`: pairs of clusters with an edge between them |
| `members` | `cluster`, then sensitive and kept columns; a row for each node, if there are any |

Clusters are numbered in the order of what is published about them, ties by chance, so that numbers
tell nothing. `Supergraph.read` takes tables whose cells are texts, as files hold them, and refuses
what is no supergraph: that is all that the final check looks at.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Longs
from shoal.declare.columns import text_of, whole
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.networks.structure import Structure
from shoal.review.recount import encoded

CLUSTER = "cluster"
SIZE = "size"
INNER = "inner_edges"
FIRST = "cluster_1"
SECOND = "cluster_2"
EDGES = "edges"
OWN = (CLUSTER, SIZE, INNER)
LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Supergraph:
    """The tables of a supergraph release."""

    clusters: pa.Table
    cluster_edges: pa.Table
    members: pa.Table | None = None

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Give the tables by name, as they are written."""
        tables = {"clusters": self.clusters, "cluster_edges": self.cluster_edges}
        return tables if self.members is None else {**tables, "members": self.members}

    def structure(self) -> Structure:
        """Read the numbers of nodes and edges; refuse numbers that no graph has."""
        sizes = numbers_of(self.clusters, SIZE)
        inner = numbers_of(self.clusters, INNER)
        count = len(sizes)
        refuse_where(
            numbers_of(self.clusters, CLUSTER) != np.arange(1, count + 1),
            "clusters are not 1, 2 ...",
        )
        first = numbers_of(self.cluster_edges, FIRST) - 1
        second = numbers_of(self.cluster_edges, SECOND) - 1
        between = numbers_of(self.cluster_edges, EDGES)
        outside = (first < 0) | (second <= first) | (second >= count)
        refuse_where(outside, "pairs of clusters are not two clusters, the lower one first")
        keys = first * count + second
        refuse_where(np.diff(keys) <= 0, "pairs of clusters are not in order, or there twice")
        structure = Structure(sizes, inner, first, second, between)
        possible, real = structure.pairs
        refuse_where(real > possible, "there are more edges than pairs of nodes")
        refuse_where(between < 1, "pairs of clusters without an edge are listed")
        return structure

    def rows(self) -> pa.Table:
        """Lay out one row for each node: its cluster, and what is published beside it."""
        sizes = numbers_of(self.clusters, SIZE)
        if self.members is None:
            return pa.table({CLUSTER: np.repeat(np.arange(1, len(sizes) + 1), sizes)})
        numbers = numbers_of(self.members, CLUSTER)
        counted = np.bincount(numbers, minlength=len(sizes) + 1)
        refuse_where(counted != np.append(0, sizes), "clusters do not have the members they should")
        place = self.members.column_names.index(CLUSTER)
        return self.members.set_column(place, CLUSTER, pa.array(numbers))


def supergraph_of(
    nodes: pa.Table, groups: Groups, structure: Structure, quasi: Sequence[str]
) -> tuple[Supergraph, Longs]:
    """Make the tables, and number the groups as they are published.

    `nodes` has the published columns of nodes that stand in a cluster. Its rows follow the input,
    the withheld ones left out; `quasi` names the columns of cells.
    """
    refuse_names(nodes.column_names)
    labels = groups.labels[groups.labels >= 0]
    _, first = np.unique(labels, return_index=True)
    cells = nodes.select(list(quasi)).take(pa.array(first))
    order = _order(cells, structure)
    number = np.empty(groups.count, np.int64)
    number[order] = np.arange(1, groups.count + 1)
    own = {
        CLUSTER: np.arange(1, groups.count + 1),
        SIZE: structure.sizes[order],
        INNER: structure.inner[order],
    }
    sorted_cells = cells.take(pa.array(order))
    columns = {name: whole(sorted_cells[name]) for name in quasi}
    beside = [name for name in nodes.column_names if name not in quasi]
    members = _members(nodes.select(beside), number[labels]) if beside else None
    clusters = pa.table({**own, **columns})
    return Supergraph(clusters, _pairs(structure, number), members), number


def refuse_names(names: Sequence[str]) -> None:
    """Refuse columns of nodes that have the name of a column of ours."""
    taken = [name for name in names if name in OWN]
    if taken:
        said = ", ".join(repr(name) for name in taken)
        raise RecipeError(
            f"a release of a graph has columns of its own named {said}", remedy="rename yours"
        )


def _pairs(structure: Structure, number: Longs) -> pa.Table:
    one = number[structure.first]
    other = number[structure.second]
    low = np.minimum(one, other)
    high = np.maximum(one, other)
    order = np.lexsort((high, low))
    edges = structure.between[order]
    return pa.table({FIRST: low[order], SECOND: high[order], EDGES: edges})


def _members(beside: pa.Table, number: Longs) -> pa.Table:
    """List what is published beside the cells, sorted by itself inside each cluster."""
    codes = [_ranks(whole(beside[name])) for name in reversed(beside.column_names)]
    order = np.lexsort((*codes, number))
    sorted_rows = beside.take(pa.array(order))
    return sorted_rows.add_column(0, CLUSTER, pa.array(number[order]))


def _order(cells: pa.Table, structure: Structure) -> Longs:
    """Sort clusters by their cells, size and numbers of edges; ties by chance."""
    outer = np.zeros(len(structure.sizes), np.int64)
    np.add.at(outer, structure.first, structure.between)
    np.add.at(outer, structure.second, structure.between)
    chance = np.random.default_rng(secrets.randbits(128)).random(len(outer))
    ranks = [_ranks(whole(cells[name])) for name in reversed(cells.column_names)]
    return np.lexsort((chance, outer, structure.inner, structure.sizes, *ranks))


def _ranks(column: pa.Array) -> AnyArray:
    """Number the values of a column in the order of their texts; missing ones last."""
    codes, values = encoded(column)
    order = np.asarray(pc.array_sort_indices(text_of(values)), np.int64)
    rank = np.full(len(values) + 1, len(values), np.int64)
    rank[order] = np.arange(len(values))
    return rank[codes]


def numbers_of(table: pa.Table, name: str) -> Longs:
    """Read a column of whole numbers, whether they are texts or not."""
    if name not in table.column_names:
        raise PrivacyNotMet(f"the release has no column '{name}'", {"published": "nothing"})
    try:
        numbers = whole(table[name]).cast(pa.int64())
    except pa.ArrowInvalid:
        raise PrivacyNotMet(f"'{name}' holds something else than whole numbers") from None
    odd = numbers.null_count or (len(numbers) and pc.max(numbers).as_py() > LARGEST)
    if odd or (len(numbers) and pc.min(numbers).as_py() < 0):
        raise PrivacyNotMet(f"'{name}' holds something else than whole numbers from 0")
    return np.asarray(numbers, np.int64)


def refuse_where(wrong: AnyArray, problem: str) -> None:
    """Refuse tables that are no release of a graph, if something is wrong in any row."""
    if np.any(wrong):
        raise PrivacyNotMet(
            f"this is no release of a graph: {problem}", {"rows": int(np.sum(wrong))}
        )


def densest(structure: Structure) -> Mapping[str, int]:
    """Count clusters and pairs of clusters whose edges are all there, and pairs without any."""
    possible, real = structure.pairs
    count = len(structure.sizes)
    full = (real == possible) & (possible > 0)
    return {
        "complete clusters": int(full[:count].sum()),
        "complete pairs": int(full[count:].sum()),
        "empty clusters": int(((real == 0) & (possible > 0))[:count].sum()),
        "empty pairs": count * (count - 1) // 2 - len(structure.first),
    }
