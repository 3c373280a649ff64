"""Checks whether a release was signed by a key, and is what was signed: rows, file, certificate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.adapters.certificates import GivenCertificate, signature_place
from shoal.adapters.keys import key_id, read_public
from shoal.adapters.signing import (
    BYTES,
    ROWS,
    BrokenSignature,
    Statement,
    file_hash,
    opened,
    read_signature,
)
from shoal.errors import ShoalError
from shoal.review.certificate_reading import AnyCertificate
from shoal.review.certificate_reading import read_public as read_certificate
from shoal.review.verdict import THE_FILE, Item, Verification

Place = str | Path


def with_signature(
    verified: Verification,
    released: Any,
    stated: AnyCertificate,
    place: Path | None,
    key: Place | None,
) -> Verification:
    """Add to a verification what became of the signature at a place.

    Without a key nothing is checked, and the release counts as unsigned. With a key it must be
    signed by it: a signature that is lacking differs like a wrong one.
    """
    there = place is not None and place.exists()
    if key is None:
        return replace(verified, signature_unchecked=there)
    public = read_public(key)
    name = key_id(public)
    if not there:
        items = [Item("signature", "differs", None, note="there is none beside the certificate")]
    else:
        assert place is not None, "it is there"
        items = _checked(read_signature(place), public, released, stated)
    holds = all(item.status != "differs" for item in items)
    return replace(verified, items=(*verified.items, *items), signed_by=name if holds else None)


def place_of_signature(certificate: GivenCertificate, named: Place | None) -> Path | None:
    """Return where the signature of a release stands; None where nothing names a place."""
    if named is not None:
        return Path(named)
    return signature_place(certificate) if isinstance(certificate, str | Path) else None


def _checked(text: str, key: Any, released: Any, stated: AnyCertificate) -> list[Item]:
    try:
        said = opened(text, key)
    except BrokenSignature as broken:
        return [Item("signature", "differs", key_id(key), note=str(broken))]
    return [
        Item("signature", "recounted", key_id(key), key_id(key)),
        _certificate(said, stated),
        *_rows(said, stated),
        *_file(said, released),
    ]


def _certificate(said: Statement, stated: AnyCertificate) -> Item:
    """Compare the certificate that was signed with the one at hand, field by field."""
    try:
        same = _spelled(read_certificate(said.predicate)) == _spelled(stated)
    except ShoalError:
        same = False
    if same:
        return Item("signed certificate", "recounted", None)
    note = "it is not the certificate that was signed"
    return Item("signed certificate", "differs", None, note=note)


def _spelled(certificate: AnyCertificate) -> str:
    return json.dumps(certificate.as_dict(), sort_keys=True)


def _rows(said: Statement, stated: AnyCertificate) -> list[Item]:
    """Compare the hash of the rows that was signed; the rows themselves are counted elsewhere."""
    mark = said.digest(ROWS)
    if mark is None and stated.hash is None:
        return []
    return [Item.compared("signed rows", mark, stated.hash, same=mark == stated.hash)]


def _file(said: Statement, released: Any) -> list[Item]:
    """Compare the bytes of the file, where one was signed and one is at hand."""
    mark = said.digest(BYTES)
    if mark is None:
        return []
    if not isinstance(released, str | Path) or not Path(released).is_file():
        note = f"not checkable without {THE_FILE}"
        # Without a hash of the rows the file alone binds a signature to a release.
        unbound = said.digest(ROWS) is None
        return [Item("signed file", "differs" if unbound else "not checkable", mark, note=note)]
    again = file_hash(released)
    return [Item.compared("signed file", mark, again, same=again == mark)]
