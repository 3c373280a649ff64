"""Cells of a release: tell which values of the original each may stand for.

| cell | stands for |
|---|---|
| null | a missing value |
| `*` | everything, missing too |
| `[20, 29]`, `[80, 90+]`, `90+`, `<=5` | numbers, dates and times from end to end |
| `1011*` | codes that begin so |
| `2021-03`, `2021-Q1`, `2021`, `2020s` | dates of that month, quarter, year, decade |
| `{Berlin, Oslo}`, `{"Bern, city", Oslo}` | each of these values |
| a label | the leaves below it in a hierarchy |
| `"*"` in quotes, a leading quote doubled | that text itself |
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from soak.outside.tables import Column, point_of, text_of

Fits = Callable[[Any], bool]
OPEN = Fraction(10) ** 400  # beyond every number that a table can hold


class Unreadable(Exception):
    """A published cell that stands for nothing."""


def reader(column: Column) -> Callable[[Any], Fits]:
    """Return a function that turns a cell of this column into a test of original values."""
    return lambda cell: _fits(cell, column)


def between(low: Any, high: Any) -> Fits:
    """Test values against two columns of bounds; both null stand for everything."""
    if low is None and high is None:
        return lambda value: True
    if low is None or high is None:
        raise Unreadable("one bound is missing")
    # An open end is text, also where the other end is a number: 90 and 90+.
    first = ends(low)[0] if isinstance(low, str) else point_of(low)
    last = ends(high)[1] if isinstance(high, str) else point_of(high)
    return lambda value: value is not None and _lies(value, first, last)


def _lies(value: Any, first: Fraction, last: Fraction) -> bool:
    """Tell whether a value lies between two points; a text is a band with ends of its own."""
    if isinstance(value, str):
        low, high = ends(value)
        return first <= low and high <= last
    return first <= point_of(value) <= last


def ends(text: str) -> tuple[Fraction, Fraction]:
    """Read the ends of an interval, a value or an open end.

    >>> [str(end) for end in ends("[20, 29]")]
    ['20', '29']
    """
    if text.startswith("[") and text.endswith("]") and ", " in text:
        low, high = text[1:-1].split(", ", 1)
        return ends(low)[0], ends(high)[1]
    if text.startswith("<="):
        return -OPEN, _point(text[2:])
    if text.endswith("+"):
        return _point(text[:-1]), OPEN
    return _point(text), _point(text)


def _fits(cell: Any, column: Column) -> Fits:
    if cell is None:
        return lambda value: value is None
    if cell == "*":
        return lambda value: True
    if not isinstance(cell, str):
        return lambda value: value is not None and point_of(value) == point_of(cell)
    if (elements := _elements(cell)) is not None:
        tests = [_fits(element, column) for element in elements]
        return lambda value: any(fits(value) for fits in tests)
    if column.hierarchy in ("file", "masks", "dates"):
        return {"file": _label, "masks": _mask, "dates": _calendar}[column.hierarchy](cell, column)
    if column.kind == "category":
        plain = _unquoted(cell)
        return lambda value: value is not None and text_of(value) == plain
    low, high = ends(cell)
    return lambda value: value is not None and low <= point_of(value) <= high


def _elements(cell: str) -> list[str] | None:
    """Cut a set into its cells, quotes kept; None for a cell that is no set.

    >>> _elements('{"Bern, city", Oslo}')
    ['"Bern, city"', 'Oslo']
    """
    if not (cell.startswith("{") and cell.endswith("}") and ", " in cell):
        return None
    elements = [""]
    inside = False
    for part in re.split(r'("|, )', cell[1:-1]):
        inside ^= part == '"'
        if part == ", " and not inside:
            elements.append("")
        else:
            elements[-1] += part
    return elements


def _label(cell: str, column: Column) -> Fits:
    plain = _unquoted(cell)
    below = {leaf for leaf, groups in column.paths.items() if plain == leaf or plain in groups}
    if not below:
        raise Unreadable("a label that its hierarchy does not know")
    return lambda value: value is not None and text_of(value) in below


def _mask(cell: str, column: Column) -> Fits:
    prefix = cell.rstrip("*")
    hidden = len(cell) - len(prefix)
    return lambda value: (
        value is not None
        and text_of(value).startswith(prefix)
        and len(text_of(value)) - len(prefix) == hidden
    )


def _calendar(cell: str, column: Column) -> Fits:
    def label(value: datetime.date) -> bool:
        month = f"{value.year:04}-{value.month:02}"
        labels = (
            text_of(value),
            value.strftime("%Y-%m-%d"),
            month,
            f"{value.year:04}-Q{(value.month + 2) // 3}",
            f"{value.year:04}",
            f"{value.year // 10 * 10:04}s",
        )
        return cell in labels

    if not re.fullmatch(r"\d{4}(s|-Q[1-4]|-\d\d(-\d\d(T.*)?)?)?", cell):
        raise Unreadable("no date, month, quarter, year or decade")
    return lambda value: value is not None and label(value)


def _unquoted(cell: str) -> str:
    if len(cell) >= 2 and cell.startswith('"') and cell.endswith('"'):
        return cell[1:-1].replace('""', '"')
    return cell


def _point(end: Any) -> Fraction:
    if not isinstance(end, str):
        return point_of(end)
    try:
        return Fraction(end)
    except (ValueError, ZeroDivisionError):
        pass
    try:
        if "T" in end or " " in end:
            return point_of(datetime.datetime.fromisoformat(end))
        return point_of(datetime.date.fromisoformat(end))
    except ValueError:
        raise Unreadable("an end that is neither a number nor a date") from None
