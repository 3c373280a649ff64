"""Leftovers: the next run removes what a killed one left, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.adapters import leftovers
from shoal.adapters.atomic_files import Staged
from shoal.engines.row_files import Folder
from terminal import PATIENCE

KILLED = """
import os, sys
from pathlib import Path
from shoal.adapters import atomic_files
from shoal.adapters.atomic_files import Staged
from shoal.engines.row_files import Folder
folder = Path(sys.argv[1])
Folder(folder / "out.csv").__enter__().path.joinpath("rows").write_bytes(b"rows")
place = atomic_files._place
def once(file):
    place(file)
    os.kill(os.getpid(), 9)
atomic_files._place = once
with Staged(force=True) as staged:
    for name in ("out.csv.certificate.json", "out.csv"):
        staged.file(folder / name).write_text("new")
"""


def killed(folder: Path) -> list[str]:
    """Kill a run between its two placements; return the hidden names that it left."""
    for name in ("out.csv.certificate.json", "out.csv"):
        (folder / name).write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder)], timeout=PATIENCE, check=False
    )
    assert done.returncode == -9
    return hidden_in(folder)


def hidden_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith("."))


def write_again(folder: Path) -> None:
    with Staged(force=True) as staged:
        for name in ("out.csv.certificate.json", "out.csv"):
            staged.file(folder / name).write_text("newer")
    with Folder(folder / "out.csv"):
        pass


def test_what_a_killed_run_left_is_removed_by_the_next_to_the_same_output(tmp_path: Path) -> None:
    assert len(killed(tmp_path)) == 4  # the release, what stood at both places, rows
    with Staged() as staged:
        staged.file(tmp_path / "another.csv").write_text("new")
    assert len(hidden_in(tmp_path)) == 4
    write_again(tmp_path)
    assert hidden_in(tmp_path) == []
    assert (tmp_path / "out.csv").read_text() == "newer"


def test_files_of_others_and_of_runs_at_work_stay(tmp_path: Path) -> None:
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True
    )
    dead = f"{int(gone.stdout):08x}00000000"
    machine = leftovers._machine()
    names = [
        f".out.{leftovers.token()}.part.csv",  # this process is at work
        f".out.{'0' * 6}{dead}.part.csv",  # another machine
        f".out.{machine}{dead}.part.txt",  # another output
        f".other.{machine}{dead}.part.csv",
        ".out.mine.part.csv",
        ".out.csv",
    ]
    for name in names:
        (tmp_path / name).write_text("x")
    link = tmp_path / f".out.{machine}{dead}.part.csv"
    link.symlink_to(tmp_path / ".out.csv")
    write_again(tmp_path)
    assert hidden_in(tmp_path) == sorted([*names, link.name])


def test_a_file_of_another_machine_is_removed_after_a_week(tmp_path: Path) -> None:
    old = tmp_path / f".out.{'0' * 6}{os.getpid():08x}00000000.part.csv"
    old.write_text("x")
    os.utime(old, (time.time() - 8 * 24 * 3600,) * 2)
    write_again(tmp_path)
    assert hidden_in(tmp_path) == []


def test_files_of_another_user_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = killed(tmp_path)
    monkeypatch.setattr(leftovers.os, "getuid", lambda: 12_345)
    write_again(tmp_path)
    assert hidden_in(tmp_path) == left
