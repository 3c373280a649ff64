"""Network: who knows whom, as numbers of rows; and all that is refused in a table of edges.

A node is a row of the table of nodes. An edge is a pair of different nodes, counted once, without a
direction or a weight. What is none of that is refused, with row numbers and without values:

| in the tables | what happens |
|---|---|
| an id twice, or none | refused |
| an edge to nobody, or to a node that is not in the table | refused |
| an edge from a node to itself; a pair twice, in either order | refused, or left out (`simplify`) |
| further columns of edges (weights, dates) | dropped, with a notice |
| nodes without edges, several components, no edges at all | taken as they are |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Ints, Longs
from shoal.declare.columns import whole
from shoal.errors import DataError, row_numbers
from shoal.groups import Note
from shoal.kernels.networks.counting import Near, adjacency
from shoal.wording import Remedy, Set

ID = "id"


@dataclass(frozen=True)
class Network:
    """An undirected simple graph over the rows of a table: the lower end of each edge first."""

    count: int
    one: Ints
    other: Ints

    @classmethod
    def of(cls, count: int, one: AnyArray, other: AnyArray) -> Network:
        """Sort edges by their lower end, then the higher one; each pair must be there once."""
        low = np.minimum(one, other).astype(np.int64)
        high = np.maximum(one, other)
        keys = np.sort(low * max(count, 1) + high)
        lower = (keys // max(count, 1)).astype(np.int32)
        return cls(count, lower, (keys % max(count, 1)).astype(np.int32))

    @property
    def edges(self) -> int:
        """Count the edges."""
        return len(self.one)

    @property
    def possible(self) -> int:
        """Count the pairs of nodes."""
        return self.count * (self.count - 1) // 2

    @cached_property
    def near(self) -> Near:
        """List the neighbours of each node, ascending."""
        return adjacency(self.count, self.one, self.other)

    @cached_property
    def degrees(self) -> Longs:
        """Count the neighbours of each node."""
        both = np.bincount(self.one, minlength=self.count)
        return (both + np.bincount(self.other, minlength=self.count)).astype(np.int64)

    @property
    def keys(self) -> Longs:
        """Give each edge as one number, ascending."""
        return self.one.astype(np.int64) * self.count + self.other


@dataclass(frozen=True)
class NamedNetwork:
    """A graph, its table of nodes, the column with their ids, and notices."""

    network: Network
    nodes: pa.Table
    id_column: str
    notices: tuple[Note, ...] = ()


def network_of(
    nodes: pa.Table, edges: pa.Table, *, simplify: bool = False, directed: bool = False
) -> NamedNetwork:
    """Join a table of nodes and a table of edges; refuse what is no undirected simple graph."""
    ids = _ids(nodes)
    if edges.num_columns < 2:
        facts = {"columns": edges.num_columns, "published": "nothing"}
        raise DataError("edges need two columns, one for each end", facts)
    one = _rows_of(edges, 0, ids)
    other = _rows_of(edges, 1, ids)
    network, notices = _simple(nodes.num_rows, one, other, simplify, directed)
    dropped = edges.column_names[2:]
    if dropped:
        said = ", ".join(repr(name) for name in dropped)
        notices.append(Note("dropped", f"columns of edges are not published: {said}"))
    return NamedNetwork(network, nodes, id_column(nodes), tuple(notices))


def id_column(nodes: pa.Table) -> str:
    """Name the column with the ids of nodes: `id`, or else the first one."""
    names: list[str] = nodes.column_names
    if not names:
        raise DataError("the table of nodes has no columns", {"published": "nothing"})
    return ID if ID in names else names[0]


def _ids(nodes: pa.Table) -> pa.Array:
    """Give the ids of nodes; refuse those that are missing or there twice."""
    name = id_column(nodes)
    ids = _plain(whole(nodes[name]))
    missing = np.flatnonzero(np.asarray(pc.is_null(ids)))
    if len(missing):
        raise _refused(f"{len(missing):,} nodes have no id in '{name}'", missing)
    first = np.asarray(pc.dictionary_encode(ids).indices)
    seen = np.zeros(len(ids), np.bool_)
    _, once = np.unique(first, return_index=True)
    seen[once] = True
    again = np.flatnonzero(~seen)
    if len(again):
        problem = f"{len(again):,} nodes have an id in '{name}' that an earlier row has"
        raise _refused(problem, again, "one row for each node")
    return ids


def _rows_of(edges: pa.Table, column: int, ids: pa.Array) -> Longs:
    """Give the row of the node at one end of each edge; refuse ends that are no node."""
    name = edges.column_names[column]
    ends = _plain(whole(edges[name]))
    missing = np.flatnonzero(np.asarray(pc.is_null(ends)))
    if len(missing):
        raise _refused(f"{len(missing):,} edges have no end in '{name}'", missing)
    if ends.type != ids.type:
        ends = ends.cast(pa.string())
        ids = ids.cast(pa.string())
    rows = pc.index_in(ends, value_set=ids)
    unknown = np.flatnonzero(np.asarray(pc.is_null(rows)))
    if len(unknown):
        problem = f"{len(unknown):,} edges end in '{name}' at a node that is not in the table"
        raise _refused(problem, unknown, "add these nodes, or leave the edges out")
    return np.asarray(rows, np.int64)


def _plain(ids: pa.Array) -> pa.Array:
    """Read ids as whole numbers or texts: 7.0, which gaps make of 7, is 7."""
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    if pa.types.is_null(ids.type):
        return ids.cast(pa.string())
    if pa.types.is_floating(ids.type):
        ids = pc.if_else(pc.is_nan(ids), pa.scalar(None, ids.type), ids)
        whole_numbers = pc.all(pc.equal(pc.floor(ids), ids)).as_py() is not False
        return ids.cast(pa.int64() if whole_numbers else pa.string())
    return ids.cast(pa.int64() if pa.types.is_integer(ids.type) else pa.string())


def _simple(
    count: int, one: Longs, other: Longs, simplify: bool, directed: bool
) -> tuple[Network, list[Note]]:
    """Make the graph; refuse or leave out loops and repeated pairs."""
    loops = one == other
    keys = np.minimum(one, other) * max(count, 1) + np.maximum(one, other)
    _, first = np.unique(keys, return_index=True)
    repeated = np.ones(len(keys), np.bool_)
    repeated[first] = False
    repeated &= ~loops
    notices = []
    ways = Remedy(Set("simplify", True, "count each pair once, without direction or loops"))
    if directed and not simplify:
        facts = {"published": "nothing"}
        raise DataError("the edges have a direction, which is not published", facts, ways)
    for rows, what in ((loops, "from a node to itself"), (repeated, "between a pair once more")):
        held = np.flatnonzero(rows)
        if len(held) and not simplify:
            raise _refused(f"{len(held):,} edges lead {what}", held, ways)
        if len(held):
            notices.append(Note("file", f"{len(held):,} edges {what} were left out"))
    if directed:
        notices.append(Note("dropped", "the direction of edges is not published"))
    kept = ~(loops | repeated)
    return Network.of(count, one[kept], other[kept]), notices


def _refused(problem: str, rows: AnyArray, remedy: str | None = None) -> DataError:
    return DataError(problem, {"rows": row_numbers(rows), "published": "nothing"}, remedy)
