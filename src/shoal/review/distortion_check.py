"""Perturbation: a perturbed table against its certificate, later and elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pyarrow as pa

from shoal.errors import DataError
from shoal.review.certificate import FORMAT
from shoal.review.certificate_check import Item, Verification
from shoal.review.fingerprint import fingerprint
from shoal.wording import FILE, Call, Sentence, Set

KIND = "distortion"


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """What the public certificate of a perturbed table says."""

    format: int
    rows: int
    method: str
    columns: dict[str, list[str]]
    rounded: bool
    shuffled: bool
    attacks: list[dict[str, Any]]
    hash: str | None

    @property
    def perturbed(self) -> list[str]:
        """The columns that were perturbed."""
        return self.columns.get("perturbed", [])


def is_perturbation(certificate: Mapping[str, Any]) -> bool:
    """Whether a certificate speaks of a perturbed table, and not of groups."""
    return certificate.get("kind") == KIND


def stated(certificate: Mapping[str, Any]) -> Stated:
    """The certificate, or a refusal of what is none."""
    if certificate.get("format") != FORMAT:
        raise DataError(
            "this format of certificate is not known here", {"known": FORMAT}, "update shoal"
        )
    try:
        return msgspec.convert(
            {
                name: value
                for name, value in certificate.items()
                if name in Stated.__struct_fields__
            },
            Stated,
        )
    except msgspec.ValidationError as wrong:
        raise DataError(
            "this is not the public certificate of a perturbed table", {"reason": str(wrong)}
        ) from None


def verify(table: pa.Table, certificate: Mapping[str, Any]) -> Verification:
    """Rows, columns and hash are recounted; what attacks found needs the original, and the noise
    can't be seen at all.
    """
    said = stated(certificate)
    names = [name for part in said.columns.values() for name in part]
    marked = (
        (_item("hash", said.hash, fingerprint(table)),)
        if said.hash
        else (Item("hash", "not checkable", None),)
    )
    return Verification(
        (
            _item("rows", said.rows, table.num_rows),
            _item("columns", sorted(names), sorted(table.column_names)),
            *marked,
            *(
                Item(what, "stated", getattr(said, what))
                for what in ("method", "rounded", "shuffled")
            ),
            Item(
                "attacks",
                "not checkable",
                len(said.attacks),
                note=Sentence("with ", Call("attack", (Set("original", FILE),))),
            ),
        )
    )


def _item(what: str, told: object, found: object) -> Item:
    return Item(what, "recounted" if told == found else "differs", told, found)
