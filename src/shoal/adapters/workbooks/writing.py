"""Writing workbooks: a release as an Excel file (.xlsx).

The first row holds the names, bold and frozen. Texts are texts, in cells whose format is text too:
codes keep their zeros in front, and nothing is ever run as a formula. Numbers that Excel would
round, times with a zone or fractions of seconds, and days before 1900 are written as texts. The
file tells neither who made it nor when.
"""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.exact_values import (
    PLAINER,
    as_floats,
    is_day,
    is_moment,
    refuse_changed,
    refuse_empty_texts,
)
from shoal.adapters.extras import loaded
from shoal.adapters.workbooks.reading import read_workbook
from shoal.declare.columns import text_of, whole
from shoal.errors import DataError

SHEET = "Release"
MOST_ROWS = 1_048_575  # below the header
MOST_COLUMNS = 16_384
LONGEST = 32_767  # signs of a cell
DIGITS = 16  # that are written of a number
MARCH_1900 = (datetime.date(1900, 3, 1) - datetime.date(1970, 1, 1)).days
NEVER = datetime.datetime(2000, 1, 1)
WIDEST = 40
FORM = "an Excel file"
DAY = {"num_format": "yyyy-mm-dd"}
MOMENT = {"num_format": "yyyy-mm-dd hh:mm:ss"}
TEXT = {"num_format": "@"}
Cells = Iterator[Any]


def write_workbook(table: pa.Table, path: Path) -> None:
    """Write a table as the only sheet of a workbook, and read it back."""
    _refuse_too_large(table)
    refuse_empty_texts(table, FORM)
    # Sheets grow in files before they are packed: beside the release, for the owner alone.
    with tempfile.TemporaryDirectory(prefix=".shoal-", dir=path.parent) as folder:
        options = {"constant_memory": True, "tmpdir": folder}
        with loaded("xlsxwriter").Workbook(str(path), options) as book:
            book.set_properties({"created": NEVER})
            _fill(book, table)
    refuse_changed(table, lambda: read_workbook(path.read_bytes(), "the release"), FORM)


def _fill(book: Any, table: pa.Table) -> None:
    sheet = book.add_worksheet(SHEET)
    sheet.freeze_panes(1, 0)
    columns = []
    for number, (name, cells) in enumerate(zip(table.column_names, table.columns, strict=True)):
        writer, values, shape = _written(whole(cells), sheet)
        shown = book.add_format(shape) if shape else None
        sheet.set_column(number, number, _width(name, whole(cells)), shown)
        columns.append((writer, values, shown))
    header = book.add_format({"bold": True, **TEXT})
    for number, name in enumerate(table.column_names):
        sheet.write_string(0, number, name, header)
    for row in range(1, table.num_rows + 1):
        for number, (writer, values, shown) in enumerate(columns):
            value = next(values)
            if value is not None:
                writer(row, number, value, shown)


def _written(column: pa.Array, sheet: Any) -> tuple[Callable[..., Any], Cells, dict[str, str]]:
    """Return what writes the cells of a column, the cells, and their format."""
    if is_day(column, MARCH_1900):
        return sheet.write_datetime, iter(column.to_pylist()), DAY
    if is_moment(column):
        return sheet.write_datetime, iter(column.to_pylist()), MOMENT
    if pa.types.is_boolean(column.type):
        return sheet.write_boolean, iter(column.to_pylist()), {}
    floats = as_floats(column, DIGITS)
    if floats is not None:
        return sheet.write_number, iter(floats.to_pylist()), {}
    return sheet.write_string, iter(text_of(column).to_pylist()), TEXT


def _width(name: str, column: pa.Array) -> int:
    """Return a width in which most cells can be read."""
    longest = pc.max(pc.utf8_length(text_of(column.slice(0, 1000)))).as_py() or 0
    return min(max(len(name), longest) + 2, WIDEST)


def _refuse_too_large(table: pa.Table) -> None:
    texts = [column for column in table.columns if pa.types.is_string(column.type)]
    longest = max((pc.max(pc.utf8_length(each)).as_py() or 0 for each in texts), default=0)
    facts = {"rows": table.num_rows, "columns": table.num_columns, "longest text": longest}
    limits = {"rows": MOST_ROWS, "columns": MOST_COLUMNS, "longest text": LONGEST}
    if any(facts[what] > most for what, most in limits.items()):
        raise DataError(f"the release is too large for {FORM}", facts, PLAINER)
