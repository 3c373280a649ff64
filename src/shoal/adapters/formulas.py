"""Formulas: find texts that a spreadsheet would run when it opens a CSV file.

A text that begins with `=`, `+`, `-`, `@`, a tab or a line end and is no number is taken for a
formula, which may fetch addresses or start programs on the reader's machine. So is one that holds
such a beginning behind a comma, semicolon, tab, bar or line end: a spreadsheet may take any of them
for the end of a cell, whatever the quotes around it. Someone who filled in a form can have written
it. Cells are counted here and never shown. Nothing is put in front of them to disarm them: a
release holds the cells that were recounted, no others. Parquet and Arrow files say which columns
are text, and are safe.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text
from shoal.errors import DataError

BEGINNING = r"^[=+\-@\t\r\n]"
NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$"
# of a cell, for one spreadsheet or another, and a quote that the next begins with
ENDS = r"[,;\t|\r\n]\"?"
SAFE = (".parquet", ".arrow", ".feather")


def formulas(table: pa.Table) -> dict[str, int]:
    """Count the texts of each column that would be run, its name among them.

    Columns without any are left out.

    >>> formulas(pa.table({"note": ["=1+1", "-5", "well"], "age": [-1, 2, 3]}))
    {'note': 1}
    """
    counts = {name: counted(pa.array([name])) for name in table.column_names}
    for name, column in zip(table.column_names, table.columns, strict=True):
        counts[name] += counted(column) if is_text(column.type) else 0
    return {name: count for name, count in counts.items() if count}


def refuse_formulas(table: pa.Table, place: str | Path) -> None:
    """Refuse to write a table with formulas as a CSV file of this name."""
    if Path(place).suffix.lower() in SAFE:
        return
    if counts := formulas(table):
        facts = {f"in '{name}'": count for name, count in list(counts.items())[:5]}
        problem = (
            f"{sum(counts.values()):,} texts would be run as formulas by a spreadsheet that opens "
            "this release as CSV"
        )
        raise DataError(problem, facts, "write a .parquet or .arrow file instead")


def counted(texts: pa.Array | pa.ChunkedArray) -> int:
    """Count the texts that would be run.

    >>> counted(pa.array(["x;=1+1", "x;-1", None]))
    1
    """
    tally = pc.value_counts(texts)
    different = tally.field(0)
    times = tally.field(1)
    run = pc.or_(_runs(different), _runs_inside(different))
    return int(pc.sum(times.filter(pc.fill_null(run, False))).as_py() or 0)


def _runs(texts: pa.Array) -> pa.Array:
    return pc.and_not(
        pc.match_substring_regex(texts, BEGINNING), pc.match_substring_regex(texts, NUMBER)
    )


def _runs_inside(texts: pa.Array) -> pa.Array:
    """Mark the texts that hold a formula behind what may end a cell."""
    running = np.zeros(len(texts), np.bool_)
    where = np.flatnonzero(pc.fill_null(pc.match_substring_regex(texts, f"{ENDS}[=+\\-@]"), False))
    cells = pc.split_pattern_regex(texts.take(pa.array(where)), ENDS)
    run = pc.list_parent_indices(cells).filter(_runs(pc.list_flatten(cells)))
    running[where[np.asarray(run)]] = True
    return pa.array(running)
