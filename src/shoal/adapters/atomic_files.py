"""Atomic files: several outputs appear together, each whole or not at all.

```python
with Staged(force=force, inputs=[source]) as staged:
    certificate.write(staged.file("out.csv.certificate.json"))
    write_table(table, staged.file("out.csv"))
```

Each file is first written under a hidden name beside its target (`.out.<token>.part.csv`, for the
owner's eyes only). When the block ends well, all bytes are brought to the disk, and then the files
take their places in the order in which they were staged: certificate first, release last. When it
ends in any other way, hidden files are removed and the targets are as they were; a file that has
already taken its place is taken back. A process that is killed outright can leave hidden files
behind, which the next run to the same target removes; a target is always the old file or the new
one.

A target that is a link is followed, and the file behind it is replaced; the link stays. Something
that is neither a file nor free (a folder, a device, a pipe) is refused. `-` is standard output,
written to when its turn comes.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from shoal.adapters.extras import refuse_without
from shoal.adapters.folders import members
from shoal.adapters.leftovers import remove_leftovers, token
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Sentence, Set

STANDARD = "-"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# formats that are not written here: a file with such a name would lie
FOREIGN = (
    *(".xls", ".xlsb", ".xlsm", ".ods", ".por", ".sas7bdat", ".rds", ".orc", ".avro", ".zip"),
    *(".xlsx.gz", ".sav.gz", ".zsav.gz", ".dta.gz", ".xpt.gz"),
)
Place = str | os.PathLike[str]


@dataclass
class _File:
    """One output on its way: where it is written, where it will stand, and what stood there."""

    target: Path | None  # None: standard output
    hidden: Path
    mode: int
    old: Path | None = None
    placed: bool = False
    removed: bool = False  # nothing will stand at the target


class Staged:
    """Put outputs in their places when the block ends well, and leave no trace otherwise."""

    def __init__(self, *, force: bool = False, inputs: Iterable[Place] = ()) -> None:
        self.force = force
        self.inputs = list(inputs)
        self._targets: list[Place] = []
        self._files: list[_File] = []
        self._last: Callable[[], None] = lambda: None

    def last(self, step: Callable[[], None]) -> None:
        """Add a step that is done when every file is in its place.

        Should it fail, all files are taken back.
        """
        self._last = step

    def file(self, target: Place, *, private: bool = False) -> Path:
        """Return a path to write to now; what is written there will stand at `target`.

        Where `private`, only its owner may read it.
        """
        check_targets([*self._targets, target], force=self.force, inputs=self.inputs)
        self._targets.append(target)
        place = None if _is_standard(target) else Path(os.path.realpath(target))
        hidden = _hidden_beside(place)
        try:
            descriptor = os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        except OSError as error:
            raise _refusal(error, target) from None
        mode = 0o600 if private else stat.S_IMODE(os.fstat(descriptor).st_mode)
        self._files.append(_File(place, hidden, mode))
        os.chmod(hidden, 0o600)  # until the gate is passed
        os.close(descriptor)
        return hidden

    def absent(self, target: Place) -> None:
        """Take a file away when its turn comes, as one that would belong to what is replaced.

        Without `force` it is refused, like a file that would be replaced.
        """
        if os.path.exists(target):
            self.file(target)
            self._files[-1].removed = True

    def __enter__(self) -> Staged:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._commit()
        except OSError as failure:
            raise _refusal(failure, self._targets[0] if self._targets else "") from None
        finally:
            for file in self._files:
                for path in (file.hidden, file.old):
                    if path:
                        path.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in (*FULL, errno.EIO, errno.EROFS):
            raise _refusal(error, self._targets[-1] if self._targets else "") from None

    def _commit(self) -> None:
        # checked again: the work may have taken hours
        check_targets(self._targets, force=self.force, inputs=self.inputs)
        try:
            for file in self._files:
                to_disk(file.hidden)
                os.chmod(file.hidden, file.mode)
                _keep_old(file)
            for file in self._files:
                _place(file)
            for folder in {file.target.parent for file in self._files if file.target}:
                to_disk(folder)
            self._last()
        except BaseException:
            for file in reversed(self._files):
                _take_back(file)
            raise


@contextmanager
def told_when_full(target: Place) -> Iterator[None]:
    """Refuse in plain words where a disk is full, broken or read-only while a block writes."""
    try:
        yield
    except OSError as error:
        if error.errno in (*FULL, errno.EIO, errno.EROFS):
            raise _refusal(error, target) from None
        raise


def check_targets(
    targets: Sequence[Place], *, force: bool = False, inputs: Iterable[Place] = ()
) -> None:
    """Refuse outputs that could not be written or would destroy something, before any work."""
    files = [target for target in targets if not _is_standard(target)]
    sources = [source for source in inputs if not _is_standard(source)]
    if len(targets) - len(files) > 1:
        raise RecipeError(
            "only one output can go to standard output", remedy="name files for the others"
        )
    for place, target in enumerate(files):
        if Path(target).name.lower().endswith(FOREIGN):
            raise RecipeError(
                f"output '{target}' can't be written in that format",
                remedy="use .csv, .parquet, .arrow, .xlsx, .sav, .dta, .xpt or .jsonl",
            )
        refuse_without(Path(target).suffix.lower())
        if any(_same(target, other) for other in files[:place]):
            raise RecipeError(
                f"two outputs have the same name '{target}'",
                remedy="give each output a file of its own",
            )
        if any(_same(target, source) for source in sources):
            raise RecipeError(f"output '{target}' is the input", remedy="write to another file")
        if any(_inside(target, source) for source in sources):
            raise RecipeError(
                f"output '{target}' is in the folder that is read", remedy="write to another folder"
            )
        try:
            _check_free(Path(os.path.realpath(target)), target, force=force)
        except OSError as error:  # a name that is too long
            facts = {"reason": error.strerror}
            raise DataError(
                f"output '{target}' can't be written", facts, "give it another name"
            ) from None


def _check_free(path: Path, target: Place, *, force: bool) -> None:
    """Refuse a place where no file can be written, or one that holds a file without `force`."""
    folder = path.parent
    output = f"output '{target}'"
    if path.is_dir():
        named = f"name a file in it: {Path(target) / 'released.csv'}"
        raise DataError(f"{output} is a folder", remedy=named)
    if path.exists() and not path.is_file():
        elsewhere = "write to a file, or to - for standard output"
        raise DataError(f"{output} is no plain file", remedy=elsewhere)
    if not folder.is_dir():
        made = f"mkdir -p {Path(target).parent}"
        raise DataError(f"{output} has no folder to stand in", remedy=made)
    if path.exists() and not force:
        remedy = Remedy(Sentence(Set("force", True), " to replace it"), "another name")
        raise RecipeError(f"{output} exists", remedy=remedy)
    if not os.access(folder, os.W_OK | os.X_OK):
        problem = f"{output} stands in a folder that can't be written to"
        raise DataError(problem, remedy="write to another folder")


def _is_standard(place: Place) -> bool:
    return os.fspath(place) == STANDARD


def _same(one: Place, other: Place) -> bool:
    """Tell whether two names mean one file, also by links."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def _inside(target: Place, source: Place) -> bool:
    """Tell whether an output would be read as a part of the input the next time."""
    above = Path(os.path.realpath(target)).parents
    return Path(os.path.realpath(source)) in above and bool(members(source))


def to_disk(path: Path) -> None:
    """Bring the bytes of a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_old(file: _File) -> None:
    """Link what stands at the target under a second, hidden name, by which it can come back."""
    if file.target and file.target.exists():
        file.old = file.hidden.with_name(f"{file.hidden.name}.old")
        try:
            os.link(file.target, file.old)
        except OSError:  # a file system without links
            shutil.copy2(file.target, file.old)


def _place(file: _File) -> None:
    if file.target:
        # set before the file is placed: `_take_back` asks whether the hidden file is still there
        file.placed = True
        os.replace(file.hidden, file.target)
        if file.removed:
            file.target.unlink()
    else:
        if sys.__stdout__ is None:
            raise DataError("standard output is closed", {"written": "nothing"}, "name a file")
        with file.hidden.open("rb") as ready:
            shutil.copyfileobj(ready, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _take_back(file: _File) -> None:
    if file.target and file.placed and not file.hidden.exists():
        with suppress(OSError):
            if file.old:
                os.replace(file.old, file.target)
            else:
                file.target.unlink()


def _hidden_beside(place: Path | None) -> Path:
    """Name a hidden file beside a target; among temporary files for standard output.

    Hidden files that killed runs left for the same target are removed.
    """
    folder = place.parent if place else Path(tempfile.gettempdir())
    name = place or Path("shoal")
    for ending in ("", ".old"):
        remove_leftovers(folder, f".{name.stem}.", f".part{name.suffix}{ending}")
    return folder / f".{name.stem}.{token()}.part{name.suffix}"


def _refusal(error: OSError, target: Place) -> DataError:
    """Write the system's reason as a refusal that says that nothing was written."""
    if error.errno in FULL:
        return DataError(
            f"output '{target}' can't be written: the disk is full",
            {"reason": error.strerror, "written": "nothing"},
            "free some space, or write to another disk",
        )
    return DataError(
        f"output '{target}' can't be written", {"reason": error.strerror, "written": "nothing"}
    )
