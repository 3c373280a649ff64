"""Release summary: a release in a few lines that a layperson understands, for every door.

People, groups, the risk of being found before and after, what is left of each column, and
warnings. No line holds a value of a cell. A door says how many lines it has, and adds its own
about files and commands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shoal.groups import Note
from shoal.review.certificate_format import GroupsCertificate, OverlapCertificate
from shoal.review.risks.risk import Figure
from shoal.review.what_is_left import ColumnLeft, ColumnsLeft, percent
from shoal.wording import PYTHON, Door, Remedy, Sentence, Set, said

MOST_LINES = 15
MOST_COLUMNS = 8
MOST_GUESSES = 2
LONGEST_NAME = 28
LONGEST_NOTE = 150
ROUTINE = ("dropped", "understood", "coded", "values", "hierarchy", "unmeasured")
"""Kinds of notices that wait behind the others, and may be cut."""

Drawn = Callable[[ColumnLeft], str]


@dataclass(frozen=True)
class ReleaseSummary:
    """Everything about a release that a short text for people holds."""

    headline: str
    risks: tuple[tuple[str, str], ...]
    """Sentences about finding a person and guessing a value, each with its title."""
    columns: ColumnsLeft
    notices: tuple[Note, ...]

    def lines(
        self, door: Door = PYTHON, *, rest: str, taken: int = 0, bar: Drawn | None = None
    ) -> list[str]:
        """Write the summary in at most 15 lines with text, less those that a door has taken.

        `rest` says where the door shows what has no room here; `bar` draws a column's shares.
        """
        shown = self.columns.worst(MOST_COLUMNS)
        room = MOST_LINES - taken - 2 - bool(shown) - len(shown)  # headline, finding, header
        urgent = sorted(self.notices, key=lambda note: note.kind in ROUTINE)
        warned = _warned([_shortened(note, door, rest) for note in urgent], room, rest)
        guesses = max(min(room - len(warned), MOST_GUESSES), 0)
        blocks = [
            [self.headline],
            _aligned(self.risks[: 1 + guesses]),
            _table(shown, len(self.columns), bar),
            warned,
        ]
        filled = [block for block in blocks if block]
        lines = [line for block in filled for line in ("", *block)][1:]
        return [_printable(line) for line in lines]


def summary_of(
    public: GroupsCertificate | OverlapCertificate,
    withheld: int,
    risks: Mapping[str, Mapping[str, Figure]],
    columns: ColumnsLeft,
    notices: Sequence[Note],
) -> ReleaseSummary:
    """Sum a release up, for its maker alone: risks before and rows left out are not published."""
    return ReleaseSummary(
        _headline(public, withheld), tuple(_risks_said(risks)), columns, tuple(notices)
    )


def lost_notes(columns: ColumnsLeft, k: int, importance: Mapping[str, float]) -> tuple[Note, ...]:
    """Warn about each column that is lost for most people, with the remedies that would save it.

    >>> lost = ColumnLeft("job", exact=0.2, widened=0.2, lost=0.6)
    >>> print(*lost_notes(ColumnsLeft([lost]), 10, {}))
    'job' is lost (*) for 60 % of the people; to keep more of it: importance={"job": 3}, or k=5
    """
    return tuple(
        Note("lost", _lost_said(column, k, importance.get(column.name, 1)))
        for column in columns.values()
        if column.is_mostly_lost
    )


def _lost_said(column: ColumnLeft, k: int, importance: float) -> Sentence:
    heavier = Set("importance", {column.name: 3 * importance}, "give it more weight")
    fewer = [Set("k", max(k // 2, 2), "ask for smaller groups")] if k > 2 else []
    problem = f"'{column.name}' is lost (*) for {percent(column.lost)} of the people"
    return Sentence(problem, "; to keep more of it: ", Remedy(heavier, *fewer))


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


def _headline(public: GroupsCertificate | OverlapCertificate, withheld: int) -> str:
    left = f"{withheld:,} left out." if withheld else "Nobody left out."
    if isinstance(public, OverlapCertificate):
        boxes = f"{public.rows:,} people released, each in a box of intervals of their own"
        return f"{boxes}; promised: {public.promise}. {left}"
    groups = f"{public.groups:,} group{'' if public.groups == 1 else 's'}"
    whom = "rows" if isinstance(public.persons, str) else "people"
    return f"{public.rows:,} {whom} released in {groups} of at least {public.k:,}. {left}"


def _risks_said(risks: Mapping[str, Mapping[str, Figure]]) -> list[tuple[str, str]]:
    before = risks.get("before", {})
    after = risks.get("after", {})
    highest = after.get("highest-prosecutor-risk")
    if not isinstance(highest, int | float):
        return []
    now = f"now: at most 1 in {math.floor(1 / highest + 1e-9):,}"
    alone = before.get("sample-uniqueness")
    if isinstance(alone, int | float):
        now = f"before: {of_hundred(alone)} stood alone     {now}"
    return [("finding a person", now), *_guesses_said(after)]


def _guesses_said(after: Mapping[str, Figure]) -> list[tuple[str, str]]:
    """Say how often the most frequent value of a group is right, beside that of the whole table."""
    right = after.get("best-guess")
    gained = after.get("attribute-disclosure")
    if not isinstance(right, Mapping) or not isinstance(gained, Mapping):
        return []
    lines = []
    for name, share in right.items():
        more = gained.get(name)
        if share is not None and more is not None:
            without = of_hundred(share - more).removesuffix(" people")
            words = f"right for {of_hundred(share)}; {without} without this table"
            lines.append((f"guessing '{_short(name)}'", words))
    return lines


def _aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    wide = max((len(title) for title, _ in rows), default=0)
    return [f"{title:<{wide}}   {words}" for title, words in rows]


def _table(shown: Sequence[ColumnLeft], every: int, bar: Drawn | None) -> list[str]:
    """Write a line for each column, in fixed places, under a line of titles."""
    if not shown:
        return []
    title = "your columns"
    if len(shown) < every:
        title = f"the worst {len(shown)} of {every} columns"
    wide = max(len(title), *(len(_short(column.name)) + 2 for column in shown))
    widths = [each.typical_said for each in shown]
    room = max(map(len, widths))
    drawn = [f"  {bar(each)}" if bar else "" for each in shown]
    gap = " " * len(drawn[0])
    lines = [f"{title:<{wide}}{gap}   exact  widened  {'':<{room}}   lost"]
    for column, width, picture in zip(shown, widths, drawn, strict=True):
        exact = percent(column.exact)
        widened = percent(column.widened)
        mark = "   !" if column.is_mostly_lost else ""
        name = f"  {_short(column.name)}"
        lines.append(
            f"{name:<{wide}}{picture}{exact:>8}{widened:>9}  {width:<{room}}"
            f"{percent(column.lost):>7}{mark}"
        )
    return lines


def _warned(notices: Sequence[str], room: int, rest: str) -> list[str]:
    """Write warnings, one a line; where there is no room for all, the last line says how many."""
    lines = [f"! {notice}" for notice in notices]
    if len(lines) <= room:
        return lines
    kept = lines[: max(room - 1, 0)]
    return [*kept, f"! {len(lines) - len(kept)} more notices ({rest})"]


def _shortened(note: Note, door: Door, rest: str) -> str:
    """Spell a notice for a door; long lists are cut, remedies never."""
    text = said(note.words, door)
    if note.kind not in ROUTINE or len(text) <= LONGEST_NOTE:
        return text
    return f"{text[:LONGEST_NOTE]} ... ({rest})"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def _printable(line: str) -> str:
    """Replace characters that a terminal would carry out: names of columns come from anyone."""
    return "".join(sign if sign.isprintable() else "?" for sign in line)
