"""Inspecting: suggests a role for each column with the reason, and finds who is singled out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.adapters.manner import manner_of
from shoal.review import inspection
from shoal.studio.work.telling import Tell


def do(tell: Tell, table: str) -> dict[str, Any]:
    """Return what `shoal inspect` shows, as plain data."""
    tell("inspecting")
    rows = opened(table)
    return inspection.inspect(rows, manner_of(rows).variable_labels).as_dict()


def opened(path: str) -> pa.Table:
    """Map a table of the desk into memory."""
    return pa.ipc.open_file(pa.memory_map(path)).read_all()
