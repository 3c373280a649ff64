"""Graphs as people hand them in: two tables, a graph file, a graph of another library, or edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from shoal.adapters.graph_files import edge_list, graph_tables
from shoal.adapters.tables import arrow
from shoal.networks.network import NamedNetwork, network_of


def read(
    nodes: Any, edges: Any = None, *, simplify: bool = False
) -> tuple[NamedNetwork, Callable[[pa.Table], Any]]:
    """Read a graph from tables, a graph file or a graph object; refuse what is none."""
    if edges is not None:
        table, back = arrow(nodes)
        return network_of(table, arrow(edges)[0], simplify=simplify), back
    tables = graph_tables(nodes) or edge_list(nodes)
    named = network_of(tables.nodes, tables.edges, simplify=simplify, directed=tables.directed)
    return named, lambda table: table
