"""What `make quick` leaves out is what takes long, and one server serves a whole run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import once
import pace
import repeat
from conftest import ROOT

SERVER = """
import os, once
once.serve("echo", {"pid": os.getpid()})
once.stopped("echo")
"""
TESTS = """
import once, pytest
SERVER = %r

@pytest.fixture
def browser():
    return None

def test_quick(): pass
def test_listed(): pass
def test_in_a_browser(browser): pass
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_in_a_database(kind): pass
@pytest.mark.parametrize("time", [1, 2, 3, 4])
def test_served(time):
    with open("pids.txt", "a") as file:
        print(once.started("echo", SERVER)["pid"], file=file)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of its own, with our conftest and a list of slow tests."""
    for name in ("conftest.py", "drawn.py", "once.py", "pace.py"):
        (tmp_path / name).write_text((ROOT / "tests" / name).read_text())
    (tmp_path / "slow_tests.txt").write_text("# a head\n0.9 test_some.py::test_listed\n")
    (tmp_path / "test_some.py").write_text(TESTS % SERVER)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = slow: takes long\n")
    return tmp_path


def run(project: Path, *options: str) -> str:
    """Run the tests of a project in a process of its own."""
    environment = {name: text for name, text in os.environ.items() if "PYTEST" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "xdist", "-p", "no:cacheprovider", *options],
        cwd=project,
        capture_output=True,
        text=True,
        # of all plug-ins xdist alone is needed: to import the others is most of such a run
        env={**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_expensive_and_listed_tests_are_slow(project: Path) -> None:
    said = run(project, "-n", "0", "-v", "-m", "not slow")
    assert "test_quick PASSED" in said and "[sqlite] PASSED" in said
    assert "6 passed, 3 deselected" in said


def test_browsers_come_first_and_servers_where_the_second_process_begins(project: Path) -> None:
    said = run(project, "-n", "0", "-v")
    names = [line.split("::")[1].split()[0] for line in said.splitlines() if " PASSED" in line]
    assert names[:4] == [
        "test_in_a_browser",
        "test_quick",
        "test_listed",
        "test_in_a_database[postgresql]",
    ]
    assert len(names) == 9


def test_a_server_is_started_once_for_all_processes_and_gone_with_the_run(project: Path) -> None:
    run(project, "-n", "2", "--dist", "each", "-k", "served")
    pids = (project / "pids.txt").read_text().split()
    assert len(pids) == 8 and len(set(pids)) == 1
    assert not Path(f"/proc/{pids[0]}/cmdline").exists() or not _command(int(pids[0]))


def _command(pid: int) -> bytes:
    """What a process runs; nothing where it has ended and nobody has asked how."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def test_the_list_is_written_by_a_run_that_is_measured(project: Path) -> None:
    listed = project / "slow_tests.txt"
    listed.write_text(listed.read_text() + "2.0 test_elsewhere.py::test_kept\n")
    (project / "test_more.py").write_text(
        "import time\ndef test_works_long():\n"
        "    end = time.process_time() + 0.6\n    while time.process_time() < end: pass\n"
    )
    run(project, "-n", "0", "--measure-pace")
    lines = listed.read_text().splitlines()
    assert lines[:2] == ["# a head", "2.0 test_elsewhere.py::test_kept"]
    assert lines[2].endswith(" test_more.py::test_works_long") and len(lines) == 3


def test_every_listed_test_is_known_by_file_and_function() -> None:
    assert pace.name_of("tests/a/test_b.py::test_c[x/y::z]") == "test_b.py::test_c"
    assert all("::test_" in name or "::Test" in name for name in pace.listed())


def test_nobody_else_has_a_server_while_it_is_used() -> None:
    script = (
        "import fcntl, sys\nfile = open(sys.argv[1], 'w')\n"
        "try: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "except BlockingIOError: print('taken')\nelse: print('free')\n"
    )
    place = Path(os.environ[once.RUN]) / "planted.used"

    def seen() -> str:
        asked = [sys.executable, "-c", script, str(place)]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()

    with once.turn({"planted"}):
        assert seen() == "taken"
    assert seen() == "free"


def test_what_chance_could_touch_is_repeated():
    chosen = repeat.chosen()
    for name in (
        "studio/test_roles_page.py",
        "cli/test_processes.py",
        "distortions/test_chaotic.py",
    ):
        assert f"tests/{name}" in chosen
    assert "tests/recode/test_cells.py" not in chosen


def test_a_round_that_fails_is_counted_and_its_output_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(repeat, "ROOT", tmp_path)
    monkeypatch.setattr(repeat, "KEPT", tmp_path / "kept")
    (tmp_path / "test_planted.py").write_text("def test_planted(): assert 'planted' == ''\n")
    assert repeat.main(["--times", "1", "--processes", "0", "test_planted.py"]) == 1
    assert "1 rounds, 1 with a failure" in capsys.readouterr().out
    assert "planted" in next((tmp_path / "kept").iterdir()).read_text()


def test_bytecode_is_kept_whatever_the_machine_says(project: Path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    run(project, "-n", "0", "-k", "quick")
    assert list((project / "__pycache__").glob("test_some*.pyc"))
