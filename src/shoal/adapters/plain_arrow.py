"""Plain Arrow: the one shape that a table has inside the library.

Every column is a single chunk of plain values. Dictionaries are decoded, so that category levels
which nobody has never travel, and metadata is left behind: it names index columns, libraries and
sometimes paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text
from shoal.errors import DataError

MOST_TEXT = 2**31 - 1  # bytes that Arrow's plain text column can hold


def plain(table: pa.Table, name: str) -> pa.Table:
    """Convert a table to plain columns.

    Refuses a table without columns or rows, and names that are empty or used twice.
    """
    check_names(table.column_names, name)
    if table.num_rows == 0:
        raise DataError(
            f"{name} has no rows",
            {"columns": table.num_columns},
            "give a table with at least one row",
        )
    return pa.table([plain_column(column) for column in table.columns], names=table.column_names)


def plain_column(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Convert a column to one chunk of plain values; text as Arrow's `string` where it fits."""
    if pa.types.is_dictionary(column.type):
        column = _decoded(column)
    if pa.types.is_run_end_encoded(column.type):
        column = pa.chunked_array(
            [pc.run_end_decode(chunk) for chunk in column.chunks], column.type.value_type
        )
    if is_text(column.type):
        column = column.cast(pa.string() if column.nbytes < MOST_TEXT else pa.large_string())
    if _spelled(column.type) != column.type:
        column = column.cast(_spelled(column.type), safe=False)
    if isinstance(column, pa.Array):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _decoded(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Write the values of a dictionary in place of their numbers, whatever type they have."""
    if isinstance(column, pa.Array):
        return column.dictionary_decode()
    chunks = [chunk.dictionary_decode() for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type.value_type)


def _spelled(kind: pa.DataType) -> pa.DataType:
    """Return the type in which each value has a text of its own.

    Times end at microseconds, as in CSV; there are no floats of 16 bits.
    """
    if pa.types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pa.types.is_time(kind) and kind.unit == "ns":
        return pa.time64("us")
    return pa.float32() if pa.types.is_float16(kind) else kind


def check_names(names: Sequence[object], name: str) -> None:
    """Refuse a table without columns, and columns without a name of their own."""
    if not names:
        raise DataError(f"{name} has no columns")
    strange = [place for place, column in enumerate(names, start=1) if not isinstance(column, str)]
    if strange:
        facts = {"columns": ", ".join(map(str, strange[:5]))}
        remedy = "rename them; in pandas: frame.columns = frame.columns.map(str)"
        raise DataError(f"{name} has column names that are not text", facts, remedy)
    nameless = [place for place, column in enumerate(names, start=1) if not str(column).strip()]
    if nameless:
        facts = {"columns": ", ".join(map(str, nameless[:5]))}
        remedy = (
            "name every column in the first line, and delete titles above the header; "
            "an index written by pandas is left out with to_csv(index=False)"
        )
        raise DataError(f"{name} has columns without a name", facts, remedy)
    counts = Counter(names)
    twice = [place for place, column in enumerate(names, start=1) if counts[column] > 1]
    if twice:
        # By their places: names that stand twice are often the first row of a file without header.
        facts = {"columns": ", ".join(map(str, twice[:5]))}
        problem = f"{name} has column names that are used more than once"
        remedy = "give every column its own name, in the first line of a file"
        raise DataError(problem, facts, remedy)
