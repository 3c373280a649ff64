"""Databases: a table in by its address and name, a release out in one transaction.

| address | through |
|---|---|
| `postgresql://host/database` | ADBC |
| `sqlite:///people.db`, `sqlite:////srv/people.db` | ADBC |
| `duckdb:///people.duckdb` | DuckDB's own package |
| anything else that SQLAlchemy has a dialect and a driver for | SQLAlchemy |

A source is read in a read-only transaction that sees one moment. A release is written under a
hidden name, read back, recounted, and then takes its name, all in one transaction: whatever
happens, the target is as it was or holds the whole release. A new file is made under a hidden name
too, and takes its own only if nobody else made one of that name meanwhile. Passwords come from the
environment, from the files that the database's own programs read, or from the address, and are
never passed on: refusals are in our own words, and show of an address where it leads and not who
enters.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from shoal.adapters.databases.address import Address, Name, is_url, parted
from shoal.adapters.databases.dialects import Dialect
from shoal.adapters.databases.duck import DuckDB, RewrittenDuckDB
from shoal.adapters.databases.postgresql import PostgreSQL
from shoal.adapters.databases.refusals import refusing
from shoal.adapters.databases.session import Session
from shoal.adapters.databases.sqlite import SQLite
from shoal.adapters.leftovers import remove_leftovers, token
from shoal.adapters.plain_arrow import plain
from shoal.declare.columns import whole
from shoal.declare.memory import refuse_beyond_memory
from shoal.errors import DataError, RecipeError
from shoal.wording import Call, Remedy, Sentence, Set

__all__ = ["Written", "check_target", "is_url", "parted", "read", "shown"]

SESSIONS: dict[str, Callable[..., Session]] = {
    "postgresql": PostgreSQL,
    "postgres": PostgreSQL,
    "sqlite": SQLite,
    "duckdb": DuckDB,
}
INSTEAD = Sentence(
    "as a Parquet or CSV file, ",
    Call("anonymize", (Set("memory", "2GB"),)),
    " takes it part by part",
)
TABLE = Set("table", "patients")
TO = Set("to", "released")
# Endings of the files that a database in a file consists of.
BESIDE = ("", "-journal", "-wal", "-shm", ".wal")


def read(url: str, table: str | None, *, typed: bool = True) -> pa.Table:
    """The table of that name, read-only; `typed=False` leaves texts that mean a date what they are.

    Raises `DataError` where it is missing, may not be read, or has no rows.
    """
    remedy = Remedy(TABLE, "behind the address: sqlite:///ward.db#patients")
    address, name = _meant(url, table, remedy)
    with refusing(address, name, "read"), closing(_session(address, read_only=True)) as session:
        refuse_beyond_memory(session.size(name), f"table '{name}'", {"database": address}, INSTEAD)
        stored = plain(session.read(name), f"table '{name}'")
        if not typed:
            return stored
        columns = [session.typed(whole(column)) for column in stored.columns]
        return pa.table(columns, stored.column_names)


def shown(url: str) -> str:
    """Write an address as it may be printed."""
    return str(Address.of(parted(url)[0]))


def check_target(
    url: str,
    table: str | None,
    *,
    force: bool = False,
    source: tuple[str, str | None] | None = None,
) -> None:
    """Refuse, before any work, a target that can't be written or that would destroy something."""
    address, name = _meant(url, table, Remedy(TO))
    if address.path is not None and not address.path.exists():
        _check_new_file(address.path)
        return
    with refusing(address, name, "write"), closing(_session(address, read_only=True)) as session:
        replaces = _check_free(session, name, force=force)
        identity = session.identity(name)
    if replaces and source is not None and is_url(source[0]):
        _refuse_source(address, name, identity, *_meant(*source, Remedy(TABLE)))


def _refuse_source(
    address: Address, name: Name, identity: object, source: Address, table: Name
) -> None:
    """The table that is read is not replaced, by whichever address or name one comes to it."""
    same = source.is_same(address) and table == name
    if not same and identity is not None and source.base == address.base:
        with refusing(source, table, "read"), closing(_session(source, read_only=True)) as session:
            same = session.identity(table) == identity
    if same:
        raise RecipeError(f"output '{name}' is the input", remedy=Remedy(Set("to", "another_name")))


class Written:
    """A release on its way into a database: in place when `place` returns, and nowhere otherwise.

    ```python
    with Written(url, "released", force=force) as written:
        written.fill(table)
        recount(written.read())
        written.place()
    ```
    """

    def __init__(self, url: str, table: str | None, *, force: bool = False) -> None:
        self._address, self._name = _meant(url, table, Remedy(TO))
        self._force = force
        self._hidden = self._name.beside(f"shoal_{secrets.token_hex(6)}")
        path = self._address.path
        self._new = None
        if path is not None and not path.exists():
            for ending in ("", "-wal", "-shm", "-journal", ".wal"):
                remove_leftovers(path.parent, ".shoal_", f".part{ending}")
            self._new = self._address.beside(f".shoal_{token()}.part")
        self._placed = False
        self._session: Session

    def __enter__(self) -> Written:
        try:
            with self._refusing():
                self._session = _session(self._new or self._address, read_only=False)
                replaces = _check_free(self._session, self._name, force=self._force)
                if replaces and isinstance(self._session, DuckDB):
                    self._session.close()
                    self._session = RewrittenDuckDB(self._address)
        except BaseException:
            self._leave()
            raise
        return self

    def fill(self, table: pa.Table) -> None:
        """All rows, under a hidden name."""
        with self._refusing():
            self._session.load(self._hidden, table)

    def read(self) -> pa.Table:
        """Read the filled table back from the database."""
        with self._refusing():
            return plain(self._session.read(self._hidden), f"table '{self._name}'")

    def _commit(self) -> None:
        try:
            with self._refusing():
                self._session.commit()
        except DataError as error:
            # A connection that ends here does not tell which of the two it was.
            facts = {**error.facts, "written": "all or nothing"}
            remedy = f"look whether '{self._name}' is new before you try again"
            raise DataError(error.problem, facts, remedy) from None

    def place(self) -> None:
        """The table appears, in place of an older one if that was asked for."""
        with self._refusing():
            # Again, as others write too.
            replaces = _check_free(self._session, self._name, force=self._force)
            self._session.place(self._hidden, self._name, replaces=replaces)
        self._commit()
        if replaces:
            with self._refusing():
                self._session.erase_replaced()
        if self._new:
            self._session.close()
            with self._refusing():
                _named(_file(self._new), _file(self._address))
        self._placed = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        with suppress(
            Exception
            # there was none, it was closed, or it broke: nothing is left to close, and the reason
            # was
            # told
        ):
            self._session.close()
        if self._new:
            hidden = _file(self._new)
            path = _file(self._address)
            if not self._placed and hidden.exists() and path.exists() and path.samefile(hidden):
                path.unlink()  # interrupted when it had just taken its name
            for ending in BESIDE:
                Path(f"{hidden}{ending}").unlink(missing_ok=True)

    def _refusing(self) -> AbstractContextManager[None]:
        return refusing(self._address, self._name, "write")


def _session(address: Address, *, read_only: bool) -> Session:
    return SESSIONS.get(address.scheme, Dialect)(address, read_only=read_only)


def _file(address: Address) -> Path:
    assert address.path is not None
    return Path(os.path.realpath(address.path))


def _named(hidden: Path, path: Path) -> None:
    """A file that is complete takes its name, unless somebody has it by now."""
    _refuse_remains(path)
    try:
        os.link(hidden, path)
    except OSError:  # taken, or a file system without links
        if os.path.lexists(path):
            facts = {"written": "nothing"}
            raise DataError(
                f"'{path}' was made by somebody else meanwhile",
                facts,
                "try again, or give another name",
            ) from None
        os.replace(hidden, path)


def _check_new_file(path: Path) -> None:
    """Refuse a place where the file of a new database can't stand."""
    if not path.parent.is_dir():
        problem = f"'{path}' has no folder to stand in"
        raise DataError(problem, remedy=f"mkdir -p {path.parent}")
    _refuse_remains(path)


def _refuse_remains(path: Path) -> None:
    """Refuse files left of another database, which would be played into a new one of that name."""
    left = [f"{path}{ending}" for ending in BESIDE[1:] if os.path.lexists(f"{path}{ending}")]
    if left:
        problem = f"'{left[0]}' is left of a database that is no longer there"
        raise DataError(
            problem, {"written": "nothing"}, "move it away, or give the new database another name"
        )


def _check_free(session: Session, name: Name, *, force: bool) -> bool:
    """Tell whether a table will be replaced.

    Refuses where that was not asked for, or where it is something else.
    """
    kind = session.kind(name)
    if kind is not None and not force:
        raise RecipeError(
            f"table '{name}' exists",
            remedy=Remedy(Sentence(Set("force", True), " to replace it"), "another name"),
        )
    if kind not in (None, "table"):
        raise RecipeError(
            f"'{name}' is a {kind}, which is not replaced", remedy="give another name"
        )
    return kind is not None


def _meant(url: str, table: str | None, remedy: Remedy) -> tuple[Address, Name]:
    """The database and the table in it."""
    url, table = parted(url, table)
    address = Address.of(url)
    if table is None:
        raise RecipeError("a database needs the name of a table", remedy=remedy)
    return address, Name.of(table)
