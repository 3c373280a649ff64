"""Summary page: a release in a few lines of HTML, for notebooks; nothing is loaded from anywhere.

Every text is escaped: names of columns come from anyone.
"""

from __future__ import annotations

from html import escape

from shoal.review.release_summary import MOST_COLUMNS, ReleaseSummary
from shoal.review.what_is_left import ColumnLeft, percent

# Colours of Okabe & Ito, which colour-blind people tell apart.
EXACT = "#0072B2"
WIDENED = "#56B4E9"
LOST = "#D55E00"


def summary_page(summary: ReleaseSummary) -> str:
    """Write a summary as HTML, with a bar for each column."""
    risks = [
        f"<tr><td>{escape(title)}</td><td>{escape(text)}</td></tr>" for title, text in summary.risks
    ]
    notices = [f"<li>{escape(notice)}</li>" for notice in summary.notices]
    shown = summary.columns.worst(MOST_COLUMNS)
    return "".join(
        [
            f"<div><p><b>{escape(summary.headline)}</b></p>",
            f"<table>{''.join(risks)}</table>" if risks else "",
            _columns(shown, len(summary.columns)) if shown else "",
            f"<ul>{''.join(notices)}</ul>" if notices else "",
            "</div>",
        ]
    )


def _columns(shown: list[ColumnLeft], every: int) -> str:
    rows = "".join(_row(column) for column in shown)
    more = f"<p>the worst {len(shown)} of {every} columns</p>" if len(shown) < every else ""
    titles = "".join(f"<th>{each}</th>" for each in ("", "", "exact", "widened", "", "lost"))
    return f"{more}<table><tr>{titles}</tr>{rows}</table>"


def _row(column: ColumnLeft) -> str:
    widened = percent(column.widened)
    texts = (percent(column.exact), widened, column.typical_said, percent(column.lost))
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts)
    return f"<tr><td>{escape(column.name)}</td><td>{_bar(column)}</td>{cells}</tr>"


def _bar(column: ColumnLeft) -> str:
    shares = ((column.exact, EXACT), (column.widened, WIDENED), (column.lost, LOST))
    parts = "".join(
        f'<span style="width:{100 * (share or 0):.1f}%;background:{colour}"></span>'
        for share, colour in shares
    )
    return f'<span style="display:inline-flex;width:8em;height:.8em">{parts}</span>'
