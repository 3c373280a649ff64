"""File metadata: counts what a file tells beside its table, and never quotes it."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.adapters.folders import members

# Arrow's own copy of the types: read back as the schema that is looked at anyway
OURS = {b"ARROW:schema"}
NAMED = 0x08
PACKED = b"\x1f\x8b"


def traces(path: str | PathLike[str]) -> dict[str, int]:
    """Count what a file, or the files of a folder, tell beside the table, by kind.

    They were read before and are sound.
    """
    counts = Counter[str]()
    for file in [member.path for member in members(path)] or [Path(path)]:
        counts.update(_in_bytes(file.read_bytes()))
    return dict(counts)


def _in_bytes(data: bytes) -> dict[str, int]:
    counts: dict[str, int] = {}
    if data.startswith(PACKED):
        counts |= {
            "name of the packed file": int(bool(data[3] & NAMED)),
            "time of packing": int(any(data[4:8])),
        }
    if data.startswith(b"PAR1"):
        file = pq.ParquetFile(pa.BufferReader(data))
        return (
            counts
            | _in_schema(file.schema_arrow, set(file.metadata.metadata or ()))
            | _unused(file.read())
        )
    if data.startswith(b"ARROW1"):
        table = pa.ipc.open_file(pa.BufferReader(data)).read_all()
        return counts | _in_schema(table.schema, set()) | _unused(table)
    return counts


def _in_schema(schema: pa.Schema, keys: set[bytes]) -> dict[str, int]:
    notes = (keys | set(schema.metadata or ())) - OURS
    fields = sum(len(set(field.metadata or ()) - {b"PARQUET:field_id"}) for field in schema)
    return {"notes in the schema": len(notes) + fields}


def _unused(table: pa.Table) -> dict[str, int]:
    """Count category levels that no row has: those of rows which were left out, say."""
    unused = 0
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            for chunk in column.chunks:
                unused += len(chunk.dictionary) - len(pc.drop_null(pc.unique(chunk.indices)))
    return {"category levels that no row has": unused}
