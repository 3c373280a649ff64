"""Reading a graph: joins people and edges, refuses what is no graph, and suggests roles.

<folder>/nodes.arrow, edges.arrow    the two tables, as later tasks take them
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters.graph_files import GraphTables, edge_list, graph_tables
from shoal.declare.columns import kind_of
from shoal.declare.memory import free
from shoal.declare.roles import check_table
from shoal.errors import DataError
from shoal.networks.network import network_of
from shoal.review import inspection
from shoal.studio.words import replaced, untyped
from shoal.studio.work.anonymizing import laid_out
from shoal.studio.work.inspecting import opened
from shoal.studio.work.reading import read_as, within
from shoal.studio.work.telling import Tell

NODES = "nodes.arrow"
EDGES = "edges.arrow"
Named = Mapping[str, str]
"""A file: its `place`, and its `name` as its owner calls it."""


def do(
    tell: Tell, folder: str, people: Named | None, edges: Named, *, simplify: bool
) -> dict[str, Any]:
    """Read a graph from a table of people and one of edges, or from one file of a whole graph."""
    tell("reading")
    with within(free()):
        tables = _tables(people, edges)
    check_table(tables.nodes)
    named = network_of(tables.nodes, tables.edges, simplify=simplify, directed=tables.directed)
    tell("looking at the people")
    home = Path(folder)
    laid_out(named.nodes, home / NODES)
    laid_out(tables.edges, home / EDGES)
    about = named.nodes.drop_columns([named.id_column])
    views = inspection.inspect(about).as_dict()["columns"] if about.num_columns else ()
    return {
        "people": named.network.count,
        "edges": named.network.edges,
        "id": named.id_column,
        "kinds": {field.name: kind_of(field.type, field.name) for field in named.nodes.schema},
        "columns": [dict(view) for view in views],
        "notices": [untyped(note.words) for note in named.notices],
    }


def _tables(people: Named | None, edges: Named) -> GraphTables:
    """Read two tables, or a file that holds nodes and edges."""
    if people is not None:
        nodes = read_as(people["place"], None, people["name"])
        return GraphTables(nodes, read_as(edges["place"], None, edges["name"]))
    try:
        whole = graph_tables(edges["place"])
    except DataError as refusal:
        problem = replaced(refusal.problem, edges["place"], edges["name"])
        raise DataError(problem, refusal.facts, refusal.remedy) from None
    return whole or edge_list(read_as(edges["place"], None, edges["name"]))


def tables_of(folder: str) -> tuple[pa.Table, pa.Table]:
    """Map the two tables of a graph that was read."""
    return opened(f"{folder}/{NODES}"), opened(f"{folder}/{EDGES}")
