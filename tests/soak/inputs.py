"""Inputs of a soak: tables as Arrow, and in files that other libraries write."""

from __future__ import annotations

import csv
import datetime
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet

from soak.outside.tables import Column, Original, text_of

TABLE = "people"


def arrow(original: Original) -> pa.Table:
    """Build the table in memory."""
    return pa.table({name: pa.array(column.values) for name, column in original.items()})


def write(original: Original, folder: Path, kind: str) -> Path:
    """Write a table to a file of this kind: csv, parquet, sqlite or duckdb."""
    place = folder / f"people.{kind}"
    if kind == "parquet":
        parquet.write_table(arrow(original), place)
    elif kind == "csv":
        _write_csv(original, place)
    elif kind == "sqlite":
        _write_sqlite(original, place)
    else:
        connection = duckdb.connect(str(place))
        connection.register("given", arrow(original))
        connection.execute(f"create table {TABLE} as select * from given")
        connection.close()
    return place


def write_hierarchy(column: Column, place: Path) -> Path:
    """Write a tree as a file in ARX's form."""
    lines = (";".join((leaf, *groups)) for leaf, groups in sorted(column.paths.items()))
    place.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return place


def nested(column: Column) -> dict[str, Any]:
    """Write a tree as a nested dict."""
    root: dict[str, Any] = {}
    for leaf, groups in sorted(column.paths.items()):
        node = root
        for group in reversed(groups[:-1]):
            node = node.setdefault(group, {})
        node[leaf] = None
    return root


def _write_csv(original: Original, place: Path) -> None:
    with place.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(original)
        for row in zip(*(column.values for column in original.values()), strict=True):
            writer.writerow(["" if value is None else text_of(value) for value in row])


def _write_sqlite(original: Original, place: Path) -> None:
    columns = ", ".join(f'"{name}"' for name in original)
    marks = ", ".join("?" for _ in original)
    connection = sqlite3.connect(place)
    connection.execute(f"create table {TABLE} ({columns})")
    rows = zip(*(column.values for column in original.values()), strict=True)
    plain = ([_of_sqlite(value) for value in row] for row in rows)
    connection.executemany(f"insert into {TABLE} values ({marks})", plain)
    connection.commit()
    connection.close()


def _of_sqlite(value: Any) -> Any:
    return text_of(value) if isinstance(value, datetime.date) else value
