"""Tables: convert anything with rows to an Arrow table, and back; populations may be numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from msgspec.structs import replace

from shoal.adapters import databases, files, frames
from shoal.adapters.atomic_files import check_targets
from shoal.adapters.manner import Manner, manner_of
from shoal.adapters.odd_rows import odd_rows
from shoal.errors import RecipeError
from shoal.review.sources import Source


def arrow(
    frame: Any, table: str | None = None, *, typed: bool = True
) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Convert anything with rows to an Arrow table, and return the way back.

    `table` names the one of a database, or the sheet of a workbook.
    """
    rows, back, _ = arrow_and_manner(frame, table, typed=typed)
    return rows, back


def arrow_and_manner(
    frame: Any, table: str | None = None, *, typed: bool = True
) -> tuple[pa.Table, Callable[[pa.Table], Any], Manner]:
    """Convert anything with rows to an Arrow table; return the way back, and how it was written."""
    if isinstance(frame, str | Path):
        rows = read(frame, table, typed=typed)
        return rows.replace_schema_metadata(None), lambda table: table, manner_of(rows)
    refuse_table(table)
    rows, back = frames.to_arrow(frame)
    manner = manner_of(frame)
    notices = manner.notices or odd_rows(rows)  # a table that was read from a file has told
    return rows, back, replace(manner, notices=notices)


def read(
    place: str | Path, table: str | None = None, *, typed: bool = True, **reading: Any
) -> pa.Table:
    """Read the table in a file, or the one of this name in a database or a workbook.

    `reading` says how a CSV file is read.
    """
    if databases.is_url(place):
        rows = databases.read(str(place), table, typed=typed)
        return rows if typed else files.as_texts(rows)
    if table is not None and not files.is_workbook(place):
        refuse_table(table)
    return files.read(place, typed=typed, sheet=table, **reading)


def check_outputs(
    place: str,
    table: str | None,
    beside: Sequence[str | Path],
    *,
    force: bool,
    source: tuple[str, str | None],
) -> None:
    """Refuse outputs that could not be written or would destroy something, before any work.

    These are a release and the files beside it.
    """
    inputs = [] if databases.is_url(source[0]) else [source[0]]
    if databases.is_url(place):
        databases.check_target(place, table, force=force, source=source)
        check_targets(beside, force=force, inputs=inputs)
    else:
        refuse_table(table)
        if place.lower().endswith(".json"):
            remedy = "JSON is written line by line: name it .jsonl"
            raise RecipeError(f"output '{place}' can't be written in that format", remedy=remedy)
        inputs = [str(files.parted(each)[0]) for each in inputs]
        check_targets([*beside, place], force=force, inputs=inputs)


def parted(place: str, table: str | None = None) -> tuple[str, str | None]:
    """Part a place and the table or sheet that stands behind it, for a database or a workbook."""
    if databases.is_url(place):
        return databases.parted(place, table)
    file, sheet = files.parted(place, table)
    return str(file), sheet


def shown(place: str, table: str | None = None) -> str:
    """Describe where a table is or went, without user and password."""
    place, table = databases.parted(place, table)
    return f"{databases.shown(place)}, table {table}" if databases.is_url(place) else place


def refuse_table(table: str | None) -> None:
    """Refuse the name of a table without a database.

    The place is not quoted: it may be another form of address, with a password in it.
    """
    if table is not None:
        problem = (
            f"'{table}' is to be a table in a database or a sheet of a workbook, but no address of "
            "one and no workbook was given"
        )
        raise RecipeError(
            problem,
            remedy="postgresql://host/database, sqlite:///file.db, people.xlsx, or give no table",
        )


def everyone(population: Any) -> Source:
    """Return a population: a number as it is, anything else as a table."""
    if population is None or isinstance(population, int | float):
        return population
    return arrow(population)[0]


def named(population: Any) -> int | float | str | None:
    """Describe a population for a recipe.

    A table in memory has no name, and an address may hold a password.
    """
    if isinstance(population, Path):
        return str(population)
    if databases.is_url(population):
        return None
    return population if isinstance(population, int | float | str) else None
