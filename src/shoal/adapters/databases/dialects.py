"""Every other database through SQLAlchemy, with the driver that its address names.

Slower than the others: rows pass through Python. Where creating a table ends a transaction (MySQL,
Oracle ...), a release still appears whole, by its last statement, but a table that exists can't be
replaced in one step, and so is not.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice
from typing import Any

import pyarrow as pa

from shoal.adapters.databases.address import Address, Name
from shoal.adapters.databases.session import Session, spelled, stored, widened
from shoal.declare.columns import is_text
from shoal.declare.understanding.spelled import dated
from shoal.errors import DataError, RecipeError

# Databases in which creating tables is part of a transaction.
WHOLE = {"postgresql", "sqlite", "mssql", "duckdb", "redshift", "cockroachdb"}
BATCH = 10_000  # rows that are sent at a time


class Dialect(Session):
    """One transaction, as far as the database has them."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        import sqlalchemy
        from sqlalchemy.exc import NoSuchModuleError

        self._sql = sqlalchemy
        if address.path is not None and read_only:
            address.existing()
        try:
            self._engine: Any = sqlalchemy.create_engine(
                address.url, poolclass=sqlalchemy.pool.NullPool, hide_parameters=True
            )
        except NoSuchModuleError:
            raise _unknown(address.scheme) from None
        self._connection: Any = self._engine.connect()
        self._hidden: Name | None = None
        if self._engine.dialect.name == "sqlite":
            # The pages of a table that is replaced are overwritten, not just set free.
            self._connection.exec_driver_sql("PRAGMA secure_delete = ON")
            # Its Python driver begins a transaction only before rows are changed.
            self._connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")

    def read(self, name: Name) -> pa.Table:
        """All rows, column by column."""
        there = self._sql.table(name.table, schema=name.schema)
        if self.kind(name) is None:
            raise DataError(
                f"there is no table '{name}'",
                remedy="check its name; schema.table finds one in another schema",
            )
        result = self._connection.execute(self._sql.select(self._sql.text("*")).select_from(there))
        names = list(result.keys())
        columns = list(zip(*result.fetchall(), strict=True)) or [()] * len(names)
        return pa.table(
            [_array(cells, column) for cells, column in zip(columns, names, strict=True)],
            names=names,
        )

    def typed(self, column: pa.Array) -> pa.Array:
        """Dates and times, where the database has no types for them."""
        if self._engine.dialect.name == "sqlite" and is_text(column.type):
            return dated(column)
        return column

    def kind(self, name: Name) -> str | None:
        """Tell whether a table or a view bears this name; None if nothing does."""
        looking = self._sql.inspect(self._connection)
        if looking.has_table(name.table, schema=name.schema):
            return "view" if name.table in looking.get_view_names(schema=name.schema) else "table"
        return None

    def load(self, name: Name, table: pa.Table) -> None:
        """By inserting rows, batch by batch."""
        plain = [widened(stored(column)) for column in table.columns]
        if self._engine.dialect.name == "sqlite":
            plain = [spelled(column) for column in plain]
        kinds = [self._type(column.type) for column in plain]
        # Quoted always, as not every reserved word is known there.
        titles = [self._sql.quoted_name(title, True) for title in table.column_names]
        columns = [self._sql.Column(title, kind) for title, kind in zip(titles, kinds, strict=True)]
        target = self._sql.Table(name.table, self._sql.MetaData(), *columns, schema=name.schema)
        self._hidden = name
        target.create(self._connection)
        places = [self._sql.bindparam(f"c{place}", type_=kind) for place, kind in enumerate(kinds)]
        statement = target.insert().values(dict(zip(titles, places, strict=True)))
        rows = zip(*(column.to_pylist() for column in plain), strict=True)
        while batch := [
            {f"c{place}": cell for place, cell in enumerate(row)} for row in islice(rows, BATCH)
        ]:
            self._connection.execute(statement, batch)

    def place(self, hidden: Name, name: Name, *, replaces: bool) -> None:
        """The last statement makes the table appear."""
        base = self._engine.dialect.name
        write = self._engine.dialect.identifier_preparer
        if replaces and base not in WHOLE:
            raise RecipeError(
                f"{base} can't replace a table in one step",
                remedy="drop it first, or write to another table",
            )
        if replaces and base == "duckdb":
            raise RecipeError(
                "rows that are replaced would stay in the file of the database",
                remedy="give its address as duckdb:///FILE, or drop the table first",
            )
        now, then = (
            write.format_table(self._sql.table(each.table, schema=each.schema))
            for each in (hidden, name)
        )
        if replaces:
            self.execute(f"DROP TABLE {then}")
        if base == "mssql":
            self._connection.execute(
                self._sql.text("EXEC sp_rename :now, :then"), {"now": now, "then": name.table}
            )
        else:
            self.execute(
                f"ALTER TABLE {now} RENAME TO "
                f"{then if base == 'mysql' else write.quote(name.table)}"
            )
        self._hidden = None

    def execute(self, statement: str) -> None:
        """One statement."""
        self._connection.exec_driver_sql(statement)

    def commit(self) -> None:
        """The end of the transaction."""
        self._connection.commit()

    def close(self) -> None:
        """Leaves; also takes away a hidden table where creating one could not be undone."""
        with suppress(Exception):
            self._connection.rollback()
            if self._hidden is not None and self._engine.dialect.name not in WHOLE:
                hidden = self._sql.table(self._hidden.table, schema=self._hidden.schema)
                self.execute(
                    f"DROP TABLE {self._engine.dialect.identifier_preparer.format_table(hidden)}"
                )
                self._connection.commit()
        with suppress(Exception):
            self._connection.close()

    def _type(self, kind: pa.DataType) -> Any:
        """The type of a column that holds this."""
        sql = self._sql
        if pa.types.is_decimal(kind):
            return sql.Numeric(kind.precision, kind.scale)
        if pa.types.is_timestamp(kind):
            return sql.DateTime(timezone=kind.tz is not None)
        types = [
            (pa.types.is_boolean, sql.Boolean()),
            (pa.types.is_integer, sql.BigInteger()),
            (pa.types.is_date, sql.Date()),
            (pa.types.is_floating, sql.Double()),
            (pa.types.is_time, sql.Time()),
        ]
        return next((made for holds, made in types if holds(kind)), sql.Text())


def _unknown(scheme: str) -> RecipeError:
    """Refuse a scheme that no driver is known for."""
    known = "postgresql, sqlite, duckdb, or one that SQLAlchemy has a dialect for"
    return RecipeError(f"'{scheme}' is no database that is known here", {"databases": known})


def _array(cells: Any, name: str) -> pa.Array:
    """Make one column of cells as Python has them.

    Arrow's own messages about cells that it can't take quote them, and are not passed on.
    """
    try:
        return pa.array(cells, from_pandas=False)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        kinds = sorted({type(cell).__name__ for cell in cells if cell is not None})
        raise DataError(
            f"column '{name}' holds values of types that a table can't hold",
            {"types": ", ".join(kinds)},
            "cast it in a view",
        ) from None
