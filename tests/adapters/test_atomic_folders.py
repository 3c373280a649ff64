"""Folders appear whole or not at all, and nothing of anybody else is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from shoal.adapters import atomic_folders
from shoal.adapters.atomic_folders import StagedFolder, check_folder
from shoal.errors import DataError, RecipeError
from terminal import snapshot

NAMES = ("one.csv", "two.csv")
WRITER = """
import sys
from shoal.adapters.atomic_folders import StagedFolder
for turn in range(10_000):
    with StagedFolder(sys.argv[1], ("one.csv", "two.csv"), force=True) as folder:
        (folder.hidden / "one.csv").write_text(f"{turn}")
        (folder.hidden / "two.csv").write_text(f"{turn}")
        folder.take_place()
    print(turn, flush=True)
"""


def put(place, text: str, *, force: bool = False) -> None:
    with StagedFolder(place, NAMES, force=force) as folder:
        for name in NAMES:
            (folder.hidden / name).write_text(text)
        folder.take_place()


def test_a_folder_appears_and_is_replaced(tmp_path) -> None:
    place = tmp_path / "out"
    put(place, "old")
    assert snapshot(tmp_path) == {"out/one.csv": b"old", "out/two.csv": b"old"}
    mode = place.stat().st_mode & 0o777
    (tmp_path / "like").mkdir()
    assert mode == (tmp_path / "like").stat().st_mode & 0o777
    with pytest.raises(RecipeError, match="exists"):
        put(place, "new")
    put(place, "new", force=True)
    assert snapshot(tmp_path) == {"out/one.csv": b"new", "out/two.csv": b"new"}


def test_without_an_exchange_two_renames_do(tmp_path, monkeypatch) -> None:
    put(tmp_path / "out", "old")
    monkeypatch.setattr(atomic_folders, "_exchanged", lambda one, other: False)
    put(tmp_path / "out", "new", force=True)
    assert snapshot(tmp_path) == {"out/one.csv": b"new", "out/two.csv": b"new"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failure_leaves_all_as_it_was(tmp_path) -> None:
    put(tmp_path / "out", "old")
    before = snapshot(tmp_path)
    with pytest.raises(ZeroDivisionError), StagedFolder(tmp_path / "out", NAMES, force=True) as new:
        (new.hidden / "one.csv").write_text("half")
        raise ZeroDivisionError
    assert snapshot(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_nothing_of_anybody_else_is_replaced(tmp_path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(RecipeError, match="other files"):
        put(tmp_path / "out", "new", force=True)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RecipeError, match="is a file"):
        put(tmp_path / "file", "new", force=True)
    with pytest.raises(DataError, match="can't be made"):
        put(tmp_path / "no" / "out", "new")
    with pytest.raises(RecipeError, match="holds what is read"):
        check_folder(tmp_path / "in", NAMES, force=True, inputs=[tmp_path / "in" / "one.csv"])
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"


def test_an_empty_folder_and_a_link_are_filled(tmp_path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    put(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "one.csv").read_text() == "new"


def test_a_process_that_is_killed_leaves_a_whole_folder(tmp_path) -> None:
    place = tmp_path / "out"
    for kill in range(4):
        run = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE, text=True
        )
        assert run.stdout is not None
        run.stdout.readline()
        time.sleep(0.003 * kill)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        texts = {(place / name).read_text() for name in NAMES}
        assert len(texts) == 1, "files of two turns"
        assert sorted(path.name for path in place.iterdir()) == list(NAMES)
    put(place, "after", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"], "leftovers stay"
