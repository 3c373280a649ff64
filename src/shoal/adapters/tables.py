"""Tables: anything with rows as an Arrow table, and the way back; and a population, which may be a number instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import files, frames
from shoal.review.sources import Source


def arrow(frame: Any, *, typed: bool = True) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Anything with rows as an Arrow table, and the way back."""
    if isinstance(frame, str | Path):
        return files.read(frame, typed=typed), lambda table: table
    return frames.to_arrow(frame)


def everyone(population: Any) -> Source:
    """A population as given: numbers are themselves, anything else is a table."""
    return population if population is None or isinstance(population, int | float) else arrow(population)[0]


def named(population: Any) -> int | float | str | None:
    """What a recipe says of a population: a table in memory has no name."""
    if isinstance(population, Path):
        return str(population)
    return population if isinstance(population, int | float | str) else None
