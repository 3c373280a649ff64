"""Verdict: one line that says whether a certificate is true of its release, and who signed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import PrivacyNotMet
from shoal.screen import Screen, Shown, listed
from shoal.wording import FILE, FOLDER, Blank, Option, Part, Sentence, Set

NAMED = 3  # differences that are told in the line; all stand in the list
SHORT = 40  # letters of a figure that is told in the line
THE_FILE = "the file itself"
NEEDS: dict[str, Part] = {
    "original": Set("original", FILE, "the original"),
    "hierarchies": Set("hierarchies", FOLDER, "the hierarchies"),
    "population": Set("population", FILE, "the population"),
    "file": THE_FILE,
}
UNSIGNED = "UNSIGNED"
MORE = "; and more"
HASHES = ("hash of the rows", "hash")  # of groups, and of other releases
KEY = Set("key", Blank("FILE.pub"))


Status = Literal["recounted", "differs", "stated", "not checkable"]
TITLES: dict[Status, str] = {
    "differs": "differ",
    "recounted": "counted again",
    "not checkable": "not checked",
    "stated": "only stated",
}
NAMES = 6  # statements that are named in a line
SPOKEN = {"withheld rows": "number of rows left out"}
"""Statements whose names in certificates are no words that every reader knows."""


@dataclass(frozen=True)
class Item:
    """One line of a certificate, and what became of it."""

    what: str
    status: Status
    stated: Any
    found: Any = None
    note: str = ""

    @classmethod
    def compared(cls, what: str, stated: Any, again: Any, *, same: bool) -> Item:
        """Return the item for a statement and what was counted again."""
        return cls(what, "recounted" if same else "differs", stated, again)


@dataclass(frozen=True, repr=False)
class Verification(Shown):
    """All items; `holds` where none differs."""

    items: tuple[Item, ...]
    signed_by: str | None = None
    """The name of the key that signed the release, if its signature was checked and holds."""
    signature_unchecked: bool = False
    """Whether a signature is there that nobody checked, as no key was given."""

    @property
    def holds(self) -> bool:
        """Whether everything that could be recounted agrees."""
        return all(item.status != "differs" for item in self.items)

    @property
    def notices(self) -> tuple[str, ...]:
        """The verdict where it must not be overlooked; nothing where all agree."""
        return () if self.holds else (verdict(self),)

    @property
    def screen(self) -> Screen:
        """The verdict, and which statements it is about."""
        return Screen(verdict(self), tuple(_listed(self)), sure=len(TITLES), more=".items")

    def require(self) -> Verification:
        """Itself, or a refusal that names what differs."""
        wrong = [item.what for item in self.items if item.status == "differs"]
        if wrong:
            raise PrivacyNotMet(
                f"the release does not match its certificate: {len(wrong)} of {len(self.items)} "
                "items differ",
                {"differ": ", ".join(wrong)},
                "ask whoever made the release for the pair that belongs together",
            )
        return self


def verdict(verification: Verification) -> Sentence:
    """Say in one line what became of a certificate's statements, and of its signature.

    >>> print(verdict(Verification((Item("rows", "recounted", 9, 9),))))
    verified: all 1 statements hold. UNSIGNED.
    """
    return Sentence(_counted(verification), " ", signed(verification), ".")


def signed(verification: Verification) -> Sentence:
    """Say whether a release is signed, as far as that was checked."""
    if verification.signed_by is not None:
        return Sentence(f"Signed by key {verification.signed_by[:16]}")
    if verification.signature_unchecked:
        return Sentence(f"{UNSIGNED}: there is a signature, and it is checked with ", KEY)
    return Sentence(UNSIGNED)


def _counted(verification: Verification) -> Sentence:
    items = verification.items
    counts = Counter(item.status for item in items)
    checked = counts["recounted"] + counts["differs"]
    if not verification.holds:
        wrong = [item for item in items if item.status == "differs"]
        named = "; ".join(_difference(item) for item in wrong[:NAMED])
        differ = f"{len(wrong)} of {checked} statements differ"
        return Sentence(f"NOT verified: {differ}: {named}{MORE * (len(wrong) > NAMED)}.")
    stated = []
    if counts["stated"]:
        stated.append(f" Stated only: {counts['stated']}.")
    return Sentence(f"verified: all {checked} statements hold.", *_needed(items), *stated)


def _needed(items: tuple[Item, ...]) -> list[Part]:
    """List how many statements need something that was not given, by what it is."""
    lacking = Counter(_need(item) for item in items if item.status == "not checkable")
    parts: list[Part] = []
    for name, thing in NEEDS.items():
        if count := lacking[name]:
            verb = "needs" if count == 1 else "need"
            parts += [f" {count} more {verb} ", thing, "."]
    if count := lacking[None]:
        parts.append(f" {count} can't be checked.")
    return parts


def _need(item: Item) -> str | None:
    """Return the name of what an item can't be checked without; None if nothing would help."""
    if THE_FILE in str(item.note):
        return "file"
    parts = Sentence(item.note).parts
    options = [part.option for part in parts if isinstance(part, Set)]
    options += [part.name for part in parts if isinstance(part, Option)]
    return next((name for name in options if name in NEEDS), None)


def _difference(item: Item) -> str:
    """Say one difference: the figures where they are short, else that it differs."""
    if item.what in HASHES:
        return "rows are not those of the certificate"
    figures = (item.found, item.stated)
    if all(isinstance(one, int | float | str) and len(str(one)) <= SHORT for one in figures):
        return f"{item.what} is {_figure(item.found)} (stated: {_figure(item.stated)})"
    return f"{item.what}: {item.note or 'it differs'}"


def _listed(verification: Verification) -> list[tuple[str, str]]:
    """List statements by what became of them, differences first and one a line."""
    by_status = {
        status: [item for item in verification.items if item.status == status] for status in TITLES
    }
    wrong = by_status.pop("differs")
    lines = [(TITLES["differs"], _difference(item)) for item in wrong[:NAMED]]
    if len(wrong) > NAMED:
        others = [item.what for item in wrong[NAMED:]]
        lines.append((TITLES["differs"], listed(others, NAMES)))
    for status, title in list(TITLES.items())[1:]:
        if items := by_status[status]:
            lines.append((f"{title}: {len(items)}", listed(_names(items), NAMES)))
    return lines


def _names(items: Sequence[Item]) -> list[str]:
    """Name statements; short figures stand beside their names."""
    return [_named(item) for item in items]


def _named(item: Item) -> str:
    name = SPOKEN.get(item.what, item.what)
    counted = item.status == "recounted" and type(item.stated) is int
    return f"{name} {item.stated:,}" if counted else name


def _figure(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
