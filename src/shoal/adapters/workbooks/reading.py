"""Reading workbooks: the table in one sheet of an Excel file (.xlsx, .xls).

The sheet is the one that is named, or else the only visible one that holds anything; where several
do, none is guessed. `python-calamine` reads the cells.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from shoal.adapters.extras import loaded
from shoal.adapters.manner import Manner, with_manner
from shoal.adapters.odd_rows import odd_rows
from shoal.adapters.plain_arrow import plain
from shoal.adapters.workbooks.archive import ZIP, FailedCell, WorkbookArchive
from shoal.adapters.workbooks.grid import SheetGrid
from shoal.declare.memory import refuse_beyond_memory
from shoal.declare.understanding.missing import words_for
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.wording import Remedy, Set

OLD = b"\xd0\xcf\x11\xe0"
MARKS = (ZIP, OLD)
UNPACKED_XLS = 40  # bytes in memory for each byte of an old workbook
# A formula's result, or a cell of its own, that failed; in the records of an old workbook.
FAILED_XLS = re.compile(
    rb"\x05\x02\x08\x00.{6}[\x00\x07\x0f\x17\x1d\x24\x2a]\x01"
    rb"|\x06\x00.\x00.{6}\x02.[\x00\x07\x0f\x17\x1d\x24\x2a].{3}\xff\xff",
    re.DOTALL,
)


def read_workbook(data: bytes, name: str, sheet: str | None = None) -> pa.Table:
    """Read the table of a sheet, with what was noticed as its manner."""
    calamine = loaded("python_calamine")
    archive = WorkbookArchive.of(data, name) if data.startswith(ZIP) else None
    if archive is None:
        refuse_beyond_memory(UNPACKED_XLS * len(data), name, {"bytes": len(data)})
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        title = _chosen(book, name, sheet, archive)
        failed = _failed(data, name, title, archive)
        cells = book.get_sheet_by_name(title)
        rows = cells.to_python(skip_empty_area=False)
        merged = cells.merged_cell_ranges or ()
    except calamine.PasswordError:
        problem = f"{name} is locked by a password"
        raise DataError(problem, remedy="save it without one") from None
    except calamine.CalamineError:  # what it says may quote the file
        raise DataError(
            f"{name} is a broken spreadsheet", {"bytes": len(data)}, "save it anew as .xlsx"
        ) from None
    table, failures, notices = SheetGrid(rows, title, name, merged, failed).table()
    manner = Manner(error_cells=failures, notices=(*notices, *odd_rows(table)))
    return with_manner(plain(table, name), manner)


def _chosen(book: Any, name: str, sheet: str | None, archive: WorkbookArchive | None) -> str:
    """Choose the sheet that is read; refuse to guess between several."""
    if sheet is not None:
        if sheet not in book.sheet_names:
            raise RecipeError(
                f"{name} has no sheet '{sheet}'",
                {"sheets": ", ".join(book.sheet_names[:20])},
                did_you_mean(sheet, book.sheet_names),
            )
        return sheet
    visible = loaded("python_calamine").SheetVisibleEnum.Visible
    seen = [about.name for about in book.sheets_metadata if about.visible == visible]
    holding = [title for title in seen if _holds_cells(book, title, archive)]
    if len(holding) == 1:
        return holding[0]
    if not holding:
        problem = f"{name} has no visible sheet with cells in it"
        raise DataError(problem, {"sheets": len(book.sheet_names)}, "give a sheet a table")
    raise RecipeError(
        f"{name} has {len(holding)} sheets with cells in them",
        {"sheets": ", ".join(holding[:20])},
        Remedy(*(Set("table", title) for title in holding[:3])),
    )


def _holds_cells(book: Any, title: str, archive: WorkbookArchive | None) -> bool:
    if archive is not None:
        xml = archive.sheet(title)
        return xml is not None and re.search(rb"<(?:\w+:)?(?:v|is)[\s>]", xml) is not None
    return book.get_sheet_by_name(title).start is not None


def _failed(
    data: bytes, name: str, title: str, archive: WorkbookArchive | None
) -> Sequence[FailedCell]:
    """Find cells in which a formula failed; in an old workbook they can't be told from empty."""
    if archive is not None:
        return archive.check(title)
    if FAILED_XLS.search(data):
        raise DataError(
            f"{name} seems to hold cells in which a formula failed (#N/A, #DIV/0! ...)",
            remedy="save it as .xlsx, where they can be counted",
        )
    return ()


def refuse_failures(manner: Manner, columns: Sequence[str], na: Sequence[str]) -> None:
    """Refuse columns with failed cells, unless their words are named as missing."""
    facts: dict[str, object] = {}
    words: dict[str, None] = {}
    for column in columns:
        named = words_for(column, na, columns)
        left = {w: n for w, n in manner.error_cells.get(column, {}).items() if w not in named}
        words |= dict.fromkeys(left)
        facts |= {f"in '{column}'": sum(left.values())} if left else {}
    if facts:
        remedy = Remedy(
            Set("na", list(words), "call them missing"), "mend the formulas, and save the workbook"
        )
        raise DataError("the workbook holds cells in which a formula failed", facts, remedy)
