"""Certificates of format 1, as they were written once: read, verified, attacked and mined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.review.certificate import as_json
from shoal.review.certificate_format_1 import (
    DistortionCertificate1,
    GroupsCertificate1,
    OverlapCertificate1,
)
from shoal.review.certificate_reading import READERS, read_public
from shoal.review.verdict import Verification

FILES = Path(__file__).parent / "format_1"
KINDS = {
    "groups": GroupsCertificate1,
    "overlap": OverlapCertificate1,
    "distortion": DistortionCertificate1,
}


def stated(kind: str) -> dict[str, Any]:
    return json.loads((FILES / f"{kind}.csv.certificate.json").read_text("utf-8"))


def verified(kind: str, **changes: Any) -> Verification:
    original = FILES / "people.csv"
    return shoal.verify(FILES / f"{kind}.csv", {**stated(kind), **changes}, original=original)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_read_as_it_was_written(kind: str) -> None:
    assert list(READERS) == [1, 2]
    certificate = read_public(stated(kind))
    assert type(certificate) is KINDS[kind] and certificate.format == 1
    assert json.loads(as_json(certificate)) == stated(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_its_release_is_verified(kind: str) -> None:
    found = verified(kind)
    assert found.holds, found
    assert sum(item.status == "recounted" for item in found.items) >= 3


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("groups", {"withheld": 40}),
        ("groups", {"k": 3}),
        ("groups", {"attacks": []}),
        ("groups", {"losses": {"published-height-share": 0.0, "published-leaf-share": 0.0}}),
        ("overlap", {"rows": 59}),
        ("distortion", {"hash": "0" * 64}),
    ],
)
def test_what_was_changed_is_found(kind: str, change: dict[str, Any]) -> None:
    try:
        found = verified(kind, **change)
    except shoal.errors.PrivacyNotMet:  # no release can have it
        return
    assert not found.holds


def test_counts_of_hidden_people_are_recounted() -> None:
    hidden = {**stated("overlap")["concealment"], "possible matches": 60}
    assert not verified("overlap", concealment=hidden).holds


def test_a_number_of_withheld_rows_that_was_never_rounded_is_refused() -> None:
    with pytest.raises(shoal.errors.PrivacyNotMet, match="withheld rows"):
        verified("groups", withheld=7)


@pytest.mark.parametrize("kind", KINDS)
def test_it_tells_attacks_and_miners_how_its_release_was_made(kind: str) -> None:
    release = FILES / f"{kind}.csv"
    original = FILES / "people.csv"
    found = shoal.attack(release, original=original, certificate=stated(kind))
    assert found.all
    mined = shoal.mine(release, original, certificate=stated(kind), tasks="distributions")
    attacks = {one["name"] for one in stated(kind)["attacks"]}
    assert {name.split(" of ")[0] for name in mined.risk} >= attacks


def test_groups_without_a_number_are_of_format_1() -> None:
    plain = stated("groups")
    del plain["format"]
    assert isinstance(read_public(plain), GroupsCertificate1)
