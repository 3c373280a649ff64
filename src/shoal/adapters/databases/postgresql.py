"""PostgreSQL through ADBC: COPY in both directions, Arrow on this side.

| column | arrives as |
|---|---|
| whole numbers, floats, text, boolean, date, time, timestamp | the same |
| numeric, money | exact decimals, whole numbers where all are; floats beside NaN or 77 digits |
| char(n), enum, uuid, citext | text, blanks at the end of char(n) left out |
| anything else (jsonb, arrays, point, interval, bytea ...) | not read; refused with its type |

What libpq knows holds here too: PGPASSWORD, PGHOST and the others, ~/.pgpass, service files.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.databases.address import Address, Name, literal, quoted
from shoal.adapters.databases.session import Session, Unread, stored
from shoal.errors import DataError

READ = {
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "numeric",
    "text",
    "varchar",
    "name",
    "char",
    "bool",
}
READ |= {"date", "time", "timestamp", "timestamptz"}
CAST = {
    "bpchar": "::text",
    "uuid": "::text",
    "citext": "::text",
    "enum": "::text",
    "money": "::numeric",
    "oid": "::bigint",
}
KINDS = {
    "r": "table",
    "p": "partitioned table",
    "v": "view",
    "m": "materialized view",
    "f": "foreign table",
}
# Where ADBC puts infinity: no real day is so early.
ENDLESS = {"date32[day]": -2_000_000_000, "timestamp[us]": -(9 * 10**18)}
COLUMNS = """
    SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS told,
           CASE WHEN b.typtype = 'e' THEN 'enum' ELSE b.typname END AS kind
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        -- of a domain, what it is made of
        JOIN pg_type b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
    WHERE a.attrelid = {table}::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
STANDING = """
    SELECT n.nspname AS schema, c.relkind AS kind, has_schema_privilege(n.oid, 'CREATE') AS may
    FROM pg_namespace n LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = {table}
    WHERE n.nspname = {schema}
"""
SIZE = """
    SELECT greatest(
        {measure}(t), (SELECT sum({measure}(relid)) FROM pg_partition_tree(t))
    )::bigint AS bytes
    FROM (SELECT to_regclass({table}) AS t) AS found
"""
IDENTITY = """
    SELECT pg_postmaster_start_time()::text AS server, d.oid::bigint AS base,
        to_regclass({table})::oid::bigint AS table
    FROM pg_database d WHERE datname = current_database()
"""


class PostgreSQL(Session):
    """One transaction; on a source it is read-only, and sees one moment."""

    def __init__(self, address: Address, *, read_only: bool) -> None:
        from adbc_driver_postgresql import dbapi

        self._connection: Any = dbapi.connect(address.url)
        if read_only:
            self.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")

    def read(self, name: Name) -> pa.Table:
        """All rows; columns that can't be taken stay behind."""
        columns = self._columns(name)
        wanted = [column for column in columns if _is_read(column)]
        listed = [f"{quoted(column['name'])}{CAST.get(column['kind'], '')}" for column in wanted]
        rows = self._query(f"SELECT {', '.join(listed) or 'TRUE'} FROM {name.quoted}")
        places = {column["name"]: place for place, column in enumerate(wanted)}
        arrays = [
            _taken(rows.column(places[column["name"]]), column["name"])
            if column["name"] in places
            else Unread(column["told"]).values(rows.num_rows)
            for column in columns
        ]
        return pa.table(arrays, names=[column["name"] for column in columns])

    def size(self, name: Name) -> int:
        """Measure the bytes of a table with all its partitions; 0 for a view.

        Long values are stored apart: nobody knows which, and so they count only where every column
        is read.
        """
        measure = "pg_table_size" if all(map(_is_read, self._columns(name))) else "pg_relation_size"
        rows = self._query(SIZE.format(measure=measure, table=literal(name.quoted))).to_pylist()
        return rows[0]["bytes"] or 0

    def kind(self, name: Name) -> str | None:
        """Tell what bears this name; refuses a schema in which nothing may be created."""
        schema = literal(name.schema) if name.schema else "current_schema()"
        standing = self._query(
            STANDING.format(table=literal(name.table), schema=schema)
        ).to_pylist()
        if not standing:
            raise DataError(f"the schema of '{name}' does not exist", remedy="CREATE SCHEMA ...")
        if not standing[0]["may"]:
            where = standing[0]["schema"]
            raise DataError(
                f"no right to create tables in schema '{where}'",
                remedy=f"GRANT CREATE ON SCHEMA {where} TO ...",
            )
        letter = standing[0]["kind"]
        return None if letter is None else KINDS.get(letter, "thing that is no table")

    def identity(self, name: Name) -> object:
        """A server has many addresses, but started once."""
        identity = self._query(IDENTITY.format(table=literal(name.quoted))).to_pylist()[0]
        return identity if identity["table"] is not None else None

    def load(self, name: Name, table: pa.Table) -> None:
        """By COPY."""
        with self._connection.cursor() as cursor:
            plain = pa.table([stored(column) for column in table.columns], names=table.column_names)
            cursor.adbc_ingest(name.table, plain, mode="create", db_schema_name=name.schema)

    def execute(self, statement: str) -> None:
        """One statement."""
        with self._connection.cursor() as cursor:
            cursor.execute(statement)

    def commit(self) -> None:
        """The end of the transaction."""
        self._connection.commit()

    def close(self) -> None:
        """Leaves without a trace."""
        self._connection.close()

    def _columns(self, name: Name) -> list[dict[str, str]]:
        return self._query(COLUMNS.format(table=literal(name.quoted))).to_pylist()

    def _query(self, query: str) -> pa.Table:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetch_arrow_table()


def _is_read(column: dict[str, str]) -> bool:
    return column["kind"] in READ or column["kind"] in CAST


def _taken(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """A column as it arrived, in a type of Arrow's own."""
    if isinstance(column.type, pa.BaseExtensionType):
        return exact(pa.chunked_array([chunk.storage for chunk in column.chunks], pa.string()))
    kind = "timestamp[us]" if pa.types.is_timestamp(column.type) else str(column.type)
    if kind in ENDLESS:
        days = column.cast(pa.int64() if kind != "date32[day]" else pa.int32())
        if pc.any(pc.less(days, ENDLESS[kind])).as_py():
            raise DataError(
                f"column '{name}' holds infinite dates",
                remedy="make them missing: nullif(..., 'infinity') in a view",
            )
    return column


def exact(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert written numbers without loss: to whole ones, decimals, or floats at last."""
    points = pc.find_substring(texts, ".")
    lengths = pc.utf8_length(texts)
    bare = pc.less(points, 0)
    # With the sign: a digit too many does no harm.
    before = pc.max(pc.if_else(bare, lengths, points)).as_py() or 0
    behind = pc.max(pc.if_else(bare, 0, pc.subtract(pc.subtract(lengths, points), 1))).as_py() or 0
    if before + behind > 76 or pc.any(pc.match_substring(texts, "n")).as_py():  # nan, inf
        return texts.cast(pa.float64())
    if behind == 0 and before <= 18:
        return texts.cast(pa.int64())
    return texts.cast(
        pa.decimal128(before + behind, behind)
        if before + behind <= 38
        else pa.decimal256(before + behind, behind)
    )
