"""Inspecting: a role for each column with the reason, and which columns single people out."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.review import inspection
from shoal.studio.work.telling import Tell


def do(tell: Tell, table: str) -> dict[str, Any]:
    """What `shoal inspect` shows, as plain data."""
    tell("inspecting")
    return inspection.inspect(opened(table)).as_dict()


def opened(path: str) -> pa.Table:
    """A table of the desk, mapped into memory."""
    return pa.ipc.open_file(pa.memory_map(path)).read_all()
