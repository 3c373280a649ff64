"""Workspace: how much room the work on a table has, in memory and on disk."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.engines.row_files import Folder


@dataclass(frozen=True)
class Workspace:
    """The room for one table."""

    memory: int
    """Bytes that may be used."""
    rows: int
    """Rows that fit at a time."""
    folder: Folder
    """Where temporary files go, for the owner's eyes."""
