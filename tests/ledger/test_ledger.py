"""The ledger at the doors: releases are compared, refused or written down; nothing is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from conftest import ROOT
from ledger.people import ROLES, table
from shoal.adapters.ledgers import LedgerFile, writer
from shoal.adapters.ledgers.ledger_key import LedgerKey
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with one release of 60 people."""
    place = tmp_path / "ward.ledger"
    shoal.anonymize(table(range(60)), **ROLES, ledger=place).write(tmp_path / "first.csv")
    return place


def figures(release: shoal.Release):
    return release.certificate.private.across


def test_a_first_release_begins_a_ledger_and_its_key(tmp_path: Path) -> None:
    place = tmp_path / "ward.ledger"
    release = shoal.anonymize(table(range(60)), **ROLES, ledger=place)
    assert not place.exists()  # a trial is no publication
    assert any("begins a new ledger" in note for note in release.notices)
    release.write(tmp_path / "out.csv")
    key = tmp_path / "ward.ledger.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [each.state for each in LedgerFile.open(place).listed()] == ["published"]


def test_no_value_of_a_person_stands_in_the_ledger(ledger: Path) -> None:
    content = ledger.read_bytes()
    for text in (b"person 1", b"gout", b"flu"):
        assert text not in content
    for entry in LedgerFile.open(ledger).entries.all():
        assert "gout" not in json.dumps(dict(entry.says))


def test_the_same_release_again_is_let_pass(ledger: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(table(range(60)), **ROLES, ledger=ledger)
    assert figures(release).k == 3 and figures(release).releases == 1
    release.write(tmp_path / "again.csv")
    assert len(LedgerFile.open(ledger).listed()) == 1  # a copy is nothing new


def test_guard_refuses_and_measure_writes_down(ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(PrivacyNotMet, match="in the company of fewer than 3") as refused:
        shoal.anonymize(table(range(61)), **ROLES, ledger=ledger)
    assert 'across="sticky"' in str(refused.value)
    expected = "60 people stay where they were, 1 newcomer waits: fewer than k"
    assert refused.value.facts["with sticky groups"] == expected
    staying = shoal.anonymize(table(range(61)), **ROLES, ledger=ledger, across="sticky")
    stated = staying.certificate.public.losses["published-height-share"]
    lost = f"{stated:.0%} with sticky groups"
    assert lost in str(refused.value.facts["what a published cell loses of its detail, on average"])
    assert list(refused.value.facts)[-1] == "published"
    release = shoal.anonymize(table(range(61)), **ROLES, ledger=ledger, across="measure")
    assert figures(release).newcomers == figures(release).newcomers_few == 1
    assert release.certificate.public.across == "measure"
    release.write(tmp_path / "second.csv")
    assert [each.state for each in LedgerFile.open(ledger).listed()] == ["published"] * 2


def test_the_public_certificate_tells_the_mode_alone(ledger: Path, tmp_path: Path) -> None:
    alone = shoal.anonymize(table(range(60)), **ROLES, ledger=tmp_path / "new.ledger")
    beside = shoal.anonymize(table(range(60)), **ROLES, ledger=ledger)
    assert alone.certificate.public == beside.certificate.public
    assert alone.certificate.private.across != beside.certificate.private.across
    beside.write(tmp_path / "out.csv")
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.csv.certificate.json").holds


def test_a_release_is_judged_again_when_it_is_written(ledger: Path, tmp_path: Path) -> None:
    one = shoal.anonymize(table(range(60)), **ROLES, ledger=ledger)
    other = shoal.anonymize(
        table(range(60)), **{**ROLES, "quasi": ["town"]}, ledger=ledger, across="measure"
    )
    two = shoal.anonymize(table(range(100, 160)), **ROLES, ledger=ledger)
    third = shoal.anonymize(
        table(range(100, 161)), **{**ROLES, "seed": 5}, ledger=ledger, across="measure"
    )
    third.record()
    other.record()
    with pytest.raises(PrivacyNotMet):
        two.write(tmp_path / "two.csv")
    assert not (tmp_path / "two.csv").exists()
    one.record()


def test_order_of_rows_and_another_key_change_no_figure(ledger: Path, tmp_path: Path) -> None:
    later = table(range(70))
    turned = later.take(pa.array(range(69, -1, -1)))
    asked = {**ROLES, "across": "measure"}
    one = shoal.anonymize(later, **asked, ledger=ledger)
    two = shoal.anonymize(turned, **asked, ledger=ledger)
    assert figures(one) == figures(two)
    other = tmp_path / "other.ledger"
    shoal.anonymize(table(range(60)), **ROLES, ledger=other).record()
    assert figures(shoal.anonymize(later, **asked, ledger=other)) == figures(one)


def test_several_rows_of_a_person_and_changes_are_no_errors(ledger: Path) -> None:
    rows = pa.concat_tables([table(range(60)), table(range(30), seed=1)])
    release = shoal.anonymize(rows, **ROLES, ledger=ledger, across="measure")
    assert figures(release).people == 60 and figures(release).newcomers == 0


def test_recipients_who_are_kept_apart_are_not_compared(ledger: Path, tmp_path: Path) -> None:
    asked = {**ROLES, "across": "measure", "seed": 9}
    opened = LedgerFile.open(ledger)
    shoal.anonymize(table(range(61)), **asked, ledger=ledger, recipient="one").record()
    met = shoal.anonymize(table(range(62)), **asked, ledger=ledger, recipient="two")
    opened.set_apart(["one", "two"])
    apart = shoal.anonymize(table(range(62)), **asked, ledger=ledger, recipient="two")
    assert (figures(met).releases, figures(apart).releases) == (2, 1)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"person": None}, "who is who"),
        ({"ledger": None, "across": "guard"}, "published before"),
        ({"wait": 2}, "groups that people stay in"),
        ({"method": "nsvdist", "person": None}, "groups"),
        ({"memory": "2GB"}, "can't do ledger"),
        ({"across": "never"}, "across"),
    ],
)
def test_calls_that_mean_nothing_are_refused(ledger: Path, asked: dict, words: str) -> None:
    with pytest.raises(RecipeError, match=words):
        shoal.anonymize(table(range(60)), **{**ROLES, "ledger": ledger, **asked})


def test_people_without_a_name_are_refused(ledger: Path) -> None:
    rows = table(range(60))
    ids = pa.array([None, "", *rows["id"].to_pylist()[2:]])
    with pytest.raises(DataError, match="missing in"):
        shoal.anonymize(rows.set_column(0, "id", ids), **ROLES, ledger=ledger)


def edit(ledger: Path, *commands: str) -> None:
    """Change a ledger by hand."""
    connection = sqlite3.connect(ledger)
    for name in ("entries_stay", "entries_remain", "parts_stay", "parts_remain"):
        connection.execute(f"DROP TRIGGER {name}")
    for command in commands:
        connection.execute(command)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "command",
    [
        "DELETE FROM entry WHERE number = 1",
        "DELETE FROM entry WHERE number = 2",
        "UPDATE entry SET says = replace(says, '\"k\":3', '\"k\":2')",
        "UPDATE entry SET time = '2020-01-01T00:00:00+00:00' WHERE number = 2",
        "UPDATE part SET bytes = x'00' WHERE name = 'members'",
        "DELETE FROM part WHERE name = 'people'",
        "UPDATE head SET number = 1",
        "DELETE FROM head",
    ],
)
def test_an_edited_ledger_is_found_out(ledger: Path, command: str) -> None:
    edit(ledger, command)
    with pytest.raises(PrivacyNotMet, match="was changed"):
        LedgerFile.open(ledger).check()
    with pytest.raises(PrivacyNotMet, match="was changed"):
        shoal.anonymize(table(range(60)), **ROLES, ledger=ledger)


def test_entries_can_not_be_changed_by_accident(ledger: Path) -> None:
    connection = sqlite3.connect(ledger)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM entry")


def cut(ledger: Path) -> None:
    ledger.write_bytes(ledger.read_bytes()[:5000])


def newer(ledger: Path) -> None:
    edit(ledger, "UPDATE ledger SET format = 2")


def other_key(ledger: Path) -> None:
    key = Path(f"{ledger}.key")
    key.write_text(key.read_text()[:-3] + "00\n")


def no_key(ledger: Path) -> None:
    Path(f"{ledger}.key").unlink()


def no_ledger(ledger: Path) -> None:
    ledger.unlink()


def a_table(ledger: Path) -> None:
    ledger.write_text("age,town\n1,Oslo\n")


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (cut, "damaged"),
        (newer, "format 2"),
        (other_key, "does not belong"),
        (no_key, "key of the ledger is not there"),
        (no_ledger, "its key is there"),
        (a_table, "is not a ledger"),
    ],
)
def test_a_ledger_that_can_not_be_used(ledger: Path, harm, words: str) -> None:
    harm(ledger)
    before = ledger.read_bytes() if ledger.exists() else None
    with pytest.raises(DataError, match=words):
        shoal.anonymize(table(range(60)), **ROLES, ledger=ledger)
    assert before == (ledger.read_bytes() if ledger.exists() else None)


def test_a_second_writer_is_told_who_holds_the_ledger(ledger: Path, monkeypatch) -> None:
    release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=ledger)
    monkeypatch.setattr(writer, "_wait", _impatient(writer._wait))
    with LedgerFile.open(ledger).alone(), pytest.raises(DataError) as refused:
        release.record()
    assert refused.value.facts["held by"] == f"process {os.getpid()}"
    release.record()


def _impatient(wait):
    return lambda descriptor, ledger, patience: wait(descriptor, ledger, 0)


def test_a_full_disk_leaves_the_ledger_as_it_was(ledger: Path, tmp_path: Path, monkeypatch) -> None:
    release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=ledger)
    real = sqlite3.connect

    def small(*args, **options):
        connection = real(*args, **options)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", small)
    before = ledger.read_bytes()
    with pytest.raises(DataError, match="disk is full"):
        release.write(tmp_path / "second.csv")
    assert ledger.read_bytes() == before
    assert not (tmp_path / "second.csv").exists()


KILLED = """
import os, signal, sys
import shoal
from ledger.people import ROLES, table
from shoal.adapters import atomic_files
from shoal.adapters.ledgers import ledger_file
place, out, when = sys.argv[1:]
release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=place)
def die(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)
if when == "before":
    atomic_files.Staged._commit = die
else:
    ledger_file.LedgerFile.settle = die
release.write(out)
"""


@pytest.mark.parametrize(("when", "state"), [("before", "dropped"), ("after", "published")])
def test_what_a_kill_leaves_pending_is_settled_by_the_next_command(
    ledger: Path, tmp_path: Path, when: str, state: str
) -> None:
    out = tmp_path / "second.csv"
    command = [sys.executable, "-c", KILLED, str(ledger), str(out), when]
    killed = subprocess.run(command, cwd=ROOT / "tests", check=False)
    assert killed.returncode == -9
    assert [each.state for each in LedgerFile.open(ledger).listed()] == ["published", "pending"]
    with LedgerFile.open(ledger).alone():
        pass
    assert [each.state for each in LedgerFile.open(ledger).listed()] == ["published", state]
    assert out.exists() == (state == "published")


def test_withdrawn_releases_are_no_longer_compared(ledger: Path) -> None:
    LedgerFile.open(ledger).withdraw(1, "never handed over")
    release = shoal.anonymize(table(range(61)), **ROLES, ledger=ledger)
    assert figures(release).releases == 0
    with pytest.raises(RecipeError, match="no release 1"):
        LedgerFile.open(ledger).withdraw(1, "again")


def test_two_planned_ledgers_do_not_overwrite_each_other(tmp_path: Path) -> None:
    place = tmp_path / "new.ledger"
    one = shoal.anonymize(table(range(60)), **ROLES, ledger=place)
    two = shoal.anonymize(table(range(61)), **ROLES, ledger=place)
    one.record()
    with pytest.raises(ShoalError, match="made by another run"):
        two.record()
    assert len(LedgerFile.open(place).listed()) == 1


def test_a_release_without_a_ledger_is_not_recorded() -> None:
    with pytest.raises(RecipeError, match="has no ledger"):
        shoal.anonymize(table(range(60)), **ROLES).record()


def test_time_of_entries_never_decides(ledger: Path) -> None:
    entries = LedgerFile.open(ledger).entries.all()
    assert [entry.number for entry in entries] == [1, 2]
    assert entries[0].time <= time.strftime("%Y-%m-%dT%H:%M:%S+99", time.gmtime())


def test_people_are_hashed_with_hmac_as_the_standard_library_computes_it() -> None:
    import hmac

    key = LedgerKey.new()
    texts = ["", "person 1", "Zoë", "x" * 200]
    expected = [hmac.digest(key.secret, text.encode(), "sha256")[:16] for text in texts]
    assert key.hashed(pa.array(texts)).to_pylist() == expected
