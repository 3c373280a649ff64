"""SQLite through ADBC.

It knows whole numbers, floats, text and bytes; everything else is stored as text in our spelling.

Dates and times are texts there by custom: a column in which every text is one is read as such.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from shoal.adapters.databases.address import Address, Name, literal, quoted
from shoal.adapters.databases.session import Session, spelled, stored
from shoal.declare.columns import is_text
from shoal.declare.memory import TEXT
from shoal.declare.understanding.spelled import dated
from shoal.errors import DataError

BATCH = "adbc.sqlite.query.batch_rows"
WAIT = 10.0  # seconds for others who read the database


class SQLite(Session):
    """One transaction on a file; a source is opened read-only."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        from adbc_driver_sqlite import dbapi

        path = address.existing() if read_only else address.path
        assert path is not None
        self._connection: Any = dbapi.connect(
            f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rwc'}"
        )
        self._path = path
        if not read_only:
            # The pages of a table that is replaced are overwritten, not just set free.
            self.execute("PRAGMA secure_delete = ON")

    def read(self, name: Name) -> pa.Table:
        """All rows in one batch: types are told by the cells, and so by all of them."""
        with self._connection.cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {name.quoted}")
            rows = cursor.fetchone()[0]
            cursor.adbc_statement.set_options(**{BATCH: str(max(rows, 1))})
            cursor.execute(f"SELECT * FROM {name.quoted}")
            return cursor.fetch_arrow_table()

    def size(self, name: Name) -> int:
        """By its rows and columns."""
        with self._connection.cursor() as cursor:
            columns = (
                f"SELECT count(*) FROM pragma_table_info({literal(name.table)}, "
                f"{literal(name.schema or 'main')})"
            )
            cursor.execute(f"SELECT count(*) * ({columns}) FROM {name.quoted}")
            return int(cursor.fetchone()[0]) * TEXT

    def typed(self, column: pa.Array) -> pa.Array:
        """Dates and times, which SQLite has no types for."""
        return dated(column) if is_text(column.type) else column

    def kind(self, name: Name) -> str | None:
        """Tell what bears this name, in upper or lower case."""
        with self._connection.cursor() as cursor:
            master = f"{quoted(name.schema or 'main')}.sqlite_master"
            cursor.execute(
                f"SELECT type FROM {master} WHERE name = {literal(name.table)} COLLATE NOCASE "
                "AND type <> 'trigger'"
            )
            row = cursor.fetchone()
        return row[0] if row else None

    def load(self, name: Name, table: pa.Table) -> None:
        """Row by row, inside the driver."""
        plain = pa.table(
            [spelled(stored(column)) for column in table.columns], names=table.column_names
        )
        with self._connection.cursor() as cursor:
            cursor.adbc_ingest(name.table, plain, mode="create", catalog_name=name.schema)

    def execute(self, statement: str) -> None:
        """One statement."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def commit(self) -> None:
        """The end of the transaction."""
        self._connection.commit()

    def erase_replaced(self) -> None:
        """Empty the log, where the database keeps one: it holds pages as they were."""
        with closing(sqlite3.connect(self._path, timeout=WAIT)) as connection:
            ((busy, *_),) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if busy:
            raise DataError(
                "the table was replaced, but the file keeps its old rows while others read it",
                {"written": "all"},
                "close other programs, then: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'",
            )

    def close(self) -> None:
        """Leaves without a trace."""
        self._connection.close()
