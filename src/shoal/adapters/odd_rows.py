"""Odd rows: rows of an export that are about nobody, told by their place and never by a cell.

- A last row of totals begins with a word such as `Gesamt`, and leaves most columns empty.
- A second line of names, units or questions stands above the rows: but for it, several columns of
  texts would be numbers, dates or times.

Neither is left out: only the owner of a table knows. A notice says so, at every door.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text
from shoal.declare.understanding.spelled import HEAD, inferred

Notices = tuple[tuple[str, str], ...]
TOTALS = frozenset(
    """
    total|totals|grand total|sum|sums|overall|all|gesamt|summe|insgesamt|gesamtsumme|gesamtergebnis
    zusammen|ergebnis|somme|ensemble|total général|totale|totaal|totaux|suma|importe total
    """.strip()
    .replace("\n    ", "|")
    .split("|")
)
MOST_LINES = 2  # of names, units or questions below the header
ENOUGH_ROWS = 5
ENOUGH_COLUMNS = 2  # in one alone, it may be any word
NAMED = 2


def odd_rows(table: pa.Table) -> Notices:
    """Say which rows of a table seem to be about nobody."""
    return (*_total(table), *_second_header(table))


def _total(table: pa.Table) -> Notices:
    if table.num_rows < ENOUGH_ROWS:
        return ()
    last = [column[-1] for column in table.columns]
    held = [cell for cell in last if cell.is_valid and _word_in(cell) != ""]
    word = _word_in(held[0]) if held else None
    empty = len(last) - len(held)
    if word is None or word.strip(" :").lower() not in TOTALS or 2 * empty < len(last):
        return ()
    return (("", "the last row looks like a total, and counts as a person: delete it"),)


def _word_in(cell: pa.Scalar) -> str | None:
    """Read a cell that holds text; None of any other one, which Python may have no value for."""
    kind = cell.type.value_type if pa.types.is_dictionary(cell.type) else cell.type
    if not is_text(kind):
        return None
    word: str | None = cell.as_py()
    return word


def _second_header(table: pa.Table) -> Notices:
    texts = [name for name in table.column_names if is_text(table.schema.field(name).type)]
    for lines in range(1, MOST_LINES + 1):
        if table.num_rows < ENOUGH_ROWS + lines:
            return ()
        odd = [name for name in texts if _is_typed_below(table[name], lines)]
        if len(odd) >= ENOUGH_COLUMNS:
            return (("", _said(odd, lines)),)
    return ()


def _is_typed_below(column: pa.ChunkedArray, lines: int) -> bool:
    """Tell whether a column of texts would be numbers or dates but for its first lines."""
    top = column.slice(0, lines)
    below = column.slice(lines, HEAD).combine_chunks()
    if pc.all(pc.is_null(top)).as_py() or below.null_count == len(below):
        return False
    if is_text(inferred(below.cast(pa.string())).type):
        return False
    return is_text(inferred(column.slice(0, HEAD).combine_chunks().cast(pa.string())).type)


def _said(names: list[str], lines: int) -> str:
    listed = " and ".join(f"'{name}'" for name in names[:NAMED])
    rows = {1: "row"}.get(lines, f"{lines} rows")
    where = f"but for the first {rows} below the header"
    return f"{listed} hold numbers or dates {where}: if it has names or units, delete it"
