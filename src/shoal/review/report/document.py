"""Document: a report as plain data. A writer knows these parts, and nothing of releases."""

from __future__ import annotations

import math
from dataclasses import dataclass

Entry = str | int | float | None


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    words: str


@dataclass(frozen=True)
class Points:
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
class Table:
    """Rows of texts and figures below the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True)
class Bars:
    """A bar for each label and series. `full` is the length of the longest possible bar; None where there is no such."""

    title: str
    series: tuple[str, ...]
    labels: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]  # for each label, one of each series
    full: float | None = None


Part = Text | Points | Command | Tiles | Table | Bars


@dataclass(frozen=True)
class Section:
    """Parts under a title."""

    title: str
    parts: tuple[Part, ...]

    @property
    def anchor(self) -> str:
        """Its title as a link has it."""
        return self.title.lower().replace(" ", "-")


@dataclass(frozen=True)
class Report:
    """A title, who may read it, and the sections."""

    title: str
    mark: str
    readers: str
    sections: tuple[Section, ...]


def shown(value: Entry) -> str:
    """An entry as people read it."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and abs(value) >= 1):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.3g}"
