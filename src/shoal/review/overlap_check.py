"""Overlapping: a release in which rows have their own boxes, against its certificate, later.

Rows, columns, hash and published losses are recounted from the release alone. How well people are
hidden can be recounted with the original. Format 1 also states counts of the people hidden worst,
the likeliest link and what attacks found; in format 2 they are private, as they follow from the
original.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.overlap.concealment import Concealment
from shoal.review.certificate import not_promised as unpromised
from shoal.review.certificate_check import OTHER_VERSION
from shoal.review.certificate_format import HiddenCounts
from shoal.review.certificate_format_1 import OverlapCertificate1
from shoal.review.certificate_reading import AnyOverlap
from shoal.review.fingerprint import fingerprint
from shoal.review.identifiers import stated as stated_warnings
from shoal.review.verdict import Item, Verification

AS_PUBLISHED = (
    "Published as the paper has it, without repair: people are not hidden among k.",
    "Some people may be fitted by fewer than k published rows, and have fewer than k possible "
    "matches.",
    "Distributions over neighbourhoods that overlap can be solved for people's values, and no "
    "attack was asked to fail.",
)
RECOGNISED = (
    "Rows can be recognised by who knows the method and all quasi-identifiers: what noise "
    "protects are sensitive values, for "
    "each column with its own epsilon; which values there are comes from the data."
)
MATCHES = (
    "Possible matches need not be equally likely: a link of a person and a row may have a chance "
    "far above one in k, and "
    "more for someone who knows how the other columns go with the quasi-identifiers."
)


@dataclass(frozen=True)
class ToBeSaid:
    """Statements that follow from a recipe and its release, and that a certificate must hold."""

    promise: str
    """The promise that the method of the recipe keeps."""
    attacks: Sequence[str] | None = None
    """Attacks that the recipe asks for; None for certificates of other versions."""
    nearly_unique: Sequence[str] = ()
    """Sensitive columns of which most rows have a value of their own."""


def not_promised(recipe: Mapping[str, Any], nearly_unique: Sequence[str]) -> list[str]:
    """List what a reader of the release must not think, by the recipe and nearly unique columns."""
    warnings = stated_warnings(nearly_unique)
    if recipe.get("as_published"):
        return [*AS_PUBLISHED, *unpromised(recipe), *warnings]
    recognised = [RECOGNISED] if "values=noisy" in recipe["method"] else []
    return [MATCHES, *recognised, *unpromised(recipe), *warnings]


def counted(counts: Concealment) -> HiddenCounts:
    """State the fewest of each count, and how many people have fewer possible matches than k."""
    return HiddenCounts(
        covered=counts.covered,
        covering=counts.covering,
        matches=counts.matches,
        matches_below=counts.matches_below,
        covering_below=counts.covering_below,
    )


def verify(
    table: pa.Table,
    said: AnyOverlap,
    losses: Mapping[str, float | None] | None,
    counts: Concealment | None,
    lacking: str,
    wanted: ToBeSaid,
) -> Verification:
    """Check each item of the certificate: recounted, only stated, or not checkable.

    `lacking` says without what some are not checkable, `wanted` what must be stated.
    """
    beside = (*said.columns.sensitive, *said.columns.kept)
    columns = (sorted(said.columns.published), sorted(without_values(table.column_names, beside)))
    hidden = counted(counts).as_dict() if counts else {}
    return Verification(
        (
            _item("rows", said.rows, table.num_rows),
            _item("columns", *columns),
            _item("hash", said.hash, fingerprint(table)),
            _item("k", said.recipe.get("k"), said.k),
            *(_loss(name, told, losses, lacking) for name, told in said.losses.items()),
            *(
                Item(name, "differs", None, note="the certificate leaves it out")
                for name in losses or ()
                if name not in said.losses
            ),
            *_hidden_as_in_format_1(said, hidden, lacking),
            _promise(said, counts, lacking, wanted.promise),
            *_said_beside(said, wanted),
            Item("version of Shoal", "stated", said.shoal or None),
            Item("recipe", "stated", said.recipe),
            Item("dropped columns", "stated", said.columns.dropped),
        )
    )


def _hidden_as_in_format_1(said: AnyOverlap, hidden: Mapping[str, int], lacking: str) -> list[Item]:
    """Recount how people are hidden, where the certificate states it."""
    if not isinstance(said, OverlapCertificate1):
        return []
    stated = said.concealment.as_dict()
    return [_hidden(name, told, hidden, lacking) for name, told in stated.items()]


def _said_beside(said: AnyOverlap, wanted: ToBeSaid) -> list[Item]:
    """Check what recipe and release tell; format 1 states figures of the original."""
    if isinstance(said, OverlapCertificate1):
        link = Item("link", "stated", said.link.largest)
        return [link, Item("attacks", "stated", len(said.attacks))]
    attacks = wanted.attacks
    expected = not_promised(said.recipe, wanted.nearly_unique)
    told = Item("attacks", "not checkable", said.attacks, note=OTHER_VERSION)
    if attacks is not None:
        same = said.attacks == list(attacks)
        told = Item("attacks", "stated" if same else "differs", said.attacks, attacks)
    return [told, _item("what is not promised", said.not_promised, expected)]


def without_values(names: Sequence[str], beside: Sequence[str]) -> list[str]:
    """Name published columns, those of a distribution as one: their names hold values of the table.

    >>> without_values(["age", "ill=cold", "ill=flu", "ward"], ["ill", "ward"])
    ['age', 'ill=<value>', 'ward']
    """
    spread = [name for name in beside if name not in names]
    told = (
        next((f"{of}=<value>" for of in spread if name.startswith(f"{of}=")), name)
        for name in names
    )
    return list(dict.fromkeys(told))


def _promise(said: AnyOverlap, counts: Concealment | None, lacking: str, asked: str) -> Item:
    """Compare the promise with that of the recipe's method, and recount it from the original."""
    if said.promise != asked:
        return Item("promise", "differs", said.promise, asked)
    if counts is None:
        return Item("promise", "not checkable", said.promise, note=lacking)
    kept = counts.reaches(said.promise)
    return Item(
        "promise",
        "recounted" if kept else "differs",
        said.promise,
        said.promise if kept else "not kept",
    )


def _hidden(name: str, told: int | None, hidden: Mapping[str, int], lacking: str) -> Item:
    if hidden:
        return _item(name, told, hidden[name])
    return Item(name, "not checkable", told, note=lacking)


def _loss(
    name: str, told: float | None, losses: Mapping[str, float | None] | None, lacking: str
) -> Item:
    if losses is None:
        return Item(name, "not checkable", told, note=lacking)
    if name not in losses:
        return Item(name, "differs", told, note="this version of Shoal measures no such figure")
    again = losses.get(name)
    same = told == again or (
        told is not None and again is not None and math.isclose(told, again, rel_tol=1e-9)
    )
    return Item(name, "recounted" if same else "differs", told, again)


def _item(what: str, told: object, again: object) -> Item:
    return Item(what, "recounted" if told == again else "differs", told, again)
