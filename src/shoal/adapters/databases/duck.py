"""DuckDB through its own package, which speaks Arrow."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters.databases.address import Address, Name, literal
from shoal.adapters.databases.session import Session, spelled, stored
from shoal.adapters.leftovers import remove_leftovers, token
from shoal.declare.memory import TEXT
from shoal.errors import DataError, ShoalError

INCOMING = "shoal_incoming"
STANDING = """
    SELECT lower(replace(table_type, 'BASE ', '')) FROM information_schema.tables
    WHERE table_catalog = current_database() AND table_schema = coalesce(?, current_schema())
        AND lower(table_name) = lower(?)
"""
SIZE = """
    SELECT estimated_size * column_count FROM duckdb_tables()
    WHERE database_name = current_database() AND schema_name = coalesce(?, current_schema())
        AND lower(table_name) = lower(?)
"""


class DuckDB(Session):
    """One transaction on a file; a source is opened read-only."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        import duckdb

        path = address.existing() if read_only else address.path
        self._connection: Any = duckdb.connect(str(path), read_only=read_only)
        self.execute("BEGIN TRANSACTION")

    def read(self, name: Name) -> pa.Table:
        """Read all rows of a table.

        The name must be in the database, for DuckDB would also find a file or a variable of
        that name.
        """
        if self.kind(name) is None:
            raise DataError(
                f"there is no table '{name}'",
                remedy="check its name; schema.table finds one in another schema",
            )
        return self._connection.sql(f"SELECT * FROM {name.quoted}").to_arrow_table()

    def size(self, name: Name) -> int:
        """By its rows and columns; nothing is known of a view."""
        sizes = self._connection.execute(SIZE, [name.schema, name.table]).fetchall()
        return sizes[0][0] * TEXT if sizes else 0

    def kind(self, name: Name) -> str | None:
        """Tell what bears this name, in upper or lower case."""
        kinds = self._connection.execute(STANDING, [name.schema, name.table]).fetchall()
        return kinds[0][0] if kinds else None

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


class RewrittenDuckDB(DuckDB):
    """One transaction on a copy of a database file, which takes the file's place at the end.

    DuckDB leaves the rows of a dropped table in its file until other rows happen to overwrite
    them. So a table is replaced in a copy of the database; what the copy holds then is copied
    once more, into a file that never held the old rows. The file itself stays locked meanwhile,
    and is as it was until the new one takes its name.
    """

    def __init__(self, address: Address) -> None:
        import duckdb

        assert address.path is not None
        self._path = Path(os.path.realpath(address.path))
        # For the owner alone, as DuckDB's logs stand beside its files and hold rows, too.
        remove_leftovers(self._path.parent, ".shoal_", ".copies")
        self._folder = self._path.parent / f".shoal_{token()}.copies"
        self._folder.mkdir(mode=0o700)
        self._clean = self._folder / "clean"
        self._connection: Any = duckdb.connect()
        try:
            # Attached for writing, so that no other process can write to it meanwhile.
            self.execute(f"ATTACH {literal(str(self._path))} AS replaced")
            self.execute("CHECKPOINT replaced")
            self._copied("replaced", "working", self._folder / "working")
            self.execute("USE working")
            self.execute("BEGIN TRANSACTION")
        except BaseException:
            self.close()
            raise

    def place(self, hidden: Name, name: Name, *, replaces: bool) -> None:
        """Give a hidden table its name, and remember which table was written."""
        super().place(hidden, name, replaces=replaces)
        self._name = name

    def commit(self) -> None:
        """End the transaction; the database takes its file's place, without what was dropped."""
        super().commit()
        self._copied("working", "clean", self._clean)
        self._refuse_difference()
        self.execute("USE memory")
        self.execute("CHECKPOINT clean")  # no row stays in a log, which would be left behind
        self.execute("DETACH clean")
        shutil.copymode(self._path, self._clean)
        with suppress(PermissionError):
            owner = self._path.stat()
            os.chown(self._clean, owner.st_uid, owner.st_gid)
        os.replace(self._clean, self._path)

    def close(self) -> None:
        """Leave; copies that did not take the file's place are removed."""
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _copied(self, source: str, target: str, file: Path) -> None:
        """Attach a new database file, and copy all that a database holds into it."""
        self.execute(f"ATTACH {literal(str(file))} AS {target}")
        self.execute(f"COPY FROM DATABASE {source} TO {target}")

    def _refuse_difference(self) -> None:
        """Refuse a copy that does not hold the rows that were written."""
        working = f"(SELECT * FROM working.{self._qualified})"
        clean = f"(SELECT * FROM clean.{self._qualified})"
        for one, other in ((working, clean), (clean, working)):
            query = f"SELECT count(*) FROM ({one} EXCEPT ALL {other})"
            if self._connection.execute(query).fetchone()[0]:
                raise ShoalError("the database could not be copied", {"written": "nothing"})

    @property
    def _qualified(self) -> str:
        """Name the table with its schema, which DuckDB wants behind the name of a database."""
        return Name(self._name.table, self._name.schema or "main").quoted
