"""Atomic folders: a folder of files appears whole or not at all, also in place of another.

```python
with StagedFolder(place, names, force=force) as folder, Staged(force=force) as staged:
    write_table(table, folder.hidden / "clusters.csv")
    staged.last(folder.take_place)
```

Files are written to a hidden folder beside the target (`.out.<token>.part`, for the owner's eyes
only), which takes its place in one step. A folder that stands there already changes places with it,
also in one step where the system can do that (Linux); elsewhere a process that is killed between
two renames leaves no folder there, and the old one beside it under a hidden name. What killed runs
left is removed by the next run to the same place.

A folder is replaced only if every file in it has a name of ours: nothing of anybody else is lost.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from shoal.adapters.atomic_files import to_disk, told_when_full
from shoal.adapters.leftovers import remove_leftovers, token
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Sentence, Set

HERE = -100  # AT_FDCWD of renameat2: names are relative to the current folder
EXCHANGE = 2  # RENAME_EXCHANGE


class StagedFolder:
    """A folder on its way: written under a hidden name, and removed unless it took its place."""

    def __init__(
        self,
        place: str | Path,
        names: Collection[str],
        *,
        force: bool = False,
        inputs: Iterable[str | Path] = (),
    ) -> None:
        check_folder(place, names, force=force, inputs=inputs)
        self.place = Path(os.path.realpath(place))
        self.names = names
        self.force = force
        remove_leftovers(self.place.parent, f".{self.place.name}.", ".part")
        self.hidden = self.place.with_name(f".{self.place.name}.{token()}.part")
        with told_when_full(place):
            self.hidden.mkdir()
        self.mode = stat.S_IMODE(self.hidden.stat().st_mode)
        self.hidden.chmod(0o700)

    def __enter__(self) -> StagedFolder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.hidden, ignore_errors=True)  # also the old one, after an exchange

    def take_place(self) -> None:
        """Put the folder where it belongs; what stood there is gone."""
        # checked again: the work may have taken hours
        check_folder(self.place, self.names, force=self.force)
        with told_when_full(self.place):
            for path in (*sorted(self.hidden.iterdir()), self.hidden):
                to_disk(path)
            self.hidden.chmod(self.mode)
            _placed(self.hidden, self.place)
            to_disk(self.place.parent)
        remove_leftovers(self.place.parent, f".{self.place.name}.", ".part.old")


def check_folder(
    place: str | Path,
    names: Collection[str],
    *,
    force: bool = False,
    inputs: Iterable[str | Path] = (),
) -> None:
    """Refuse a folder that can't be made, or would take something else's place."""
    target = Path(os.path.realpath(place))
    output = f"output '{place}'"
    if target.exists() and not target.is_dir():
        raise RecipeError(f"{output} is a file", remedy="name a folder")
    if not target.parent.is_dir():
        made = f"mkdir -p {Path(place).parent}"
        raise DataError(f"{output} can't be made: it has no folder to stand in", remedy=made)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        problem = f"{output} can't be made in a folder that can't be written to"
        raise DataError(problem, {"written": "nothing"}, "name another folder")
    if any(target in Path(os.path.realpath(source)).parents for source in inputs):
        raise RecipeError(f"{output} holds what is read", remedy="write to another folder")
    there = [path.name for path in target.iterdir()] if target.is_dir() else []
    foreign = [name for name in there if name not in names]
    if foreign:
        facts = {"files of something else": len(foreign), "written": "nothing"}
        raise RecipeError(f"{output} is a folder with other files", facts, "name another folder")
    if there and not force:
        remedy = Remedy(Sentence(Set("force", True), " to replace it"), "another folder")
        raise RecipeError(f"{output} exists", remedy=remedy)


def _placed(hidden: Path, place: Path) -> None:
    """Let a folder take its place: where nothing stands, or in exchange with what does."""
    if not place.exists() or not any(place.iterdir()):
        with suppress(OSError):
            place.rmdir()
        os.rename(hidden, place)
    elif not _exchanged(hidden, place):
        old = hidden.with_name(f"{hidden.name}.old")
        os.rename(place, old)
        try:
            os.rename(hidden, place)
        except BaseException:
            os.rename(old, place)
            raise
        shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Let two folders change places in one step; False where the system can't."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    paths = (os.fsencode(one), os.fsencode(other))
    return bool(call(HERE, paths[0], HERE, paths[1], EXCHANGE) == 0)
