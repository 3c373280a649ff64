"""Overlapping: a release in which each row has a box of its own, against its certificate, later and elsewhere.

Rows, columns, hash and published losses are recounted from the release alone. How well people are hidden can be recounted
with the original; the likeliest link and what attacks found are stated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pyarrow as pa

from shoal.errors import DataError
from shoal.overlap.concealment import Concealment
from shoal.overlap.matching import Links
from shoal.review.certificate import FORMAT
from shoal.review.certificate import not_promised as unpromised
from shoal.review.fingerprint import fingerprint
from shoal.review.verification import Item, Verification

KIND = "overlap"
COUNTED = ("people that a row fits", "rows that fit a person", "possible matches")


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What the public certificate of such a release says."""

    format: int
    rows: int
    k: int
    promise: str
    concealment: dict[str, int]
    recipe: dict[str, Any]
    columns: dict[str, list[str]]
    losses: dict[str, float | None]
    attacks: list[dict[str, Any]]
    hash: str
    link: dict[str, float | int | None]


AS_PUBLISHED = (
    "Published as the paper has it, without repair: people are not hidden among k.",
    "{below} of {rows} people are fitted by fewer than k published rows, {matches} have fewer than k possible matches.",
    "Distributions over neighbourhoods that overlap can be solved for people's values: see what reconstruction found.",
)
RINGS = (
    "Each of a person's possible matches is equally likely, {largest:.3f} at most; whoever learns another person's row may "
    "learn more of those who stand near."
)
MATCHES = (
    "Possible matches need not be equally likely: the likeliest link of a person and a row has a chance of {largest:.3f}."
)


def not_promised(recipe: Mapping[str, Any], found: Concealment, links: Links, rows: int) -> list[str]:
    """What a reader of the release must not think."""
    if not recipe.get("as_published"):
        return [(MATCHES if links.draws else RINGS).format(largest=links.largest), *unpromised(recipe)]
    said = {"below": f"{found.covering_below:,}", "rows": f"{rows:,}", "matches": f"{found.matches_below:,}"}
    return [*(sentence.format(**said) for sentence in AS_PUBLISHED), *unpromised(recipe)]


def is_overlap(certificate: Mapping[str, Any]) -> bool:
    """Whether a certificate speaks of boxes that overlap, and not of groups."""
    return certificate.get("kind") == KIND


def stated(certificate: Mapping[str, Any]) -> Stated:
    """The certificate, or a refusal of what is none."""
    if certificate.get("format") != FORMAT:
        raise DataError("this format of certificate is not known here", {"known": FORMAT}, "update shoal")
    known = {name: value for name, value in certificate.items() if name in Stated.__struct_fields__}
    try:
        return msgspec.convert(known, Stated)
    except msgspec.ValidationError as wrong:
        raise DataError(
            "this is not the public certificate of a release with overlapping boxes", {"reason": str(wrong)}
        ) from None


def counted(found: Concealment) -> dict[str, int]:
    """The fewest of each, and how many people have fewer possible matches than k."""
    fewest = dict(zip(COUNTED, (found.covered, found.covering, found.matches), strict=True))
    return fewest | {"people below k matches": found.matches_below, "people fitted by fewer than k rows": found.covering_below}


def verify(
    table: pa.Table,
    said: Stated,
    losses: Mapping[str, float | None] | None,
    found: Concealment | None,
) -> Verification:
    """Each item of the certificate: recounted, only stated, or not checkable. `found` is None without the original."""
    names = said.columns.get("published", [])
    hidden = counted(found) if found else {}
    return Verification(
        (
            _item("rows", said.rows, table.num_rows),
            _item("columns", sorted(names), sorted(table.column_names)),
            _item("hash", said.hash, fingerprint(table)),
            *(_loss(name, told, losses) for name, told in said.losses.items()),
            *(_hidden(name, told, hidden, found) for name, told in said.concealment.items()),
            *_promise(said, found),
            Item("link", "stated", said.link.get("largest")),
            Item("attacks", "stated", len(said.attacks)),
        )
    )


def _promise(said: Stated, found: Concealment | None) -> tuple[Item, ...]:
    if found is None:
        return (Item("promise", "not checkable", said.promise, note="without --original FILE"),)
    kept = found.k == said.k and found.reaches(said.promise)
    return (Item("promise", "recounted" if kept else "differs", said.promise, said.promise if kept else "not kept"),)


def _hidden(name: str, told: int, hidden: Mapping[str, int], found: Concealment | None) -> Item:
    if found is None:
        return Item(name, "not checkable", told, note="without --original FILE")
    return _item(name, told, hidden.get(name))


def _loss(name: str, told: float | None, losses: Mapping[str, float | None] | None) -> Item:
    if losses is None:
        return Item(name, "not checkable", told, note="without the hierarchies")
    near = told is not None and losses.get(name) is not None and abs(told - losses[name]) <= 1e-9 * max(1.0, abs(told))  # type: ignore[operator]
    return Item(name, "recounted" if near or told == losses.get(name) else "differs", told, losses.get(name))


def _item(what: str, told: object, found: object) -> Item:
    return Item(what, "recounted" if told == found else "differs", told, found)
