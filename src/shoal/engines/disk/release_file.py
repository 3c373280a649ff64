"""Release file: a release that was written part by part, kept in a temporary folder of its own."""

from __future__ import annotations

import os
import shutil
import weakref
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from shoal.adapters.parts import parts_of, texts_of
from shoal.distortions.parts import TableParts


@dataclass(frozen=True, eq=False)
class ReleaseFile:
    """A release on disk; its folder is removed with the last reference to it."""

    path: Path
    like: str
    """A name whose ending says its format."""
    attacked: pa.Table
    """The rows of the groups whose people are attacked before the release."""

    def __post_init__(self) -> None:
        weakref.finalize(self, _remove, str(self.path.parent), os.getpid())

    @property
    def is_untouched(self) -> bool:
        """Whether no file outside of the folder is this one under another name."""
        return self.path.stat().st_nlink == 1

    def texts(self) -> TableParts:
        """Read the release part by part, every cell as text."""
        return texts_of(str(self.path), self.like)

    def parts(self) -> TableParts:
        """Read the release part by part, with the types that it was written with."""
        return parts_of(str(self.path))


def _remove(folder: str, owner: int) -> None:
    """Remove a folder, unless this is another process than the one that made it."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
