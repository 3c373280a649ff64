"""Kept: finished cells in a file of JSON lines, so that interrupted work can go on.

One line for each cell: its key (a hash of table, recipe, hierarchies and version) and its figures.
No value of a cell of the table is in it, and no name of a column. A line that was cut off by a
power failure is left out and measured again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

from shoal.comparison.cells import Row
from shoal.errors import DataError, RecipeError
from shoal.wording import FILE, Remedy, Set

KEY = "key"

ANOTHER = Remedy(Set("cells", FILE, "name another file"))


class Kept:
    """Finished rows by key: in a file, or for this run alone."""

    def __init__(self, place: str | Path | None = None) -> None:
        self.place = Path(place) if place is not None else None
        self.rows: dict[str, Row] = {}
        if self.place is not None:
            self._read(self.place)

    def _read(self, place: Path) -> None:
        """Read all whole lines.

        Refuses a file that is something else or can't be written, before hours of work.
        """
        if not os.access(place if place.exists() else place.parent, os.W_OK):
            raise _unkept(place, "no such folder, or no right to write")
        try:
            lines = place.read_text(encoding="utf-8").splitlines() if place.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise _unkept(
                place, (isinstance(error, OSError) and error.strerror) or "it is something else"
            ) from None
        entries = [entry for entry in map(_entry, lines) if entry is not None]
        if lines and not entries:
            raise RecipeError(f"'{place}' is no file of finished cells", remedy=ANOTHER)
        self.rows = {entry.pop(KEY): entry for entry in entries}

    def add(self, key: str, row: Row) -> None:
        """Add a row, and write it to the file before this returns."""
        self.rows[key] = row
        if self.place is None:
            return
        line = json.dumps({KEY: key, **row}, allow_nan=False) + "\n"
        try:
            with self.place.open("ab+") as file:
                file.write(line.encode() if _ends_a_line(file) else b"\n" + line.encode())
        except OSError as error:
            raise _unkept(self.place, error.strerror) from None


def _unkept(place: Path, reason: str | None) -> DataError:
    return DataError(f"finished cells can't be kept in '{place}'", {"reason": reason}, ANOTHER)


def _ends_a_line(file: BinaryIO) -> bool:
    if not file.seek(0, os.SEEK_END):
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _entry(line: str) -> Row | None:
    """Parse a line; None if it is cut off or foreign."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get(KEY), str) else None
