"""Release summary: a release in a few lines that a layperson understands, for every door.

People, groups, the risk of being found before and after, what is left of each column, and
warnings. No line holds a value of a cell. A door says how many lines it has, and adds its own
about files and commands (`screen` writes text and HTML).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from shoal.groups import Note
from shoal.review.certificate_format import (
    GroupsCertificate,
    GroupsPrivate,
    OverlapCertificate,
    OverlapPrivate,
)
from shoal.review.risks.risk import Figure
from shoal.review.what_is_left import ColumnLeft, ColumnsLeft
from shoal.screen import MOST_BARS, Bar, Chart, Screen, of_hundred, one_in, percent, short
from shoal.wording import Remedy, Sentence, Set

MOST_GUESSES = 2


@dataclass(frozen=True)
class ReleaseSummary:
    """Everything about a release that a short text for people holds."""

    headline: str
    risks: tuple[tuple[str, str], ...]
    """Sentences about finding a person and guessing a value, each with its title."""
    columns: ColumnsLeft
    notices: tuple[Note, ...]
    together: tuple[tuple[str, str], ...] = ()
    """A sentence about this release and earlier ones, where there is a ledger."""

    @property
    def screen(self) -> Screen:
        """The summary as a screen for any door."""
        return Screen(
            self.headline,
            (*self.risks[: 1 + MOST_GUESSES], *self.together),
            _chart(self.columns),
            self.notices,
            more="release.notices",
        )


def summary_of(
    public: GroupsCertificate | OverlapCertificate,
    private: GroupsPrivate | OverlapPrivate,
    risks: Mapping[str, Mapping[str, Figure]],
    columns: ColumnsLeft,
    notices: Sequence[Note],
) -> ReleaseSummary:
    """Sum a release up, for its maker alone: risks before and rows left out are not published."""
    return ReleaseSummary(
        _headline(public, private),
        tuple(risks_said(risks, _least_people(public))),
        columns,
        tuple(notices),
        tuple(_together(private)),
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


def _headline(
    public: GroupsCertificate | OverlapCertificate, private: GroupsPrivate | OverlapPrivate
) -> str:
    people = private.people if isinstance(private, GroupsPrivate) else UNSET
    out = f"{private.withheld:,}{'' if people is UNSET else ' rows'} left out."
    left = out if private.withheld else "Nobody left out."
    if isinstance(public, OverlapCertificate):
        boxes = f"{public.rows:,} people released, each in a box of intervals of their own"
        return f"{boxes}; promised: {public.promise}. {left}"
    groups = f"{public.groups:,} group{'' if public.groups == 1 else 's'}"
    if people is UNSET:
        return f"{public.rows:,} people released in {groups} of at least {public.k:,}. {left}"
    # The k of the certificate counts rows; that of the recipe counts people.
    whom = f"{people:,} people ({public.rows:,} rows)"
    return f"{whom} released in {groups} of at least {public.recipe['k']:,} people. {left}"


def _together(private: GroupsPrivate | OverlapPrivate) -> list[tuple[str, str]]:
    """Say what the release tells together with earlier ones."""
    if isinstance(private, OverlapPrivate) or isinstance(private.across, UnsetType):
        return []
    across = private.across
    if not across.releases:
        return [("several releases", "none in the ledger yet; this one is written down")]
    few = across.below or across.newcomers_few or across.leavers_few
    if few:
        words = f"{across.below:,} people share all groups with too few others"
        moved = f"{across.newcomers_few:,} joined and {across.leavers_few:,} left with too few"
        return [(_beside(across.releases), f"{words}; {moved}   !")]
    waiting = f"; {across.waiting:,} wait to be published" if across.waiting else ""
    words = f"everybody shares all groups with at least {across.k:,} people{waiting}"
    return [(_beside(across.releases), words)]


def _beside(releases: int) -> str:
    return f"with {releases:,} earlier release{'' if releases == 1 else 's'}"


def _least_people(public: GroupsCertificate | OverlapCertificate) -> int | None:
    """Give the least number of people in a group, where several rows may be about one person."""
    several = isinstance(public, GroupsCertificate) and public.persons is not UNSET
    return public.recipe["k"] if several else None


def risks_said(
    risks: Mapping[str, Mapping[str, Figure]], least_people: int | None = None
) -> list[tuple[str, str]]:
    """Say how a person is found, before and now, and how sensitive values are guessed.

    Risks count rows. Where people have several, a group of six rows may hold five people.
    """
    before = risks.get("before", {})
    after = risks.get("after", {})
    highest = after.get("highest-prosecutor-risk")
    if not isinstance(highest, int | float):
        return []
    if least_people is not None:
        highest = max(highest, 1 / least_people)
    now = f"now: at most {one_in(highest)}"
    alone = before.get("sample-uniqueness")
    if isinstance(alone, int | float):
        now = f"before: {of_hundred(alone)} stood alone     {now}"
    return [("finding a person", now), *guesses_said(after)]


def guesses_said(after: Mapping[str, Figure]) -> list[tuple[str, str]]:
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
            lines.append((f"guessing '{short(name)}'", words))
    return lines


def _chart(columns: ColumnsLeft) -> Chart:
    """Draw exact, widened and lost shares of each column, of many those that lost most."""
    shown = columns.worst(MOST_BARS)
    title = "your columns"
    if len(shown) < len(columns):
        title = f"the worst {len(shown)} of {len(columns)} columns"
    heads = ("exact", "widened", "", "lost")
    return Chart(title, heads, tuple(_bar(column) for column in shown))


def _bar(column: ColumnLeft) -> Bar:
    shares = (column.exact or 0.0, column.widened or 0.0, column.lost or 0.0)
    widened = percent(column.widened)
    texts = (percent(column.exact), widened, column.typical_said, percent(column.lost))
    return Bar(column.name, shares, texts, column.is_mostly_lost)
