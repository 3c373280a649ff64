"""Items of a desk: the table, the runs, the tables on the screen and the moments to go back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.recipe import Recipe
from shoal.studio.jobs import Job
from shoal.studio.ledger_choice import LedgerChoice


@dataclass(frozen=True)
class Sheet:
    """The table that is worked on: an Arrow file in the desk's folder, mapped and not loaded."""

    name: str
    """As the user calls it; shown as text, never used as a path."""
    path: Path
    table: pa.Table
    kinds: Mapping[str, str]
    source: Mapping[str, Any]
    """The source, to read it again: `place`, `table` of a database, options of a CSV file."""

    @property
    def columns(self) -> list[str]:
        """List the names of the columns."""
        return list(self.table.column_names)


@dataclass
class StudioRun:
    """One release that was made, or is being made, from a recipe."""

    number: int
    recipe: Recipe
    folder: Path
    job: Job
    sheet: Sheet
    further: dict[str, Job] = field(default_factory=dict)
    """Jobs about this release: attacks, mining."""
    ledger: LedgerChoice | None = None
    """What it was held against; None where that was nothing."""

    @property
    def title(self) -> str:
        """Return the run's name on the screen."""
        return f"Run {self.number}"

    @property
    def told(self) -> dict[str, Any]:
        """Return what the run's worker reported (see `work/anonymizing`), {} until it is done."""
        return self.job.result or {}


@dataclass(frozen=True)
class Showing:
    """A table on the screen, and which of its cells are marked (None: none are)."""

    table: pa.Table
    marks: pa.Table | None = None


@dataclass(frozen=True)
class Moment:
    """One state that undo leads back to: recipe, numbers of removed runs, and the ledger."""

    recipe: Recipe
    removed: frozenset[int]
    ledger: LedgerChoice | None = None
