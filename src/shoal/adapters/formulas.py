"""Formulas: texts that a spreadsheet would run instead of showing them, when it opens a CSV file.

A text that begins with `=`, `+`, `-`, `@`, a tab or a line end and is no number is taken for a formula, which may fetch
addresses or start programs on the reader's machine. Someone who filled in a form can have written it. Cells are counted here
and never shown. Nothing is put in front of them to disarm them: a release holds the cells that were recounted, no others.
Parquet and Arrow files say which columns are text, and are safe.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text
from shoal.errors import DataError

BEGINNING = r"^[=+\-@\t\r\n]"
NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$"
SAFE = (".parquet", ".arrow", ".feather")


def formulas(table: pa.Table) -> dict[str, int]:
    """How many texts of each column would be run, its name among them; columns without any are left out.

    >>> formulas(pa.table({"note": ["=1+1", "-5", "well"], "age": [-1, 2, 3]}))
    {'note': 1}
    """
    found = {name: _counted(pa.array([name])) for name in table.column_names}
    for name, column in zip(table.column_names, table.columns, strict=True):
        found[name] += _counted(column) if is_text(column.type) else 0
    return {name: count for name, count in found.items() if count}


def refuse_formulas(table: pa.Table, place: str | Path) -> None:
    """Silence, or why a table should not become a file of this name."""
    if Path(place).suffix.lower() in SAFE:
        return
    if found := formulas(table):
        facts = {f"in '{name}'": count for name, count in list(found.items())[:5]}
        problem = f"{sum(found.values()):,} texts would be run as formulas by a spreadsheet that opens this release as CSV"
        raise DataError(problem, facts, "write a .parquet or .arrow file instead")


def _counted(texts: pa.Array | pa.ChunkedArray) -> int:
    counted = pc.value_counts(texts)
    different, times = counted.field(0), counted.field(1)
    run = pc.and_not(pc.match_substring_regex(different, BEGINNING), pc.match_substring_regex(different, NUMBER))
    return int(pc.sum(times.filter(pc.fill_null(run, False))).as_py() or 0)
