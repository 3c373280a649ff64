"""Document: holds a report as plain data.

A writer knows these parts, and nothing of releases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

Entry = str | int | float | None
SMALL = 0.0001  # below it, one digit that counts says enough


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    words: str


@dataclass(frozen=True)
class Sentences:
    """Sentences, one below the other."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Command:
    """Something to type."""

    words: str


@dataclass(frozen=True)
class Tiles:
    """The few figures that are read first, each with its name."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class FigureTable:
    """Rows of texts and figures below the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True)
class Bars:
    """A bar for each label and series.

    `full` is the length of the longest possible bar; None where there is no such.
    """

    title: str
    series: tuple[str, ...]
    labels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]  # for each label, one of each series
    full: float | None = None


Part = Text | Sentences | Command | Tiles | FigureTable | Bars


@dataclass(frozen=True)
class Section:
    """Parts under a title."""

    title: str
    parts: tuple[Part, ...]

    @property
    def anchor(self) -> str:
        """Return the title as a link has it."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class Report:
    """A title, who may read it, and the sections."""

    title: str
    mark: str
    readers: str
    sections: tuple[Section, ...]


def shown(value: Entry) -> str:
    """Write an entry as people read it: at most three significant digits, no power of ten.

    >>> shown(0.25), shown(0.0000331), shown(12345), shown(None)
    ('0.25', '0.00003', '12,345', '-')
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and abs(value) >= 1):
        return f"{int(value):,}"
    if abs(value) >= 1000 or not math.isfinite(value):
        return f"{value:,.1f}"
    if abs(value) >= SMALL or not value:
        return f"{value:.3g}"
    return f"{float(f'{value:.1g}'):.12f}".rstrip("0").rstrip(".")
