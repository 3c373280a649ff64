"""Unpack limits: refuse a compressed file that would not fit into memory, before it is there.

A gzip file is unpacked twice: once to count, where nothing is kept, and once for good. Parquet and
Arrow files are read a part at a time, with every different text once and a number in each row, so
that what a part will be in plain columns is known before they are made: a text of a megabyte in a
million rows takes a megabyte in the file.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from shoal.declare import memory
from shoal.declare.columns import is_text
from shoal.declare.memory import READING_CSV, of_reading, refuse_beyond_memory
from shoal.errors import DataError
from shoal.wording import Sentence

STREAM = b"\xff\xff\xff\xff"
GZIP = zlib.MAX_WBITS + 16
# bytes that are looked at, and unpacked, at a time
STEP = 1 << 16
BLOCK = 1 << 20
PADDING = re.compile(rb"\0*")
ROWS = 1 << 17  # that are read at a time
DENSEST = 500  # times its own length: a table does not get near it, and zeros get to a thousand
SMALL = 1 << 28  # bytes that may be this dense all the same


def unpacked(data: bytes, name: str, *, limited: bool = True) -> bytes:
    """Unpack a gzip file."""
    try:
        if limited:
            _refuse_beyond(data, name)
        return b"".join(block for block, _ in _blocks(data))
    except (EOFError, zlib.error):
        raise DataError(
            f"{name} is a broken gzip file", {"bytes": len(data)}, "fetch or write it again"
        ) from None


def read_parquet(data: bytes, name: str) -> pa.Table:
    """Read the table in a Parquet file.

    Raises Arrow's own errors for a broken one.
    """
    texts = [field.name for field in pq.read_schema(pa.BufferReader(data)) if is_text(field.type)]
    file = pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    about = file.metadata
    schema = file.schema_arrow
    pages = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    facts = {"rows": about.num_rows, "columns": len(schema)}
    # an honest file states its size; others are watched while they are read
    refuse_beyond_memory(of_reading(about.num_rows, schema, pages), name, facts)
    return pa.Table.from_batches(_watched(file.iter_batches(ROWS), schema, name), schema)


def read_arrow(data: bytes, name: str) -> pa.Table:
    """Read the table in an Arrow file or stream.

    Raises Arrow's own errors for a broken one.
    """
    source = pa.BufferReader(data)
    if data.startswith(STREAM):
        opened = pa.ipc.open_stream(source)
        return pa.Table.from_batches(_watched(iter(opened), opened.schema, name), opened.schema)
    file = pa.ipc.open_file(source)
    batches = (file.get_batch(i) for i in range(file.num_record_batches))
    return pa.Table.from_batches(_watched(batches, file.schema, name), file.schema)


def _refuse_beyond(data: bytes, name: str) -> None:
    """Count the bytes in a gzip file, and refuse more than fits or than a table could have."""
    there = memory.free()
    taken = 0
    for block, at in _blocks(data):
        taken += len(block)
        if (there is not None and READING_CSV * taken > there) or taken > max(DENSEST * at, SMALL):
            raise DataError(
                f"{name} holds far more than it is long, or than fits into the memory of this "
                "machine",
                {"bytes": len(data), "bytes unpacked": f"more than {taken:,}"},
                Sentence("unpack it, and look at what is in it; ", memory.PARTS),
            )


def _blocks(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Unpack a file block by block, with the bytes read so far; zeros behind a part are padding."""
    view = memoryview(data)
    at = 0
    while at < len(data):
        one = zlib.decompressobj(GZIP)
        given = b""
        while not one.eof:
            given = given or bytes(view[at : at + STEP])
            at += 0 if one.unconsumed_tail else len(given)
            block = one.decompress(given, BLOCK)
            given = one.unconsumed_tail
            if not (block or given or one.eof) and at == len(data):
                raise EOFError
            yield block, at
        at -= len(one.unused_data)
        at = PADDING.match(data, at).end()  # type: ignore[union-attr]


def _watched(
    batches: Iterator[pa.RecordBatch], schema: pa.Schema, name: str
) -> Iterator[pa.RecordBatch]:
    """Pass batches on, and refuse as soon as their plain columns would exceed the memory."""
    rows = held = spelled = 0
    for batch in batches:
        rows = rows + batch.num_rows
        held = held + batch.nbytes
        spelled += sum(_spelled(column) for column in batch.columns)
        refuse_beyond_memory(
            of_reading(rows, schema, spelled) - held, name, {"rows": f"more than {rows:,}"}
        )
        yield batch


def _spelled(column: pa.Array) -> int:
    """Count the bytes of a column in plain values."""
    if pa.types.is_run_end_encoded(column.type):
        if is_text(column.type.value_type):
            return len(column) * (pc.max(pc.binary_length(column.values)).as_py() or 0)
        return 0
    if pa.types.is_dictionary(column.type) and is_text(column.type.value_type):
        return (
            pc.sum(
                pc.binary_length(column.dictionary).take(column.indices).cast(pa.int64())
            ).as_py()
            or 0
        )
    return int(column.nbytes)
