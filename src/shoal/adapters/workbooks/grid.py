"""Grid: find the header and the rows in the cells of a sheet, or say why there is no table in them.

The names of the columns stand in the first row that holds anything, one for each column that has
values; the rows of the table follow. Rows and columns without any value are left out, and counted.
What people add for the eye is refused, with the rows and what to do: titles above the header,
merged cells, columns without a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.adapters.cell_columns import column_of
from shoal.adapters.plain_arrow import check_names
from shoal.adapters.workbooks.archive import FailedCell
from shoal.errors import DataError, row_numbers

Span = tuple[tuple[int, int], tuple[int, int]]
Failures = dict[str, dict[str, int]]
Notices = tuple[tuple[str, str], ...]
LOOKED_AT = 100  # rows in which a header is looked for


@dataclass(frozen=True)
class SheetGrid:
    """The cells of a sheet from its first row and column on."""

    rows: list[list[object]]
    title: str
    name: str
    merged: Sequence[Span] = ()
    failed: Sequence[FailedCell] = ()

    def table(self) -> tuple[pa.Table, Failures, Notices]:
        """Return the table, the failed cells of each column, and notices."""
        rows = self._with_failures()
        full = [number for number, row in enumerate(rows) if any(map(_holds, row))]
        if not full:
            raise DataError(f"{self.name} has no cells in sheet '{self.title}'")
        used = _used_columns(rows)
        self._refuse_merged(full[0])
        self._refuse_titles(rows, full, used)
        head = rows[full[0]]
        body = [rows[number] for number in full[1:]]
        names = [_name(head[column]) for column in used]
        check_names(names, self.name)
        if not body:
            facts = {"sheet": self.title, "columns": len(names)}
            raise DataError(f"{self.name} has a header but no rows", facts, "give it rows")
        columns = [column_of([_cell(row, column) for row in body]) for column in used]
        failures = self._failures(used, names)
        return pa.table(columns, names=names), failures, self._notices(rows, full, used)

    def _with_failures(self) -> list[list[object]]:
        """Return the cells, with the word of a failure where a formula failed."""
        for cell in self.failed:
            if 0 <= cell.row < len(self.rows) and cell.column < len(self.rows[cell.row]):
                self.rows[cell.row][cell.column] = cell.word
        return self.rows

    def _failures(self, used: Sequence[int], names: Sequence[str]) -> Failures:
        """Count the failed cells of each column by their words."""
        words: dict[str, list[str]] = {}
        named = dict(zip(used, names, strict=True))
        for cell in self.failed:
            if cell.column in named:
                words.setdefault(named[cell.column], []).append(cell.word)
        return {name: dict(Counter(sorted(each))) for name, each in words.items()}

    def _refuse_merged(self, header: int) -> None:
        """Refuse merged cells: all but one of them are empty, and nobody could see that."""
        if not self.merged:
            return
        tops = sorted({span[0][0] for span in self.merged})
        above = [row for row in tops if row <= header]
        where = "in its header" if above else "among its rows"
        first = [_area(span) for span in sorted(self.merged)[:5]]
        facts = {
            "sheet": self.title,
            "rows": row_numbers(above or tops),
            "cells": ", ".join(first) + (" ..." if len(self.merged) > 5 else ""),
        }
        raise DataError(
            f"{self.name} has merged cells {where}",
            facts,
            "unmerge them, write a name above each column in one row and a value into each cell",
        )

    def _refuse_titles(
        self, rows: Sequence[Sequence[object]], full: Sequence[int], used: Sequence[int]
    ) -> None:
        """Refuse a first row that does not name every column."""
        filled = [sum(_holds(_cell(rows[row], column)) for column in used) for row in full]
        if filled[0] == len(used):
            return
        facts: dict[str, object] = {
            "sheet": self.title,
            "row": full[0] + 1,
            "filled cells": filled[0],
            "columns": len(used),
        }
        complete = [row for row, count in zip(full, filled, strict=True) if count == len(used)]
        if 2 * filled[0] <= len(used) and complete and complete[0] < full[0] + LOOKED_AT:
            facts["first row that names every column"] = complete[0] + 1
            problem = f"{self.name} has a title or other rows above its header"
            remedy = f"delete the rows above row {complete[0] + 1}, or move them to another sheet"
            raise DataError(problem, facts, remedy)
        nameless = [c for c in used if not _holds(_cell(rows[full[0]], c))]
        facts["columns without a name"] = ", ".join(map(_letters, nameless[:5]))
        raise DataError(
            f"{self.name} has columns without a name in its first row",
            facts,
            "name every column in one row, with no other row above it",
        )

    def _notices(
        self, rows: Sequence[Sequence[object]], full: Sequence[int], used: Sequence[int]
    ) -> Notices:
        width = max(map(len, rows))
        empty = {"row": len(rows) - len(full), "column": width - len(used)}
        return tuple(
            ("", f"{count:,} empty {what}{'s' * (count > 1)} of sheet '{self.title}' left out")
            for what, count in empty.items()
            if count
        )


def _holds(cell: object) -> bool:
    return cell is not None and cell != "" and not (isinstance(cell, str) and cell.isspace())


def _cell(row: Sequence[object], column: int) -> object:
    """Return a cell of a row; an empty one is missing."""
    cell = row[column] if column < len(row) else None
    return None if cell == "" else cell


def _used_columns(rows: Sequence[Sequence[object]]) -> list[int]:
    used: set[int] = set()
    for row in rows:
        used.update(number for number, cell in enumerate(row) if _holds(cell))
    return sorted(used)


def _name(cell: object) -> str:
    """Write the name of a column; a year in a header is a number."""
    return str(column_of([cell, "a text"])[0])


def _letters(column: int) -> str:
    """Write a column as Excel does.

    >>> _letters(0), _letters(26), _letters(16383)
    ('A', 'AA', 'XFD')
    """
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _area(span: Span) -> str:
    return ":".join(f"{_letters(column)}{row + 1}" for row, column in span)
