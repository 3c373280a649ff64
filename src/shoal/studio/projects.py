"""Projects: keep what was asked and made on disk, so that no work is lost.

A project is a folder that only its owner may enter, in the user's state folder. `project.json` in
it names the table, the recipe and the finished runs; it is written anew, whole, with every change.
Beside it lie the copy of the table and the runs. Seven days after the last change these are
removed, and the settings stay.

The file `open` holds the number of the process that works on a project: two studios never write
into one folder.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.studio.folders import is_alive

DAYS = 7
KEPT_FOR = DAYS * 86_400  # seconds
NAME = "project.json"
OPEN = "open"
FORMAT = 1
LONGEST = 80  # characters of a project's name


def state_folder() -> Path:
    """Return the folder for the user's projects, wherever this system keeps such things."""
    if named := os.environ.get("SHOAL_STUDIO_STATE"):
        return Path(named)
    if sys.platform == "win32":
        above = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        above = Path.home() / "Library" / "Application Support"
    else:
        above = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return above / "shoal" / "studio"


@dataclass(frozen=True)
class Project:
    """Describe one project of a list."""

    folder: Path
    title: str
    changed: float
    """Seconds since 1970."""
    has_table: bool
    is_busy: bool
    """Whether another studio works on it."""

    @property
    def key(self) -> str:
        """Return the name of its folder, by which it is opened."""
        return self.folder.name


class Projects:
    """Keep the projects of one user in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.tidy()

    def new(self) -> Path:
        """Make an empty folder for a project."""
        folder = self.folder / secrets.token_hex(8)
        folder.mkdir(mode=0o700)
        take(folder)
        return folder

    def recent(self) -> list[Project]:
        """List the projects, the latest first."""
        listed = [_listed(folder) for folder in self.folder.iterdir() if folder.is_dir()]
        return sorted(filter(None, listed), key=lambda one: -one.changed)

    def place_of(self, key: str) -> Path | None:
        """Return the folder of a project; None where there is none of that name."""
        return next((one.folder for one in self.recent() if one.key == key), None)

    def rename(self, key: str, title: str) -> None:
        """Give a project that is not open another name."""
        folder = self.place_of(key)
        state = None if folder is None else read(folder)
        if folder is not None and state is not None:
            write(folder, {**state, "title": cleaned(title) or state["title"]})

    def remove(self, key: str) -> None:
        """Remove a project with all that it holds."""
        if (folder := self.place_of(key)) is not None:
            shutil.rmtree(folder, ignore_errors=True)

    def tidy(self) -> None:
        """Remove tables and runs that are too old, and folders in which nothing was kept."""
        for folder in [folder for folder in self.folder.iterdir() if folder.is_dir()]:
            state = read(folder)
            if is_taken(folder):
                continue
            if state is None:
                shutil.rmtree(folder, ignore_errors=True)
            elif time.time() - state["changed"] > KEPT_FOR:
                remove_data(folder, state)


def cleaned(title: str) -> str:
    """Reduce a name to what can be shown in one line."""
    return "".join(sign for sign in title if sign.isprintable()).strip()[:LONGEST]


def remove_data(folder: Path, state: Mapping[str, Any]) -> None:
    """Remove the copy of the table and the runs of a project; its settings stay."""
    named = {str(spec) for spec in state["recipe"].get("hierarchies", {}).values()}
    for path in folder.iterdir():
        holds_tree = path.is_dir() and any(Path(one).parent == path for one in named)
        if path.name in (NAME, OPEN) or holds_tree:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    write(folder, {**state, "runs": []})


def read(folder: Path) -> dict[str, Any] | None:
    """Read what a project holds; None where nothing was kept, or it can't be read."""
    try:
        state: dict[str, Any] = json.loads((folder / NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    needed = {"format", "title", "changed", "table", "recipe", "runs"}
    return state if needed <= state.keys() and state["format"] == FORMAT else None


def write(folder: Path, state: Mapping[str, Any]) -> None:
    """Write what a project holds, whole or not at all, for its owner alone."""
    write_whole(folder / NAME, json.dumps({"format": FORMAT, **state}, ensure_ascii=False))


def write_whole(path: Path, text: str) -> None:
    """Write a text into a file, whole or not at all, for its owner alone."""
    place = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "w", encoding="utf-8") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        place.replace(path)
    except OSError:
        place.unlink(missing_ok=True)
        raise


def take(folder: Path) -> None:
    """Say that this process works on a project."""
    (folder / OPEN).write_text(str(os.getpid()), "ascii")


def let_go(folder: Path) -> None:
    """Say that nobody works on a project; one in which nothing was kept is removed."""
    (folder / OPEN).unlink(missing_ok=True)
    if read(folder) is None:
        shutil.rmtree(folder, ignore_errors=True)


def is_taken(folder: Path) -> bool:
    """Tell whether a process that lives works on a project."""
    try:
        return is_alive(int((folder / OPEN).read_text("ascii")))
    except (OSError, ValueError):
        return False


def is_busy(folder: Path) -> bool:
    """Tell whether another process works on a project."""
    return is_taken(folder) and (folder / OPEN).read_text("ascii") != str(os.getpid())


def _listed(folder: Path) -> Project | None:
    state = read(folder)
    if state is None:
        return None
    file = str((state["table"] or {}).get("file") or "")
    has_table = bool(file) and (folder / file).is_file()
    return Project(folder, str(state["title"]), float(state["changed"]), has_table, is_busy(folder))
