"""Row files: rows of codes in temporary files, in a folder for the owner's eyes alone.

The folder is gone when its block ends, however it ends.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import numpy as np

from shoal.adapters.leftovers import remove_leftovers, token
from shoal.arrays import AnyArray, Ints

CELLS = 2**22  # codes at a time: 16 MB


class Folder:
    """A hidden folder beside a file, with files of rows in it.

    Folders that killed runs left beside the same file are removed.
    """

    def __init__(self, beside: Path) -> None:
        remove_leftovers(beside.parent, f".{beside.stem}.", ".spill")
        self.path = beside.parent / f".{beside.stem}.{token()}.spill"
        self._files = 0

    def __enter__(self) -> Folder:
        self.path.mkdir(mode=0o700)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def remove_rows(self) -> None:
        """Remove all files of rows, and nothing else."""
        for path in self.path.glob("*.rows"):
            path.unlink(missing_ok=True)

    def file(self, width: int) -> RowFile:
        """Begin a file of rows with `width` codes each."""
        self._files += 1
        return RowFile(self.path / f"{self._files}.rows", width)

    def scattered(self, width: int, count: int) -> Scattered:
        """Begin `count` files of rows."""
        return Scattered([self.file(width) for _ in range(count)])


class RowFile:
    """Rows of int32 codes, appended and then read."""

    def __init__(self, path: Path, width: int) -> None:
        self.path = path
        self.width = width
        self.rows = 0

    def append(self, rows: AnyArray) -> None:
        """Append rows: [row, column]."""
        if len(rows):
            with self.path.open("ab") as sink:
                sink.write(np.ascontiguousarray(rows, np.int32).data)
            self.rows += len(rows)

    def blocks(self) -> Iterator[Ints]:
        """Read all rows in their order, a block at a time."""
        many = max(CELLS // self.width, 1)
        if self.rows:
            with self.path.open("rb") as source:
                for first in range(0, self.rows, many):
                    some = np.fromfile(source, np.int32, self.width * min(many, self.rows - first))
                    yield some.reshape(-1, self.width)

    def columns(self) -> Ints:
        """Read all rows at once: [column, row]."""
        codes = np.empty((self.width, self.rows), np.int32)
        done = 0
        for block in self.blocks():
            codes[:, done : done + len(block)] = block.T
            done += len(block)
        return codes

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
        self.rows = 0


class Scattered:
    """Several files, each of which takes some of the rows; their order stays inside each."""

    def __init__(self, files: list[RowFile]) -> None:
        self.files = files

    def append(self, rows: AnyArray, number: AnyArray) -> None:
        """Send each row to the file of its number."""
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number, minlength=len(self.files)))
        for file, some in zip(self.files, np.split(order, ends[:-1]), strict=True):
            file.append(rows[some])
