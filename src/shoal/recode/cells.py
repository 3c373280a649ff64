"""Cells: the one place that decides how a generalized cell is written, and that reads it back.

| what | written | read back as |
|---|---|---|
| one value, or the label of a node | `Oslo`, `39` | `Value("Oslo")` |
| an interval, ends included | `[20, 29]`, `[1980-01-01, 1984-12-31]` | `Interval("20", "29")` |
| a value or end that stands for all beyond it | `90+`, `<=5` | `Value("90+")`, `Value("<=5")` |
| an interval with open ends | `[80, 90+]`, `[<=5, 20]` | `Interval("80", "90+")` |
| one of several values | `{Berlin, Oslo}`, `{"Bern, city", Oslo}` | `ValueSet(("Bern", ...))` |
| everything | `*` | `Everything()` |
| only missing values | null | `None` |
| a text that looks like these | `"*"`, `"[20, 29]"`, `"{a, b}"`, quotes doubled | `Value(...)` |

Open ends are spelled by `declare/open_ends`. They are a value or an end like any other here: on a
line they are read as points, and in a hierarchy `65+` is the label of a node. Inside a set, a
value that holds `, ` is quoted too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shoal.declare.open_ends import bare, bare_ends, is_at_least, is_at_most

EVERYTHING = "*"
QUOTED = r'"(?:[^"]|"")*"'
ELEMENT = re.compile(rf"({QUOTED}|(?!\")(?:(?!, ).)+)(?:, |$)", re.DOTALL)


@dataclass(frozen=True)
class Value:
    """A cell that names one value or one node."""

    text: str


@dataclass(frozen=True)
class Interval:
    """A cell that names a range, both ends included."""

    lo: str
    hi: str


@dataclass(frozen=True)
class ValueSet:
    """A cell that names several values or nodes, at least two: a row has one of them."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Everything:
    """A cell that says nothing."""


Cell = Value | Interval | ValueSet | Everything | None


def ends_of(cell: Value | Interval) -> tuple[str, str]:
    """Return the two ends of a cell on a line, without the marks of open ends.

    >>> ends_of(Interval("80", "90+")), ends_of(Value("<=5")), ends_of(Value("39"))
    (('80', '90'), ('5', '5'), ('39', '39'))
    """
    if isinstance(cell, Interval):
        return bare_ends(cell.lo, cell.hi)
    return bare(cell.text), bare(cell.text)


def is_open(cell: Value | Interval) -> tuple[bool, bool]:
    """Tell whether a cell stands for all values below its lower end, and above its upper one."""
    if isinstance(cell, Interval):
        return is_at_most(cell.lo), is_at_least(cell.hi)
    return is_at_most(cell.text), is_at_least(cell.text)


def write(cell: Cell) -> str | None:
    """Write a cell as text.

    >>> write(Interval("20", "29")), write(Value("*")), write(Everything())
    ('[20, 29]', '"*"', '*')
    >>> write(ValueSet(("Berlin", "Oslo")))
    '{Berlin, Oslo}'
    """
    if cell is None:
        return None
    if isinstance(cell, Everything):
        return EVERYTHING
    if isinstance(cell, Interval):
        return f"[{cell.lo}, {cell.hi}]"
    if isinstance(cell, ValueSet):
        return "{" + ", ".join(_element(text) for text in cell.texts) + "}"
    return _quoted(cell.text) if _looks_like_another(cell.text) else cell.text


def read(text: str | None) -> Cell:
    """Read a cell from text; the inverse of `write`.

    >>> read('"[20, 29]"'), read("[20, 29]")
    (Value(text='[20, 29]'), Interval(lo='20', hi='29'))
    """
    if text is None:
        return None
    if text == EVERYTHING:
        return Everything()
    if text.startswith('"') and text.endswith('"') and len(text) >= 2:
        return Value(text[1:-1].replace('""', '"'))
    if _looks_like_interval(text):
        lo, _, hi = text[1:-1].partition(", ")
        return Interval(lo, hi)
    return _set(text) or Value(text)


def _element(text: str) -> str:
    return _quoted(text) if ", " in text or _looks_like_another(text) else text


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def _set(text: str) -> ValueSet | None:
    """Read a set of several values; None where the text is none."""
    if not _looks_like_set(text):
        return None
    inside = text[1:-1]
    elements = list[str]()
    place = 0
    while place < len(inside):
        matched = ELEMENT.match(inside, place)
        if matched is None:
            return None
        elements.append(_unquoted(matched[1]))
        place = matched.end()
    return ValueSet(tuple(elements)) if len(elements) > 1 else None


def _looks_like_another(text: str) -> bool:
    return (
        text in ("", EVERYTHING)
        or text.startswith('"')
        or _looks_like_interval(text)
        or _looks_like_set(text)
    )


def _looks_like_interval(text: str) -> bool:
    return text.startswith("[") and text.endswith("]") and ", " in text


def _looks_like_set(text: str) -> bool:
    return text.startswith("{") and text.endswith("}") and ", " in text
