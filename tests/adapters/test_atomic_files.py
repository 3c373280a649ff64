"""Staged files: all or nothing, whatever happens in between."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.adapters import atomic_files as module
from shoal.adapters.atomic_files import Staged, check_targets
from shoal.errors import DataError, RecipeError
from terminal import PATIENCE


def test_files_appear_together_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    honest = os.replace
    monkeypatch.setattr(
        module.os, "replace", lambda a, b: (order.append(Path(b).name), honest(a, b))
    )
    with Staged() as staged:
        for name in ("c.json", "a.csv"):
            staged.file(tmp_path / name).write_text(name)
        assert not any((tmp_path / name).exists() for name in ("c.json", "a.csv"))
    assert order == ["c.json", "a.csv"]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "c.json": "c.json",
        "a.csv": "a.csv",
    }


@pytest.mark.parametrize("trouble", [ValueError, KeyboardInterrupt, SystemExit])
def test_trouble_inside_leaves_everything_as_it_was(
    tmp_path: Path, trouble: type[BaseException]
) -> None:
    (tmp_path / "old").write_text("old")
    with pytest.raises(trouble), Staged(force=True) as staged:
        staged.file(tmp_path / "old").write_text("new")
        staged.file(tmp_path / "other").write_text("new")
        raise trouble
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


@pytest.mark.parametrize("failing", [1, 2, 3])
@pytest.mark.parametrize("trouble", [KeyboardInterrupt(), OSError(errno.EIO, "Input/output error")])
def test_trouble_between_two_files_takes_the_first_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, trouble: BaseException
) -> None:
    (tmp_path / "old").write_text("old")
    honest = os.replace
    calls = 0

    def replace(a: Path, b: Path) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise trouble
        honest(a, b)

    monkeypatch.setattr(module.os, "replace", replace)
    with pytest.raises((KeyboardInterrupt, DataError)), Staged(force=True) as staged:
        for name in ("fresh", "old", "last"):
            staged.file(tmp_path / name).write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_a_refusal(tmp_path: Path, number: int) -> None:
    with pytest.raises(DataError, match=r"(?s)disk is full.*written: nothing"), Staged() as staged:
        staged.file(tmp_path / "a")
        raise OSError(number, os.strerror(number))
    assert not list(tmp_path.iterdir())


def test_what_would_destroy_something_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    link = tmp_path / "link.csv"
    source.write_text("old")
    link.symlink_to(source)
    with pytest.raises(RecipeError, match="force=True"):
        check_targets([source])
    for target in (source, link, tmp_path / "." / "in.csv"):
        with pytest.raises(RecipeError, match="is the input"):
            check_targets([target], force=True, inputs=[source, "-"])
    with pytest.raises(RecipeError, match="same name"):
        check_targets([tmp_path / "a", tmp_path / "b" / ".." / "a"])
    with pytest.raises(RecipeError, match="only one"):
        check_targets(["-", "-"])
    check_targets([tmp_path / "a", "-"], inputs=["-", tmp_path / "nowhere"])


def test_places_that_can_hold_no_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for target, says in [
        (tmp_path, "is a folder"),
        (tmp_path / "no" / "a.csv", "(?s)no folder.*mkdir -p"),
        (tmp_path / "file" / "a.csv", "no folder"),
        ("/dev/null", "no plain file"),
        ("/proc/a.csv", "can't be written"),
    ]:
        with pytest.raises(DataError, match=says), Staged(force=True) as staged:
            staged.file(target)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_that_is_closed_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="can't be written to"):
        check_targets([tmp_path / "a.csv"])
    tmp_path.chmod(0o700)


def test_a_target_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="exists"), Staged() as staged:
        staged.file(tmp_path / "a").write_text("new")
        (tmp_path / "a").write_text("theirs")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "theirs"}


def test_a_link_stays_and_the_file_behind_it_changes(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "real").write_text("old")
    (tmp_path / "link").symlink_to("far/real")
    with Staged(force=True) as staged:
        hidden = staged.file(tmp_path / "link")
        hidden.write_text("new")
        assert hidden.parent.name == "far"
    assert (tmp_path / "link").is_symlink() and (tmp_path / "far" / "real").read_text() == "new"
    assert os.listdir(tmp_path / "far") == ["real"]


def test_modes_follow_the_umask_and_hidden_files_are_closed_to_others(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with Staged() as staged:
            hidden = staged.file(tmp_path / "a.parquet")
            assert stat.S_IMODE(hidden.stat().st_mode) == 0o600
            assert hidden.name.startswith(".a.") and hidden.suffix == ".parquet"
        assert stat.S_IMODE((tmp_path / "a.parquet").stat().st_mode) == 0o640
    finally:
        os.umask(before)


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from shoal.adapters.atomic_files import Staged
folder, seed = Path(sys.argv[1]), random.Random(7)
whole = {letter * 200_000 for letter in "abcdefgh"}
for trial in range(40):
    child = os.fork()
    if child == 0:
        while True:
            for letter in "abcdefgh":
                with Staged(force=True) as staged:
                    staged.file(folder / "certificate").write_text(letter * 200_000)
                    staged.file(folder / "release").write_text(letter * 200_000)
    while trial == 0 and not (folder / "release").exists():
        time.sleep(0.001)
    time.sleep(seed.random() * 0.03)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for name in ("certificate", "release"):
        if (folder / name).exists() and (folder / name).read_text() not in whole:
            sys.exit(f"trial {trial}: {name} is not whole")
print("whole")
"""


def test_a_killed_process_leaves_old_or_new_and_never_half(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.stdout == "whole\n", done.stderr
