"""Items of a desk: the table, the runs, the tables on the screen and the moments to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.recipe import Recipe
from shoal.studio.jobs import Job


@dataclass(frozen=True)
class Sheet:
    """The table that is worked on: an Arrow file in the desk's folder, mapped and not loaded."""

    name: str
    """As the user calls it; shown as text, never used as a path."""
    path: Path
    table: pa.Table
    kinds: Mapping[str, str]
    as_read: Mapping[str, str]
    """The kinds before anyone changed them."""
    source: Mapping[str, Any]
    """Where it was read from, to read it again: `place`, `table` of a database, how a CSV file is
    read.
    """

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return list(self.table.column_names)

    @property
    def recast(self) -> list[str]:
        """The columns that the user takes for another kind than the file says."""
        return [name for name, kind in self.kinds.items() if kind != self.as_read[name]]


@dataclass
class Run:
    """One release that was made, or is being made, from a recipe."""

    number: int
    recipe: Recipe
    folder: Path
    job: Job
    sheet: Sheet
    further: dict[str, Job] = field(default_factory=dict)
    """Jobs about this release: attacks, mining."""

    @property
    def title(self) -> str:
        """How it is called."""
        return f"Run {self.number}"

    @property
    def told(self) -> dict[str, Any]:
        """What its worker found (see `work/anonymizing`); empty until it is done."""
        return self.job.result or {}


@dataclass(frozen=True)
class Showing:
    """A table on the screen, and which of its cells are marked (None: none are)."""

    table: pa.Table
    marks: pa.Table | None = None


@dataclass(frozen=True)
class Moment:
    """What is gone back to: what was asked, the table with its kinds, and the numbers of the runs
    that were removed.
    """

    recipe: Recipe
    sheet: Sheet | None
    removed: frozenset[int]
