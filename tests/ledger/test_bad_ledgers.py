"""What goes wrong around a ledger: one clear error each, and the ledger stays as it was."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import shoal
from conftest import ROOT
from ledger.people import ROLES, table
from shoal.adapters.ledgers import LedgerFile
from shoal.api.ledger_adding import add_release
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from terminal import shoal as typed


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with one release of 60 people."""
    place = tmp_path / "ward.ledger"
    shoal.anonymize(table(range(60)), **ROLES, ledger=place).write(tmp_path / "first.csv")
    return place


@pytest.fixture
def made_without(tmp_path: Path) -> tuple[Path, Path]:
    """A release that was made without a ledger, and its original."""
    original = tmp_path / "original.csv"
    release = tmp_path / "alone.csv"
    arrow_csv.write_csv(table(range(100, 160)), original)
    shoal.anonymize(original, **ROLES).write(release)
    return release, original


def test_the_ledger_of_another_population_knows_nobody(ledger: Path, tmp_path: Path) -> None:
    """Nobody is recognized there, and its key can't be taken for that of this one."""
    other = tmp_path / "other.ledger"
    shoal.anonymize(table(range(200, 260)), **ROLES, ledger=other).record()
    figures = shoal.anonymize(table(range(60)), **ROLES, ledger=other).certificate.private.across
    assert figures.newcomers == 60
    Path(f"{ledger}.key").write_bytes(Path(f"{other}.key").read_bytes())
    before = ledger.read_bytes()
    said = typed("ledger", "show", ledger)
    assert said.code == 3 and "does not belong" in said.err
    assert ledger.read_bytes() == before


def test_a_release_is_added_once(ledger: Path, made_without: tuple[Path, Path]) -> None:
    release, original = made_without
    assert add_release(ledger, release, original).kind == "release"
    before = ledger.read_bytes()
    with pytest.raises(RecipeError, match="has this release already"):
        add_release(ledger, release, original)
    assert ledger.read_bytes() == before


def test_a_certificate_that_does_not_fit_its_file(
    ledger: Path, made_without: tuple[Path, Path]
) -> None:
    release, original = made_without
    rows = release.read_text().splitlines()
    release.write_text("\n".join(rows[:-1]) + "\n")
    before = ledger.read_bytes()
    with pytest.raises(PrivacyNotMet, match="does not hold the rows of its certificate"):
        add_release(ledger, release, original)
    assert ledger.read_bytes() == before


def test_an_original_that_is_another_table(ledger: Path, made_without: tuple[Path, Path]) -> None:
    release, original = made_without
    arrow_csv.write_csv(table(range(300, 360)), original)
    before = ledger.read_bytes()
    with pytest.raises(PrivacyNotMet, match="give other rows than this release"):
        add_release(ledger, release, original)
    assert ledger.read_bytes() == before


def test_a_release_without_its_private_certificate(
    ledger: Path, made_without: tuple[Path, Path]
) -> None:
    release, original = made_without
    Path(f"{release}.private.json").unlink()
    before = ledger.read_bytes()
    with pytest.raises(DataError, match="private certificate"):
        add_release(ledger, release, original)
    assert ledger.read_bytes() == before


def test_people_without_a_name_at_the_terminal(ledger: Path, tmp_path: Path) -> None:
    rows = table(range(60))
    source = tmp_path / "gaps.csv"
    ids = pa.array([None, *rows["id"].to_pylist()[1:]])
    arrow_csv.write_csv(rows.set_column(0, "id", ids), source)
    before = ledger.read_bytes()
    asked = ("-q", "age,town", "-s", "ill", "--person", "id", "-k", "3", "--ledger", ledger)
    said = typed("anonymize", source, "-o", tmp_path / "out.csv", *asked)
    assert said.code == 3 and "missing in 1 rows" in said.err
    assert not (tmp_path / "out.csv").exists() and ledger.read_bytes() == before


WRITER = """
import sys
import shoal
from ledger.people import ROLES, table
place, first, out = sys.argv[1:]
release = shoal.anonymize(table(range(int(first), int(first) + 60)), **ROLES, ledger=place)
print("ready", flush=True)
sys.stdin.readline()
release.write(out)
"""


def test_two_processes_at_once_both_get_into_the_ledger(ledger: Path, tmp_path: Path) -> None:
    """Both have measured against one release; both write at the same moment."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(ledger), first, str(tmp_path / f"{first}.csv")],
            cwd=ROOT / "tests",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for first in ("200", "300")
    ]
    for each in running:
        assert each.stdout.readline() == "ready\n"
    for each in running:
        each.stdin.write("go\n")
        each.stdin.flush()
    assert [each.wait() for each in running] == [0, 0]
    listed = LedgerFile.open(ledger).check()
    assert [each.state for each in listed] == ["published"] * 3
    past = LedgerFile.open(ledger).past()
    assert sorted(number for each in past.releases for number in each.who) == list(range(180))


LIMITED = """
import resource, signal, sys
import shoal
from ledger.people import ROLES, table
from shoal.errors import ShoalError
place, out, room = sys.argv[1:]
release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=place)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(room), int(room)))
try:
    release.write(out)
except ShoalError as refused:
    print(type(refused).__name__, refused.problem)
    sys.exit(refused.exit_code)
"""


def test_no_room_for_the_ledger(ledger: Path, tmp_path: Path) -> None:
    """The system refuses to let files grow: nothing is published, and the ledger stays sound."""
    before = LedgerFile.open(ledger).entries.all()
    out = tmp_path / "second.csv"
    room = str(ledger.stat().st_size)
    command = [sys.executable, "-c", LIMITED, str(ledger), str(out), room]
    ended = subprocess.run(command, cwd=ROOT / "tests", capture_output=True, text=True, check=False)
    assert ended.returncode == 3, ended.stderr
    assert not out.exists()
    assert LedgerFile.open(ledger).entries.all() == before
    shoal.anonymize(table(range(200, 260)), **ROLES, ledger=ledger).write(out)


KILLED = """
import os, signal, sqlite3, sys
import shoal
from ledger.people import ROLES, table
place, out, when = sys.argv[1:]
release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=place)
real = sqlite3.connect
left = int(when)

class Deadly(sqlite3.Connection):
    def execute(self, command, *values):
        global left
        if not command.startswith(("SELECT", "PRAGMA")):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(command, *values)

sqlite3.connect = lambda *args, **options: real(*args, factory=Deadly, **options)
release.write(out)
"""


@pytest.mark.parametrize("when", [0, 2, 5, 8, 9, 11])
def test_killed_between_any_two_commands_the_ledger_is_sound(
    ledger: Path, tmp_path: Path, when: int
) -> None:
    """Whatever was written last, the chain holds and the release counts exactly if its file is
    there.
    """
    out = tmp_path / "second.csv"
    command = [sys.executable, "-c", KILLED, str(ledger), str(out), str(when)]
    killed = subprocess.run(command, cwd=ROOT / "tests", check=False)
    assert killed.returncode == -signal.SIGKILL
    opened = LedgerFile.open(ledger)
    opened.check()
    with opened.alone():
        pass
    states = [each.state for each in opened.check()]
    assert "pending" not in states
    assert (states[1:] == ["published"]) == out.exists()
    release = shoal.anonymize(table(range(200, 260)), **ROLES, ledger=ledger)
    release.write(tmp_path / "third.csv")
    assert json.loads((tmp_path / "third.csv.certificate.json").read_text())["k"] == 3
