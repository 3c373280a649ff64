"""Reading: a file or a table of a database as an Arrow file, in which columns have the kinds that were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters import tables
from shoal.declare.columns import kind_of, text_of
from shoal.declare.roles import check_table
from shoal.errors import DataError, RecipeError
from shoal.studio.work.telling import Tell

KINDS = {"number": pa.float64(), "category": pa.string(), "date": pa.date32(), "time": pa.timestamp("us")}


def do(
    tell: Tell, place: str, target: str, table: str | None = None, kinds: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Read, take columns for what they are said to be, and write what can be mapped at once."""
    tell("reading")
    rows = tables.read(place, table)
    check_table(rows)
    for name, kind in (kinds or {}).items():
        rows = rows.set_column(rows.column_names.index(name), name, _as(rows[name].combine_chunks(), kind, name))
    rows = rows.combine_chunks()
    tell("laying the table out")
    with pa.OSFile(target, "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)
    found = {name: kind_of(_plain(rows.schema.field(name).type), name) for name in rows.column_names}
    return {"rows": rows.num_rows, "kinds": found}


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _as(column: pa.Array, kind: str, name: str) -> pa.Array:
    """The column as this kind; refuses one that holds anything else."""
    if kind not in KINDS:
        raise RecipeError(f"a column can't be made a {kind}", remedy=f"one of: {', '.join(KINDS)}")
    column = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    if kind_of(column.type, name) == kind:
        return column
    texts = text_of(column)
    if kind == "category":
        return texts
    try:
        return _whole(pc.cast(pc.utf8_trim_whitespace(texts), KINDS[kind]))
    except pa.ArrowInvalid:  # its message quotes a cell
        raise DataError(f"column '{name}' holds values that are no {kind}", remedy="leave it as it is") from None


def _whole(column: pa.Array) -> pa.Array:
    """Whole numbers as such, so that they are printed without a point."""
    if not pa.types.is_floating(column.type) or pc.any(pc.not_equal(column, pc.floor(column))).as_py():
        return column
    return pc.cast(column, pa.int64())
