"""Markdown: writes a report as text; bars become tables.

Names and cells are escaped, so that none of them is markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.review.report.document import (
    Bars,
    Command,
    FigureTable,
    Part,
    Report,
    Sentences,
    Text,
    Tiles,
    shown,
)

MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$])")


def as_markdown(report: Report) -> str:
    """Write the whole document."""
    lines = [f"# {escaped(report.title)}", f"**{escaped(report.mark)}.** {escaped(report.readers)}"]
    for section in report.sections:
        lines += [f"## {escaped(section.title)}", *map(_part, section.parts)]
    return "\n\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Escape a text, so that it reads as itself, in one line."""
    return MARKUP.sub(r"\\\1", " ".join(text.split()))


def _part(part: Part) -> str:
    match part:
        case Text(words):
            return escaped(words)
        case Sentences(items):
            return "\n".join(f"- {escaped(item)}" for item in items)
        case Command(words):
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", words)), default=0))
            return f"{fence}\n{words}\n{fence}"
        case Tiles(items):
            return _table(("", ""), items)
        case FigureTable(columns, rows):
            return _table(columns, [[shown(entry) for entry in row] for row in rows])
        case Bars():
            bars = [
                [label, *map(shown, values)]
                for label, values in zip(part.labels, part.values, strict=True)
            ]
            return f"### {escaped(part.title)}\n\n" + _table(("", *part.series), bars)


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns)]
    texts = ["| " + " | ".join(map(escaped, columns)) + " |", "|" + "|".join(lines[1]) + "|"]
    return "\n".join([*texts, *("| " + " | ".join(map(escaped, row)) + " |" for row in rows)])
