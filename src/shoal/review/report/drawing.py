"""Drawing: writes bars as SVG inside a page.

No script, no font and no colour of its own: the page's style decides.

Bars lie on their side, so that names of any length can stand before them; the first of two series
is hollow and the second solid, which survives a printer without colours.
"""

from __future__ import annotations

from html import escape

from shoal.review.report.document import Bars, shown

# of the drawing, of the labels before the bars, of the figures behind them
WIDTH = 680
NAMES = 250
FIGURES = 64
BAR = 12
GAP = 9
TOP = 26
LONGEST = 36  # characters of a label


def drawn(bars: Bars) -> str:
    """Write the bars as one SVG element."""
    step = BAR * len(bars.series) + GAP
    height = TOP + step * len(bars.labels)
    every = [value or 0.0 for values in bars.values for value in values]
    longest = bars.full or max(every, default=0.0) or 1.0
    opened = f'<svg class="bars" viewBox="0 0 {WIDTH} {height}" role="img" '
    opened += f'aria-label="{text(bars.title)}">'
    axis = f'<line class="axis" x1="{NAMES}" y1="{TOP - 4}" x2="{NAMES}" y2="{height - 2}"></line>'
    parts = [opened, _legend(bars), axis]
    for place, (label, values) in enumerate(zip(bars.labels, bars.values, strict=True)):
        parts.append(_row(label, values, TOP + place * step, longest))
    return "".join([*parts, "</svg>"])


def _legend(bars: Bars) -> str:
    parts = []
    x = NAMES
    for name, look in zip(bars.series, _looks(len(bars.series)), strict=True):
        parts.append(f'<rect class="{look}" x="{x}" y="4.5" width="11" height="11"></rect>')
        parts.append(f'<text x="{x + 17}" y="14">{text(name)}</text>')
        x += 40 + 7 * len(name)
    return "".join(parts)


def _row(label: str, values: tuple[float | None, ...], top: int, longest: float) -> str:
    """Draw the bars of one label, and its name before them."""
    short = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    middle = top + BAR * len(values) / 2 + 4
    titled = f"<title>{text(label)}</title>{text(short)}"
    parts = [f'<text class="name" x="{NAMES - 8}" y="{middle:g}">{titled}</text>']
    for place, (value, look) in enumerate(zip(values, _looks(len(values)), strict=True)):
        y = top + place * BAR
        if value is not None:
            wide = max(0.0, min(value / longest, 1.0)) * (WIDTH - NAMES - FIGURES)
            parts.append(
                f'<rect class="{look}" x="{NAMES}" y="{y + 1}" width="{wide:.1f}" '
                f'height="{BAR - 2}"></rect>'
            )
        at = NAMES + (wide if value is not None else 0) + 6
        figure = text(shown(value))
        parts.append(f'<text class="figure" x="{at:.1f}" y="{y + BAR - 2}">{figure}</text>')
    return "".join(parts)


def _looks(series: int) -> tuple[str, ...]:
    return ("before", "after") if series == 2 else ("after",) * series


def text(words: str) -> str:
    """Escape a text for a page, without characters that a page can't hold."""
    return escape("".join(mark if mark.isprintable() else " " for mark in words))
