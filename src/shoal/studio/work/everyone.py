"""Everyone: reads a table of everybody once, to see that it can be read and what it holds."""

from __future__ import annotations

from typing import Any

from shoal.declare.memory import free
from shoal.declare.roles import check_table
from shoal.studio.work.reading import read_as, within
from shoal.studio.work.telling import Tell


def do(tell: Tell, place: str, name: str) -> dict[str, Any]:
    """Count the people and list the columns; refuses what is no table."""
    tell("reading")
    with within(free()):
        rows = read_as(place, None, name)
    check_table(rows)
    return {"people": rows.num_rows, "columns": rows.column_names}
