"""Entries: the tables of a ledger. Entries are only ever added, and each hashes the one before.

    ledger   format, when it was made, a mark by which its key is recognized
    entry    number, time, kind, what it says (JSON), the hash of the entry before, its own hash
    part     bytes that belong to an entry; their hashes stand in what it says
    head     number and hash of the last entry, sealed with the key

Who changes or removes an entry breaks the chain; who cuts the end off would have to seal the head
anew, and needs the key for that. SQLite brings each transaction to the disk whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from shoal.adapters.ledgers.ledger_key import LedgerKey
from shoal.errors import DataError, PrivacyNotMet

FORMAT = 1
CHECK = b"this is the key of this ledger"
FIRST = "0" * 64
TABLES = """
CREATE TABLE ledger (format INTEGER NOT NULL, made TEXT NOT NULL, key_check BLOB NOT NULL);
CREATE TABLE entry (number INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL,
  says TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE part (entry INTEGER NOT NULL REFERENCES entry(number), name TEXT NOT NULL,
  bytes BLOB NOT NULL, PRIMARY KEY (entry, name));
CREATE TABLE head (number INTEGER NOT NULL, hash TEXT NOT NULL, seal BLOB NOT NULL);
CREATE TRIGGER entries_stay BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER parts_stay BEFORE UPDATE ON part BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER parts_remain BEFORE DELETE ON part BEGIN SELECT RAISE(ABORT, 'append-only'); END;
"""


@dataclass(frozen=True)
class Entry:
    """One line of a ledger."""

    number: int
    time: str
    kind: str
    says: Mapping[str, Any]
    previous: str
    hash: str


class Entries:
    """The tables of an open ledger."""

    def __init__(self, place: Path, key: LedgerKey) -> None:
        self.place = place
        self.key = key

    @contextmanager
    def opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file; errors of SQLite become refusals that name no cell."""
        address = f"file:{quote(str(self.place))}?mode=rw"
        try:
            connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=20)
        except sqlite3.Error:
            raise DataError(f"ledger '{self.place}' can't be opened") from None
        try:
            connection.execute("PRAGMA synchronous = FULL")
            yield connection
        except sqlite3.Error as error:
            raise _refusal(self.place, error) from None
        finally:
            connection.close()

    def make(self, time: str) -> None:
        """Create the tables of a new ledger, in a file that is empty."""
        with self.opened() as connection, _whole(connection):
            for command in TABLES.strip().split(";\n"):
                connection.execute(command)
            mark = self.key.sealed(CHECK)
            connection.execute("INSERT INTO ledger VALUES (?, ?, ?)", (FORMAT, time, mark))
            seal = self.key.sealed(_head(0, FIRST))
            connection.execute("INSERT INTO head VALUES (0, ?, ?)", (FIRST, seal))

    def refuse_foreign(self) -> None:
        """Refuse a file of another format, or of another key."""
        with self.opened() as connection:
            form, mark = connection.execute("SELECT format, key_check FROM ledger").fetchone()
        if form != FORMAT:
            problem = f"ledger '{self.place}' has format {form}, and this Shoal knows {FORMAT}"
            raise DataError(problem, remedy="use the version of Shoal that made it, or a newer one")
        if not self.key.is_sealed(CHECK, mark):
            raise DataError(
                f"the key does not belong to ledger '{self.place}'",
                remedy="name the ledger of these people, or restore its own key",
            )

    def append(self, kind: str, time: str, says: Mapping[str, Any], **parts: bytes) -> Entry:
        """Add an entry, whole or not at all."""
        stated = {**says, "parts": {name: _sha(part) for name, part in sorted(parts.items())}}
        text = msgspec.json.encode(stated, order="deterministic").decode()
        with self.opened() as connection, _whole(connection):
            number, previous = self._head(connection)
            entry = Entry(
                number + 1,
                time,
                kind,
                stated,
                previous,
                _hash(number + 1, time, kind, text, previous),
            )
            connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)",
                (entry.number, time, kind, text, previous, entry.hash),
            )
            for name, part in parts.items():
                connection.execute("INSERT INTO part VALUES (?, ?, ?)", (entry.number, name, part))
            seal = self.key.sealed(_head(entry.number, entry.hash))
            connection.execute(
                "UPDATE head SET number = ?, hash = ?, seal = ?", (entry.number, entry.hash, seal)
            )
        return entry

    def all(self) -> list[Entry]:
        """Read all entries; refuse a chain that is broken."""
        with self.opened() as connection:
            rows = connection.execute(
                "SELECT number, time, kind, says, previous, hash FROM entry ORDER BY number"
            ).fetchall()
            head = self._head(connection)
        previous = FIRST
        entries = []
        for place, (number, time, kind, text, before, own) in enumerate(rows, 1):
            expected = _hash(number, time, kind, text, before)
            if number != place or before != previous or own != expected:
                raise _broken(self.place, place)
            entries.append(Entry(number, time, kind, json.loads(text), before, own))
            previous = own
        if head != (len(rows), previous):
            raise _broken(self.place, len(rows) + 1)
        return entries

    def part(self, entry: Entry, name: str) -> bytes:
        """Read a part of an entry; refuse one that was changed."""
        with self.opened() as connection:
            row = connection.execute(
                "SELECT bytes FROM part WHERE entry = ? AND name = ?", (entry.number, name)
            ).fetchone()
        part = b"" if row is None else bytes(row[0])
        if _sha(part) != entry.says["parts"].get(name):
            raise _broken(self.place, entry.number)
        return part

    def _head(self, connection: sqlite3.Connection) -> tuple[int, str]:
        heads = connection.execute("SELECT number, hash, seal FROM head").fetchall()
        if len(heads) != 1 or not self.key.is_sealed(_head(*heads[0][:2]), heads[0][2]):
            raise _broken(self.place, None)
        return heads[0][0], heads[0][1]


@contextmanager
def _whole(connection: sqlite3.Connection) -> Iterator[None]:
    """Bring all commands of a block to the disk, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _head(number: int, own: str) -> bytes:
    return f"{number} {own}".encode()


def _hash(number: int, time: str, kind: str, text: str, previous: str) -> str:
    return _sha(json.dumps([number, time, kind, text, previous]).encode())


def _sha(part: bytes) -> str:
    return hashlib.sha256(part).hexdigest()


def _broken(place: Path, number: int | None) -> PrivacyNotMet:
    facts = {} if number is None else {"first entry that does not fit": number}
    return PrivacyNotMet(
        f"ledger '{place}' was changed: its entries do not follow from each other",
        {**facts, "published": "nothing"},
        "restore the ledger from a backup",
    )


def _refusal(place: Path, error: sqlite3.Error) -> DataError:
    """Say why SQLite can't go on."""
    words = str(error)
    if "full" in words:
        return DataError(
            f"ledger '{place}' can't be written: the disk is full",
            {"the ledger": "as it was"},
            "free some space, and start again",
        )
    if "locked" in words:
        return DataError(f"ledger '{place}' is being written to", remedy="start again later")
    if "readonly" in words:
        return DataError(f"ledger '{place}' can't be written to", remedy="change its permissions")
    if "not a database" in words or "no such table" in words:
        return DataError(f"'{place}' is not a ledger", remedy="shoal ledger init NAME makes one")
    return DataError(
        f"ledger '{place}' is damaged", {"reason": type(error).__name__}, "restore it from a backup"
    )
