"""HTML: writes a report as one page that needs no network, no script and no font.

The page can be printed, and follows the reader's choice of light or dark.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.review.report.document import (
    Bars,
    Command,
    Entry,
    FigureTable,
    Part,
    Report,
    Section,
    Sentences,
    Text,
    Tiles,
    shown,
)
from shoal.review.report.drawing import drawn, text
from shoal.review.report.style import STYLE

# a browser that obeys loads nothing, whatever the page says
NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"


def as_html(report: Report) -> str:
    """Write the whole page."""
    links = "".join(
        f'<li><a href="#{section.anchor}">{text(section.title)}</a></li>'
        for section in report.sections
    )
    sections = "".join(map(_section, report.sections))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_ELSE}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(report.title)}: {text(report.mark.lower())}</title>\n"
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<header><h1>{text(report.title)}</h1><p>"
        f'<strong class="mark">{text(report.mark)}</strong> {text(report.readers)}</p></header>\n'
        f"<nav><ol>{links}</ol></nav>\n"
        f"<main>\n{sections}</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    parts = "\n".join(map(_part, section.parts))
    return f'<section id="{section.anchor}">\n<h2>{text(section.title)}</h2>\n{parts}\n</section>\n'


def _part(part: Part) -> str:
    match part:
        case Text(words):
            return f"<p>{text(words)}</p>"
        case Sentences(items):
            return "<ul>" + "".join(f"<li>{text(item)}</li>" for item in items) + "</ul>"
        case Command(words):
            return f"<pre><code>{text(words)}</code></pre>"
        case Tiles(items):
            tiles = (
                f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in items
            )
            return f'<dl class="tiles">{"".join(tiles)}</dl>'
        case FigureTable(columns, rows):
            return _table(columns, rows)
        case Bars():
            return f"<figure><figcaption>{text(part.title)}</figcaption>{drawn(part)}</figure>"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Entry]]) -> str:
    right = [
        any(isinstance(row[place], int | float) for row in rows) for place in range(len(columns))
    ]
    head = "".join(
        f"<th{_side(aside)}>{text(name)}</th>" for name, aside in zip(columns, right, strict=True)
    )
    body = "".join(_body_row(row, right) for row in rows)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _body_row(row: Sequence[Entry], right: Sequence[bool]) -> str:
    cells = (
        f"<td{_side(aside)}>{text(shown(entry))}</td>"
        for entry, aside in zip(row, right, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _side(right: bool) -> str:
    return ' class="right"' if right else ""
