"""JSON lines: one object a line (`.jsonl`, `.ndjson`), read by content and written by name.

Every object is flat: its values are texts, numbers, true, false or null. A key that an object does
not have is a missing value, like null. Texts that are all ISO dates become dates; all other texts
stay as they are, also those that look like numbers. Refusals name lines, never what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.cell_columns import column_of
from shoal.adapters.csv.encodings import utf8
from shoal.adapters.plain_arrow import plain
from shoal.declare.columns import is_text, text_of, whole
from shoal.declare.understanding.spelled import dated
from shoal.errors import DataError, row_numbers

ENDINGS = (".jsonl", ".ndjson")
MARK = b"\xef\xbb\xbf"
LONGEST = 1 << 20  # bytes of a first line that is looked at
ROWS = 1 << 14  # rows that are written at a time
NESTED = "write one value under each key: an object or a list in a cell is no single value"


class _Strange(Exception):
    """Something in a line that no cell can hold."""


def is_json_lines(head: bytes) -> bool:
    """Tell by its first bytes whether a file holds JSON lines."""
    begin = head.removeprefix(MARK).lstrip()
    if not begin.startswith(b"{"):
        return False
    line = begin[:LONGEST].splitlines()[0]
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        # An object that goes on in the next line, or a header that begins with a bracket.
        return begin[1:].lstrip().startswith((b'"', b"}")) and b"\n" in begin


def refuse_json_document(head: bytes, name: str) -> None:
    """Refuse a list of objects, which is JSON and not JSON lines."""
    begin = head.removeprefix(MARK).lstrip()
    if begin.startswith(b"[") and begin[1:].lstrip().startswith((b"{", b"[")):
        raise DataError(
            f"{name} is one JSON document", remedy="write one object a line (JSON lines, .jsonl)"
        )


def read_json_lines(data: bytes, name: str, encoding: str | None = None) -> pa.Table:
    """Read the table in the bytes of a file."""
    columns: dict[str, list[object]] = {}
    lines = _lines(utf8(data, encoding, name))
    for rows, (number, line) in enumerate(lines):
        held = _object(line, number, name)
        for key in held:
            columns.setdefault(key, [])
        for key, values in columns.items():
            values.extend([None] * (rows - len(values)))
            values.append(held.get(key))
    table = pa.table([column_of(values) for values in columns.values()], names=list(columns))
    return plain(table, name)


def with_dates(table: pa.Table) -> pa.Table:
    """Convert texts that are all ISO dates or times."""
    columns = [dated(whole(each)) if is_text(each.type) else each for each in table.columns]
    return pa.table(columns, names=table.column_names)


def write_rows(table: pa.Table, sink: BinaryIO) -> None:
    """Write an object for each row, with every column in it."""
    encoder = msgspec.json.Encoder()
    columns = [_values(whole(column)) for column in table.columns]
    rows = pa.table(columns, names=table.column_names)
    for start in range(0, table.num_rows, ROWS):
        sink.write(encoder.encode_lines(rows.slice(start, ROWS).to_pylist()))


def _values(column: pa.Array) -> pa.Array:
    """Return a column whose values JSON can hold: whole numbers, finite floats, true and texts."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return column
    if pa.types.is_float64(kind) and pc.all(pc.is_finite(column)).as_py() is not False:
        return column
    return text_of(column)


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Return the lines that are not empty, with their numbers."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _object(line: bytes, number: int, name: str) -> dict[str, Any]:
    """Read one line; refuse what is no flat object."""
    try:
        held = json.loads(line, object_pairs_hook=_once, parse_constant=_refused)
    except _Strange as strange:
        raise DataError(f"{name} has {strange}", {"line": number}, NESTED) from None
    except (ValueError, RecursionError):
        raise DataError(
            f"{name} is no JSON lines file: a line is no whole object",
            {"line": number},
            "write one object a line, each in a line of its own",
        ) from None
    if not isinstance(held, dict):
        raise DataError(f"{name} has a line that is no object", {"line": number}, NESTED)
    places = [place for place, value in enumerate(held.values()) if _is_nested(value)]
    if places:
        facts = {"line": number, "keys": row_numbers(places)}
        raise DataError(f"{name} has nested objects or lists", facts, NESTED)
    return held


def _is_nested(value: object) -> bool:
    return isinstance(value, dict | list)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the keys and values of an object, each key once."""
    held = dict(pairs)
    if len(held) < len(pairs):
        raise _Strange("an object with a key that stands twice")
    return held


def _refused(constant: str) -> None:
    raise _Strange("numbers that are not finite")
