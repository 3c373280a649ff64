"""Screen: a result in a few lines that a layperson understands, as text and as a page of HTML.

    headline                the answer, in one line
    facts                   a title and a sentence each
    chart                   a line with a small bar for each column, attack or task
    ! notices               what the reader should know or do

Results of every room that have something to say (`Shown`) give a screen; doors print it. No line
holds the value of a cell. Texts are escaped in HTML, and lose what a terminal would carry out:
names of columns come from anyone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from shoal.groups import Note
from shoal.wording import PYTHON, Door, said

MOST_LINES = 15
MOST_BARS = 8
LONGEST_NAME = 36
LONGEST_NOTE = 150
ROUTINE = ("dropped", "understood", "coded", "values", "hierarchy", "unmeasured")
"""Kinds of notices that wait behind the others, and may be cut."""
# Colours of Okabe & Ito, which colour-blind people tell apart, on light and on dark pages.
COLOURS = ("#0072B2", "#56B4E9", "#D55E00")
GAP = "   "
TABLE = '<table style="color:inherit;background:none">'
"""The beginning of a table that has the colours of the page around it, be they dark or light."""

Draw = Callable[[Sequence[float]], str]
"""Draws shares in [0, 1] as one small bar."""


@dataclass(frozen=True)
class Bar:
    """A line of a chart: its name, up to three shares that are drawn, and what is written."""

    name: str
    shares: tuple[float, ...]
    texts: tuple[str, ...]
    marked: bool = False
    """Whether the reader should look here first."""


@dataclass(frozen=True)
class Chart:
    """Lines with a small bar each, under a line of titles."""

    title: str
    heads: tuple[str, ...]
    """A title for each text of a bar; texts without one stand to the left, others to the right."""
    bars: tuple[Bar, ...]

    def lines(self, draw: Draw | None = None) -> list[str]:
        """Write the chart in fixed places."""
        names = [f"  {short(bar.name)}" for bar in self.bars]
        drawn = draw if any(bar.shares for bar in self.bars) else None
        pictures = [f"  {drawn(bar.shares)}" if drawn else "" for bar in self.bars]
        wide = max(map(len, (self.title, *names)))
        gap = " " * max(map(len, pictures), default=0)
        columns = [self._column(place) for place in range(len(self.heads))]
        lines = [f"{self.title:<{wide}}{gap}{''.join(column[0] for column in columns)}".rstrip()]
        for place, bar in enumerate(self.bars):
            texts = "".join(column[1 + place] for column in columns)
            line = f"{names[place]:<{wide}}{pictures[place]}{texts}{'   !' * bar.marked}"
            lines.append(line.rstrip())
        return lines

    def _column(self, place: int) -> list[str]:
        """Align the texts at one place of all bars, below their title."""
        head = self.heads[place]
        texts = [head, *(bar.texts[place] for bar in self.bars)]
        wide = max(map(len, texts))
        return [GAP + (text.rjust(wide) if head else text.ljust(wide)) for text in texts]


@dataclass(frozen=True)
class Screen:
    """Everything that a short text for people holds."""

    headline: str
    facts: tuple[tuple[str, str], ...] = ()
    chart: Chart | None = None
    notices: tuple[str, ...] = ()
    sure: int = 1
    """How many of the facts are shown even where notices need their lines."""
    more: str = "as_dict()"
    """Where Python shows what has no room here."""

    def lines(
        self,
        door: Door = PYTHON,
        *,
        rest: str | None = None,
        taken: int = 0,
        draw: Draw | None = None,
    ) -> list[str]:
        """Write at most 15 lines with text, less those that a door has taken.

        `rest` says where the door shows what has no room here; `draw` draws small bars.
        """
        more = self.more if rest is None else rest
        chart = self.chart.lines(draw) if self.chart and self.chart.bars else []
        sure = self.facts[: self.sure]
        room = MOST_LINES - taken - 1 - len(sure) - len(chart)
        warned = _warned(_sorted(self), room, door, more)
        facts = self.facts[: len(sure) + max(room - len(warned), 0)]
        blocks = [[said(self.headline, door)], _aligned(facts, door), chart, warned]
        lines = [line for block in blocks if block for line in ("", *block)][1:]
        return [_printable(line) for line in lines]

    def page(self) -> str:
        """Write the same as HTML; colours of the page around it are kept, so dark ones stay dark.

        Nothing is loaded from anywhere.
        """
        facts = "".join(_row((title, said(words, PYTHON))) for title, words in self.facts)
        notices = "".join(f"<li>{escape(str(note))}</li>" for note in _sorted(self))
        return "".join(
            [
                f"<div><p><b>{escape(said(self.headline, PYTHON))}</b></p>",
                f"{TABLE}{facts}</table>" if facts else "",
                _charted(self.chart) if self.chart and self.chart.bars else "",
                f"<ul>{notices}</ul>" if notices else "",
                "</div>",
            ]
        )


class Shown:
    """A result that shows itself: as text in a terminal, as a small page in a notebook."""

    @property
    def screen(self) -> Screen:
        """The result in a few lines."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(self.screen.lines())

    def _repr_html_(self) -> str:
        """Show the result in a notebook."""
        return self.screen.page()


def of_hundred(share: float) -> str:
    """Say a share of people.

    >>> of_hundred(0.83), of_hundred(1.0), of_hundred(0.001), of_hundred(0.999), of_hundred(0.0)
    ('83 of 100 people', 'everyone', 'fewer than 1 of 100 people', 'all but a few people', 'nobody')
    """
    if share <= 0:
        return "nobody"
    if share >= 1:
        return "everyone"
    if share < 0.005:
        return "fewer than 1 of 100 people"
    return "all but a few people" if share >= 0.995 else f"{100 * share:.0f} of 100 people"


def stand_alone(share: float) -> str:
    """Say which share of people nobody looks like.

    >>> stand_alone(0.83), stand_alone(1.0)
    ('83 of 100 people stand alone', 'everyone stands alone')
    """
    whom = of_hundred(share)
    one = whom in ("nobody", "everyone")
    return f"{whom} stand{'s' * one} alone"


def one_in(chance: float) -> str:
    """Say a chance as one in a number that is never too large.

    >>> one_in(0.2), one_in(0.15), one_in(1.0)
    ('1 in 5', '1 in 6', '1 in 1')
    """
    return f"1 in {int(1 / chance + 1e-9):,}"


def percent(share: float | None) -> str:
    """Write a share for people; what is not quite nothing or everything is never written as that.

    >>> percent(0.617), percent(0.001), percent(0.9999), percent(0.0), percent(None)
    ('62 %', '<1 %', '>99 %', '-', '?')
    """
    if share is None:
        return "?"
    if share == 0:
        return "-"
    if share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def fine_percent(share: float) -> str:
    """Write a share whose first digits count, however small it is.

    >>> fine_percent(0.1234), fine_percent(0.00023), fine_percent(-0.03), fine_percent(1.0)
    ('12.3 %', '0.02 %', '-3 %', '100 %')
    """
    digits = f"{100 * share:.1g}" if 0 < abs(share) < 0.001 else f"{100 * share:.1f}"
    return f"{digits.removesuffix('.0')} %"


def listed(names: Sequence[str], most: int, more: str = "") -> str:
    """List names with commas, at most so many, and count the others.

    >>> listed(["age", "sex", "zip"], 3), listed(["age", "sex", "zip"], 2)
    ('age, sex, zip', 'age, sex and 1 more')
    """
    shown = ", ".join(names[:most])
    if len(names) <= most:
        return shown
    return f"{shown} and {len(names) - most:,} more{more}"


def short(name: str) -> str:
    """Cut a name that is too long for a line."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _sorted(screen: Screen) -> list[str]:
    """Put routine notices behind those that ask for something, dropped columns first of them."""

    def rank(note: str) -> tuple[bool, bool]:
        routine = isinstance(note, Note) and note.kind in ROUTINE
        return routine, routine and not _is_dropped(note)

    return sorted(screen.notices, key=rank)


def _is_dropped(note: str) -> bool:
    return isinstance(note, Note) and note.kind == "dropped"


def _aligned(rows: Sequence[tuple[str, str]], door: Door) -> list[str]:
    wide = max((len(title) for title, _ in rows), default=0)
    return [f"{title:<{wide}}{GAP}{said(words, door)}" for title, words in rows]


def _warned(notices: Sequence[str], room: int, door: Door, rest: str) -> list[str]:
    """Write warnings, one a line; where there is no room for all, the last line says how many."""
    lines = [f"! {_shortened(notice, door, rest)}" for notice in notices]
    if len(lines) <= room:
        return lines
    kept = max(room - 1, 0)
    more = f"{len(lines) - kept} more notices"
    if any(map(_is_dropped, notices[kept:])):
        more = f"{more}, dropped columns among them"
    return [*lines[:kept], f"! {more} ({rest})"]


def _shortened(notice: str, door: Door, rest: str) -> str:
    """Spell a notice for a door; long lists are cut, remedies never."""
    if not isinstance(notice, Note):
        return said(notice, door)
    text = said(notice.words, door)
    if notice.kind not in ROUTINE or len(text) <= LONGEST_NOTE:
        return text
    return f"{text[:LONGEST_NOTE]} ... ({rest})"


def _printable(line: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in line)


def _charted(chart: Chart) -> str:
    sides = ["left", "left", *("right" if head else "left" for head in chart.heads)]
    heads = [escape(head) for head in (chart.title, "", *chart.heads)]
    rows = [_cells(heads, sides, "th")]
    for bar in chart.bars:
        picture = _bar_page(bar.shares) if bar.shares else ""
        texts = [escape(text) for text in (*bar.texts, "!" * bar.marked)]
        rows.append(_cells([escape(bar.name), picture, *texts], [*sides, "left"], "td"))
    return f"{TABLE}{''.join(rows)}</table>"


def _row(texts: Sequence[str]) -> str:
    return _cells([escape(text) for text in texts], ["left"] * len(texts), "td")


def _cells(texts: Sequence[str], sides: Sequence[str], kind: str) -> str:
    """Write a line of a table; the texts are escaped already."""
    cells = [
        f'<{kind} style="text-align:{side};padding:0 .6em">{text}</{kind}>'
        for text, side in zip(texts, sides, strict=True)
    ]
    return f"<tr>{''.join(cells)}</tr>"


def _bar_page(shares: Sequence[float]) -> str:
    parts = "".join(
        f'<span style="width:{100 * share:.1f}%;background:{colour}"></span>'
        for share, colour in zip(shares, COLOURS, strict=False)
    )
    edge = "outline:1px solid rgba(128,128,128,.6)"
    return f'<span style="display:inline-flex;width:8em;height:.8em;{edge}">{parts}</span>'
