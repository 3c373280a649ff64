"""Certificates come from anybody: what they name is opened only where the reader would look."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.declare.hierarchies import file
from shoal.declare.hierarchies.file import read_rows
from shoal.errors import DataError, PrivacyNotMet
from terminal import shoal as run

PEOPLE = pa.table({"city": ["Oslo", "Rome", "Bern"] * 20, "ill": ["flu", "gout"] * 30})
TREE = "Oslo;North;*\nRome;South;*\nBern;South;*\n"


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("city.csv").write_text(TREE)
    made = shoal.anonymize(PEOPLE, quasi=["city"], k=5, hierarchies={"city": "city.csv"}, seed=1)
    made.write("out.csv")
    return tmp_path / "out.csv"


def forged(release: Path, spec: Any) -> Path:
    place = Path(f"{release}.certificate.json")
    stated = json.loads(place.read_text())
    stated["recipe"]["hierarchies"] = {"city": spec}
    other = place.with_name("forged.json")
    other.write_text(json.dumps(stated))
    return other


@pytest.mark.parametrize(
    "spec",
    [
        "/dev/zero",
        "../city.csv",
        "folder/city.csv",
        "..\\city.csv",
        "/etc/hostname",
        {"kind": "file", "path": "/dev/zero"},
    ],
)
def test_a_certificate_can_not_name_a_file_elsewhere(release: Path, spec: Any) -> None:
    with pytest.raises(PrivacyNotMet, match=r"(?s)damaged.*not by a file name"):
        shoal.verify(release, forged(release, spec))
    assert run("verify", release, forged(release, spec)).code == 4
    given = shoal.verify(release, forged(release, spec), hierarchies={"city": "city.csv"})
    assert given.holds


def test_a_plain_name_is_found_and_a_pipe_of_that_name_is_not_waited_for(release: Path) -> None:
    assert shoal.verify(release, f"{release}.certificate.json").holds
    os.mkfifo("tree.csv")
    found = shoal.verify(release, forged(release, "tree.csv"))
    assert any(item.status == "not checkable" for item in found.items)


def test_a_plain_name_is_looked_for_beside_the_release_alone(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    certificate = f"{release}.certificate.json"
    assert not unchecked(shoal.verify(release, certificate))
    # A file of that name where someone works is another one.
    Path("city.csv").write_text(TREE)
    (tmp_path / "city.csv").unlink()
    assert unchecked(shoal.verify(release, certificate))
    assert not unchecked(shoal.verify(release, certificate, hierarchies={"city": "city.csv"}))
    (tmp_path / "city.csv").symlink_to(elsewhere / "city.csv")
    assert unchecked(shoal.verify(release, certificate))


def unchecked(verified: Any) -> list[str]:
    named = ("height-share", "leaf-share")
    return [i.what for i in verified.items if i.status == "not checkable" and named[0] in i.what]


def test_a_hierarchy_that_never_ends_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="is no file"):
        read_rows("/dev/zero", "city")
    monkeypatch.setattr(file, "LARGEST", 20)
    Path("large.csv").write_text(TREE)
    with pytest.raises(DataError, match=r"(?s)too large.*more than 20"):
        read_rows("large.csv", "city")
