"""Grid: shows a table of any length.

The browser holds a few thousand rows around what is looked at, never all.

Cells travel as text and are put on the screen as text. Columns have numbers, not names, wherever a
name could be taken for something else. A marked cell has a class of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from nicegui import ui

from shoal.declare.columns import text_of
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Showing

BLOCK = 200  # rows that are fetched together
BLOCKS = 20  # that a page keeps
LONGEST = 300  # characters of a cell that are shown

FETCH = """{{
  rowCount: {rows},
  getRows: (asked) => fetch(`/rows/{key}/${{asked.startRow}}/${{asked.endRow}}`)
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status)))
    .then((rows) => asked.successCallback(rows, {rows}))
    .catch(() => asked.failCallback()),
}}"""
# One cell of a table stops the Tab key: that with the focus, or one that is in sight. A browser
# would stop at every part that scrolls as well. A part without a role must not be focusable.
ONE_STOP = """() => document.querySelectorAll('.grid').forEach((grid) => {
  grid.querySelectorAll('[class*=viewport]:not([role=presentation])')
    .forEach((part) => part.setAttribute('tabindex', '-1'));
  const cells = [...grid.querySelectorAll('.ag-center-cols-container .ag-cell')];
  const row = grid.querySelector('.ag-cell-focus')?.closest('.ag-row')?.getAttribute('row-index');
  const stop = cells.find((cell) => cell.classList.contains('ag-cell-focus'))
    ?? cells.find((cell) => cell.closest('.ag-row').getAttribute('row-index') === row)
    ?? cells[0];
  cells.forEach((cell) => cell.setAttribute('tabindex', cell === stop ? '0' : '-1'));
})"""
ROW_NUMBER = {
    "headerName": "row",
    "field": "n",
    "width": 90,
    "pinned": "left",
    "cellClass": "row-number",
}
OPTIONS: dict[str, Any] = {
    "defaultColDef": {
        "sortable": False,
        "resizable": True,
        "suppressMovable": True,
        "minWidth": 90,
        "width": 150,
    },
    "rowModelType": "infinite",
    "cacheBlockSize": BLOCK,
    "maxBlocksInCache": BLOCKS,
    "blockLoadDebounceMillis": 50,  # rows that only fly past are not fetched
    "rowHeight": 30,
    "headerHeight": 34,
    "animateRows": False,
    "suppressColumnVirtualisation": False,
    "enableCellTextSelection": True,
    ":tabToNextCell": "() => false",  # Tab leaves the table, arrows go about in it
    ":tabToNextHeader": "() => false",
    ":processRowPostCreate": (
        "row => [row.eRow, row.ePinnedLeftRow]"
        ".forEach(part => part?.setAttribute('tabindex', '-1'))"
    ),
    ":onFirstDataRendered": ONE_STOP,
    ":onCellFocused": ONE_STOP,
    ":onBodyScrollEnd": ONE_STOP,
}


def grid(
    desk: Desk,
    key: str,
    *,
    headers: Callable[[str], str] = lambda name: name,
    only: Sequence[str] | None = None,
) -> ui.aggrid:
    """Draw the table that the desk shows under a key; `only` some of its columns."""
    table = desk.shown[key].table
    columns = [
        _column(place, headers(name))
        for place, name in enumerate(table.column_names)
        if only is None or name in only
    ]
    options = OPTIONS | {
        "columnDefs": [ROW_NUMBER, *columns],
        "infiniteInitialRowCount": table.num_rows,
        ":datasource": FETCH.format(rows=table.num_rows, key=key),
    }
    return ui.aggrid(options, theme="balham", auto_size_columns=False).classes("grid")


def _column(place: int, title: str) -> dict[str, Any]:
    """Describe a column by its number; its marked cells have a class of their own."""
    marked = f"cell.data && cell.data.m && cell.data.m.includes({place})"
    return {
        "field": f"c{place}",
        "headerName": title,
        ":cellClass": f"cell => {marked} ? 'changed-cell' : ''",
        ":tooltipValueGetter": f"cell => cell.data && cell.data.c{place}",
    }


def rows_of(shown: Showing, first: int, last: int) -> list[dict[str, Any]]:
    """Return rows as the grid takes them: numbers, cells by column number, and marked columns."""
    first = max(first, 0)
    part = shown.table.slice(first, max(min(last - first, 10 * BLOCK), 0))
    cells = [_texts(column) for column in part.columns]
    rows: list[dict[str, Any]] = [
        {
            "n": f"{first + i + 1:,}",
            **{f"c{place}": column[i] for place, column in enumerate(cells)},
        }
        for i in range(part.num_rows)
    ]
    if shown.marks is not None:
        marks = shown.marks.slice(first, part.num_rows)
        places = [shown.table.column_names.index(name) for name in marks.column_names]
        for place, column in zip(places, marks.columns, strict=True):
            for row, marked in zip(rows, column.to_pylist(), strict=True):
                if marked:
                    row.setdefault("m", []).append(place)
    return rows


def _texts(column: pa.ChunkedArray) -> list[str]:
    values = column.combine_chunks()
    texts = text_of(
        values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    ).to_pylist()
    return [_shortened(text or "") for text in texts]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
