"""A session: one transaction on one database.

What is done in it takes place when it is committed, or not at all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.databases.address import Name, quoted
from shoal.declare.columns import text_of


class Session(ABC):
    """One transaction on one database, which each kind of database carries out in its own way."""

    @abstractmethod
    def read(self, name: Name) -> pa.Table:
        """All rows of a table or view."""

    def size(self, name: Name) -> int:
        """Bytes that a table will take here, about; 0 where nobody knows."""
        return 0

    def typed(self, column: pa.Array) -> pa.Array:
        """A column that was read, in the type that is meant; most databases know it."""
        return column

    @abstractmethod
    def kind(self, name: Name) -> str | None:
        """Tell what bears this name where a table would be created: `table`, `view` ... or None."""

    def identity(self, name: Name) -> object:
        """Name what only this table has, by whichever address one came to it.

        None where addresses tell enough.
        """
        return None

    @abstractmethod
    def load(self, name: Name, table: pa.Table) -> None:
        """Creates a table and fills it."""

    @abstractmethod
    def execute(self, statement: str) -> None:
        """Carries out one statement without a result."""

    @abstractmethod
    def commit(self) -> None:
        """Makes it all happen."""

    def erase_replaced(self) -> None:  # noqa: B027  most have nothing to do
        """Erase what files of the database still hold of a table that was replaced.

        Called after `commit`, and only where a table was replaced. Most sessions have nothing to
        do: what a server keeps in its logs is out of our hands.
        """

    @abstractmethod
    def close(self) -> None:
        """Leaves; what was not committed never happened."""

    def place(self, hidden: Name, name: Name, *, replaces: bool) -> None:
        """Gives a hidden table its name, in place of the one that has it."""
        if replaces:
            self.execute(f"DROP TABLE {name.quoted}")
        self.execute(f"ALTER TABLE {hidden.quoted} RENAME TO {quoted(name.table)}")


class Unread(pa.ExtensionType):  # type: ignore[misc]
    """The type of a column that no table here can hold.

    Its cells stay in the database, its type is told where it is used.
    """

    def __init__(self, kind: str = "") -> None:
        self.kind = kind
        super().__init__(pa.null(), "shoal.unread")

    def __arrow_ext_serialize__(self) -> bytes:
        return self.kind.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, kind: bytes) -> Unread:
        return cls(kind.decode())

    def __str__(self) -> str:
        return self.kind

    def values(self, count: int) -> pa.Array:
        """So many cells of which nothing is known."""
        return pa.ExtensionArray.from_storage(self, pa.nulls(count))


def stored(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column in types that every database has; each value keeps its text."""
    kind = column.type
    if pa.types.is_uint64(kind):
        return column.cast(pa.decimal128(20, 0))
    if pa.types.is_unsigned_integer(kind):
        return column.cast(pa.int64())
    if pa.types.is_date(kind):
        return column.cast(pa.date32())
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz))
    if pa.types.is_time(kind):
        return column.cast(pa.time64("us"))
    return column.cast(pa.string()) if pa.types.is_null(kind) else column


def widened(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Short floats as long ones of the same text, for databases that know no short ones."""
    return _texts(column).cast(pa.float64()) if pa.types.is_float32(column.type) else column


def spelled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as text where it is neither text nor plain numbers."""
    if pa.types.is_signed_integer(column.type):
        return column
    if pa.types.is_floating(column.type) and not pc.any(pc.is_nan(column)).as_py():
        return widened(column)
    return _texts(column)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array([text_of(chunk) for chunk in column.chunks], pa.string())
