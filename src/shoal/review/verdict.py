"""Verdict: one line that says whether a certificate is true of its release, and who signed it."""

from __future__ import annotations

from collections import Counter

from shoal.review.certificate_check import Item, Verification
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
        return f"{item.what} is {item.found} (stated: {item.stated})"
    return f"{item.what}: {item.note or 'it differs'}"
