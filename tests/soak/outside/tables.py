"""Tables of a soak: original columns with what is known of them, and releases read from files."""

from __future__ import annotations

import csv
import datetime
import sqlite3
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as parquet

Printed = dict[str, list[Any]]
"""A published table: column name -> values; None is missing."""


@dataclass(frozen=True)
class Column:
    """A column of an original table, and the hierarchy that was asked for it."""

    kind: str
    """number, date, time or category"""
    values: list[Any]
    hierarchy: str = ""
    """Empty, or one of file, masks, dates, intervals."""
    paths: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For a hierarchy from a file: each leaf with its groups, from the lowest to the root."""


Original = dict[str, Column]


def text_of(value: Any) -> str:
    """Spell a value as hierarchies and releases do."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    return str(value)


@lru_cache(maxsize=100_000)
def point_of(value: Any) -> Fraction:
    """Place a number, or the seconds of a date or a time, on a line, exactly.

    A date is its midnight: a column of times that are all at midnight is published as dates.
    """
    if isinstance(value, datetime.datetime):
        since = value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)
        whole_seconds = since.days * 86_400 + since.seconds
        return Fraction(whole_seconds) + Fraction(since.microseconds, 1_000_000)
    if isinstance(value, datetime.date):
        return point_of(datetime.datetime.combine(value, datetime.time()))
    return Fraction(repr(value) if isinstance(value, float) else str(value))


def same(value: Any) -> Any:
    """Return a form in which a value is equal to itself after a way through any file."""
    if value is None:
        return None
    text = text_of(value)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def read_table(path: Path, table: str | None = None) -> Printed:
    """Read a release from a file, by libraries that Shoal's own reading does not pass through."""
    if path.suffix == ".csv":
        return _read_csv(path)
    if path.suffix == ".parquet":
        return {name: list(column) for name, column in parquet.read_table(path).to_pydict().items()}
    connect = sqlite3.connect if path.suffix in (".sqlite", ".db") else duckdb.connect
    connection = connect(str(path))
    try:
        cursor = connection.execute(f'select * from "{table}"')
        names = [described[0] for described in cursor.description]
        rows = cursor.fetchall()
    finally:
        connection.close()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _read_csv(path: Path) -> Printed:
    with path.open(encoding="utf-8", newline="") as lines:
        names, *rows = [row or [""] for row in csv.reader(lines)]  # one column, and no value
    columns = {name: [row[place] or None for row in rows] for place, name in enumerate(names)}
    return dict(columns)
