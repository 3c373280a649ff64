"""Reading: writes a file or a database table as an Arrow file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import tables
from shoal.declare.columns import kind_of
from shoal.declare.memory import free
from shoal.declare.roles import check_table
from shoal.errors import DataError
from shoal.studio.words import replaced
from shoal.studio.work.telling import Tell

SPARE = 2**30  # bytes that allocators set aside and do not use


def do(
    tell: Tell, place: str, target: str, name: str, table: str | None = None, **how: Any
) -> dict[str, Any]:
    """Read a table, and write a file that can be mapped."""
    tell("reading")
    with within(free()):
        rows = read_as(place, table, name, **how)
    check_table(rows)
    kinds_read = {field.name: kind_of(field.type, field.name) for field in rows.schema}
    tell("laying the table out")
    with pa.OSFile(target, "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
    return {"rows": rows.num_rows, "kinds": kinds_read}


@contextmanager
def within(there: int | None) -> Iterator[None]:
    """Limit the memory of this process while a file is read.

    A file that unpacks to more than the machine has fails here, and harms no other process.
    """
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        taken = int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0]) * 1024
    except (ImportError, OSError, IndexError, ValueError):  # not on every system
        there = None
    if there is None:
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (taken + there + SPARE, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def read_as(place: str, table: str | None, name: str, **how: Any) -> pa.Table:
    """Read the table; a refusal names the file as its owner does, not by its hidden name."""
    try:
        return tables.read(place, table, **how)
    except DataError as refusal:
        problem = replaced(refusal.problem, place, name)
        remedy = refusal.remedy and replaced(refusal.remedy, place, name)
        raise DataError(problem, refusal.facts, remedy) from None
