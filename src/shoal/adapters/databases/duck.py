"""DuckDB through its own package, which speaks Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from shoal.adapters.databases.address import Address, Name
from shoal.adapters.databases.session import Session, spelled, stored
from shoal.declare.memory import TEXT
from shoal.errors import DataError

INCOMING = "shoal_incoming"
STANDING = """
    SELECT lower(replace(table_type, 'BASE ', '')) FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = coalesce(?, current_schema()) AND lower(table_name) = lower(?)
"""
SIZE = """
    SELECT estimated_size * column_count FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = coalesce(?, current_schema()) AND lower(table_name) = lower(?)
"""


class DuckDB(Session):
    """One transaction on a file; a source is opened read-only."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        import duckdb

        path = address.existing() if read_only else address.path
        self._connection: Any = duckdb.connect(str(path), read_only=read_only)
        self.execute("BEGIN TRANSACTION")

    def read(self, name: Name) -> pa.Table:
        """All rows; the name must be in the database, for DuckDB would also find a file or a
        variable of that name.
        """
        if self.kind(name) is None:
            raise DataError(
                f"there is no table '{name}'",
                remedy="check its name; schema.table finds one in another schema",
            )
        return self._connection.sql(f"SELECT * FROM {name.quoted}").to_arrow_table()

    def size(self, name: Name) -> int:
        """By its rows and columns; nothing is known of a view."""
        found = self._connection.execute(SIZE, [name.schema, name.table]).fetchall()
        return found[0][0] * TEXT if found else 0

    def kind(self, name: Name) -> str | None:
        """What bears this name, in upper or lower case."""
        found = self._connection.execute(STANDING, [name.schema, name.table]).fetchall()
        return found[0][0] if found else None

    def load(self, name: Name, table: pa.Table) -> None:
        """From Arrow, without a copy."""
        columns = [stored(column) for column in table.columns]
        fitting = [
            spelled(column) if pa.types.is_decimal256(column.type) else column for column in columns
        ]
        self._connection.register(INCOMING, pa.table(fitting, names=table.column_names))
        self.execute(f"CREATE TABLE {name.quoted} AS SELECT * FROM {INCOMING}")
        self._connection.unregister(INCOMING)

    def execute(self, statement: str) -> None:
        """One statement, to its end: an open result would stand in the way of the next."""
        self._connection.execute(statement).fetchall()

    def commit(self) -> None:
        """The end of the transaction."""
        self.execute("COMMIT")

    def close(self) -> None:
        """Leaves without a trace."""
        self._connection.close()
