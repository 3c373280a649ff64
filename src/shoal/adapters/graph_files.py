"""Graph files: GraphML, GML, edge lists, and graphs of networkx, igraph and rustworkx, as tables.

networkx reads GraphML and GML, and is imported nowhere else. Graphs that are given as objects are
asked for their nodes and edges in their own words; the libraries behind them are not imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters.tables import arrow
from shoal.errors import DataError, RecipeError

GRAPH = "pip install 'shoal[graph]'"
READERS = {".graphml": "read_graphml", ".gml": "read_gml"}


@dataclass(frozen=True)
class GraphTables:
    """A graph as two tables; `edges` has its ends in the first two columns."""

    nodes: pa.Table
    edges: pa.Table
    directed: bool = False


def networkx() -> Any:
    """Import networkx, or say what to install."""
    try:
        import networkx as library
    except ImportError:
        problem = "GraphML and GML files need a package that is not installed"
        raise RecipeError(problem, {"package": "networkx"}, GRAPH) from None
    return library


def graph_tables(graph: Any) -> GraphTables | None:
    """Give the tables of a graph in a file or an object; None for what is a table."""
    if isinstance(graph, str | Path):
        reader = READERS.get(Path(graph).suffix.lower())
        return None if reader is None else _of_networkx(_read(Path(graph), reader))
    library = type(graph).__module__.split(".")[0]
    ways = {"networkx": _of_networkx, "igraph": _of_igraph, "rustworkx": _of_rustworkx}
    return ways[library](graph) if library in ways else None


def edge_list(edges: Any) -> GraphTables:
    """Take a table of edges alone: its nodes are all that it names, of whom nothing is known."""
    table = arrow(edges)[0]
    if table.num_columns < 2:
        raise DataError("edges need two columns, one for each end", {"columns": table.num_columns})
    ends = [table.column(place).cast(pa.string()).combine_chunks() for place in (0, 1)]
    return GraphTables(pa.table({"id": pa.concat_arrays(ends).unique().drop_null()}), table)


def _read(path: Path, reader: str) -> Any:
    library = networkx()
    if not path.is_file():
        raise DataError(f"there is no file '{path}'")
    try:
        arguments = {"label": "id"} if reader == "read_gml" else {}
        return getattr(library, reader)(path, **arguments)
    except Exception:  # whatever a parser raises may quote the file
        kind = path.suffix.lower().removeprefix(".")
        raise DataError(f"'{path}' can't be read as {kind}", {"published": "nothing"}) from None


def _of_networkx(graph: Any) -> GraphTables:
    names = list(graph.nodes)
    nodes = _columns(names, [graph.nodes[name] for name in names])
    ends = [(str(one), str(other)) for one, other in graph.edges()]
    several = graph.is_directed()
    return GraphTables(nodes, _pairs(ends), several)


def _of_igraph(graph: Any) -> GraphTables:
    nodes = _columns(list(range(graph.vcount())), [node.attributes() for node in graph.vs])
    ends = [(str(one), str(other)) for one, other in graph.get_edgelist()]
    return GraphTables(nodes, _pairs(ends), graph.is_directed())


def _of_rustworkx(graph: Any) -> GraphTables:
    numbers = list(graph.node_indices())
    known = [data if isinstance(data, Mapping) else {} for data in graph.nodes()]
    ends = [(str(one), str(other)) for one, other in graph.edge_list()]
    return GraphTables(_columns(numbers, known), _pairs(ends), type(graph).__name__ == "PyDiGraph")


def _columns(names: Sequence[Any], known: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Lay attributes of nodes out as columns; a node without one has none there."""
    every = dict.fromkeys(str(key) for data in known for key in data)
    taken = "id" if "id" not in every else next(n for n in ("node", "node id") if n not in every)
    columns: dict[str, Any] = {taken: [str(name) for name in names]}
    for key in every:
        values = [data.get(key) for data in known]
        try:
            columns[key] = pa.array(values)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            columns[key] = pa.array([None if value is None else str(value) for value in values])
    return pa.table(columns)


def _pairs(ends: Sequence[tuple[str, str]]) -> pa.Table:
    one = pa.array([pair[0] for pair in ends], pa.string())
    return pa.table({"source": one, "target": pa.array([pair[1] for pair in ends], pa.string())})
