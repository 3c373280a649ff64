"""Ledger file: opens the ledger of a population, reads what was published, and adds to it.

Kinds of entries:

    release     a release is about to be published: its people, groups and file
    published   that release has taken its place
    dropped     that release was never published: its run was killed or failed before
    withdrawn   a release that nobody has seen; it is no longer compared
    apart       recipients who never compare what they got

A release counts as published unless it was dropped or withdrawn: what is not known is assumed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters.files import read
from shoal.adapters.ledgers import writer
from shoal.adapters.ledgers.entries import Entries, Entry
from shoal.adapters.ledgers.ledger_key import LedgerKey, place_of
from shoal.adapters.ledgers.packed import hashes_of, members_of, packed, table_of
from shoal.errors import DataError, RecipeError
from shoal.ledger.past import Past, PastRelease
from shoal.ledger.published import Published
from shoal.wording import Remedy, Set

EVERYBODY = ""  # the recipient of a release that anyone may have


@dataclass(frozen=True)
class ListedRelease:
    """A release as a ledger lists it."""

    entry: Entry
    state: str
    """published, pending, dropped or withdrawn."""

    @property
    def counts(self) -> bool:
        """Whether people may have it."""
        return self.state in ("published", "pending")

    @property
    def called(self) -> str:
        """Its number, day and file, for people."""
        name = self.entry.says.get("file") or "recorded without a file"
        return f"release {self.entry.number} of {self.entry.time[:10]} ({Path(name).name})"


class LedgerFile:
    """The ledger of a population, open for questions; `alone` lets one process write."""

    def __init__(self, place: Path, key: LedgerKey) -> None:
        self.place = place
        self.key = key
        self.entries = Entries(place, key)
        self.is_made = True
        """Whether the file is there: a planned ledger is written with its first release."""

    @classmethod
    def create(cls, place: str | Path) -> LedgerFile:
        """Make a new ledger and its key; neither may be there."""
        path = Path(place)
        if path.exists():
            raise RecipeError(f"'{path}' exists", remedy="give the ledger another name")
        ledger = cls.planned(path)
        ledger.make()
        return ledger

    @classmethod
    def planned(cls, place: str | Path) -> LedgerFile:
        """Open a ledger, or plan one that is made with its first release."""
        path = Path(place)
        if path.exists():
            return cls.open(path)
        if place_of(path).exists():
            raise DataError(
                f"there is no ledger '{path}', but its key is there",
                remedy="restore the ledger from a backup, or move the key away to begin anew",
            )
        if not path.absolute().parent.is_dir():
            raise DataError(f"ledger '{place}' has no folder to stand in", remedy="make the folder")
        planned = cls(path, LedgerKey.new())
        planned.is_made = False
        return planned

    def make(self) -> None:
        """Write a planned ledger and its key; one that is there stays as it is."""
        if self.is_made:
            return
        made = [place_of(self.place)]
        try:
            self.key.write(made[0])
            os.close(os.open(self.place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            made.append(self.place)
            self.entries.make(now())
        except FileExistsError:
            problem = f"ledger '{self.place}' was made by another run meanwhile"
            raise RecipeError(problem, remedy="start again") from None
        except (OSError, DataError) as error:
            for file in made:
                file.unlink(missing_ok=True)
            if isinstance(error, DataError):
                raise
            facts = {"reason": error.strerror}
            raise DataError(f"ledger '{self.place}' can't be written", facts) from None
        self.is_made = True

    @classmethod
    def open(cls, place: str | Path) -> LedgerFile:
        """Open a ledger; refuse one that is not there, is none, or has another key."""
        path = Path(place)
        if not path.is_file():
            raise DataError(f"there is no ledger '{place}'", remedy="shoal ledger init NAME")
        with path.open("rb") as file:
            if file.read(15) != b"SQLite format 3":
                raise DataError(f"'{place}' is not a ledger", remedy="shoal ledger init NAME")
        ledger = cls(path, LedgerKey.read(place_of(path)))
        ledger.entries.refuse_foreign()
        return ledger

    def hashed(self, texts: pa.Array) -> pa.Array:
        """Hash people or values with the key of this population."""
        return self.key.hashed(texts)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Be the only writer inside the block; what a crash left pending is settled first."""
        with writer.alone(self.place):
            self._settle()
            yield

    def listed(self) -> list[ListedRelease]:
        """List all releases and their state."""
        entries = self.entries.all()
        states = {
            entry.says["release"]: entry.kind
            for entry in entries
            if entry.kind in ("published", "dropped", "withdrawn")
        }
        return [
            ListedRelease(entry, states.get(entry.number, "pending"))
            for entry in entries
            if entry.kind == "release"
        ]

    def past(self, recipient: str = EVERYBODY) -> Past:
        """Read all that was published to people who may compare it with a recipient's release."""
        if not self.is_made:
            return Past(hashes_of(b""), ())
        entries = self.entries.all()
        people = [self.entries.part(each.entry, "people") for each in self.listed()]
        compared = self.compared(recipient)
        head = entries[-1].hash if entries else ""
        waiting = _waiting(self._last_waiting(compared))
        return Past(hashes_of(b"".join(people)), tuple(map(self._past, compared)), head, *waiting)

    def compared(self, recipient: str = EVERYBODY) -> list[ListedRelease]:
        """List releases that a recipient may have seen, or compare with people who have."""
        apart = self._apart(self.entries.all(), recipient)
        return [
            each
            for each in self.listed()
            if each.counts and each.entry.says["recipient"] not in apart
        ]

    def release(
        self, past: Past, new: Published, says: Mapping[str, Any], *, pending: bool
    ) -> Entry:
        """Write a release down; `past` holds everybody the ledger knows."""
        entry = self.entries.append("release", now(), says, **packed(past, new))
        if not pending:
            self.settle(entry, "published")
        return entry

    def settle(self, entry: Entry, kind: str, **says: Any) -> None:
        """Say what became of a release."""
        self.entries.append(kind, now(), {"release": entry.number, **says})

    def withdraw(self, number: int, reason: str) -> None:
        """No longer compare with a release that nobody has seen."""
        with self.alone():
            listed = next((each for each in self.listed() if each.entry.number == number), None)
            if listed is None or not listed.counts:
                numbers = [str(each.entry.number) for each in self.listed() if each.counts]
                facts = {"releases that count": ", ".join(numbers) or "none"}
                raise RecipeError(f"the ledger has no release {number}", facts)
            self.settle(listed.entry, "withdrawn", reason=reason)

    def set_apart(self, recipients: Sequence[str]) -> None:
        """Declare that recipients never compare what they got."""
        with self.alone():
            self.entries.append("apart", now(), {"recipients": sorted(recipients)})

    def check(self) -> list[ListedRelease]:
        """Read everything, the parts of all entries too; refuse what was changed."""
        for entry in self.entries.all():
            for name in entry.says["parts"]:
                self.entries.part(entry, name)
        return self.listed()

    def changed_files(self, listed: Sequence[ListedRelease]) -> list[ListedRelease]:
        """Find releases whose file is there, but with other bytes than were written down."""
        return [
            each
            for each in listed
            if each.counts
            and (file := each.entry.says.get("file")) is not None
            and Path(file).is_file()
            and file_hash(file) != each.entry.says["file hash"]
        ]

    def _apart(self, entries: Sequence[Entry], recipient: str) -> set[str]:
        """Name the recipients who never compare what they got with this one."""
        sets = [set(entry.says["recipients"]) for entry in entries if entry.kind == "apart"]
        others = set().union(*(each for each in sets if recipient in each))
        return others - {recipient}

    def _past(self, listed: ListedRelease) -> PastRelease:
        entry = listed.entry
        who, group = members_of(self.entries.part(entry, "members"))
        names = [name for name in entry.says["parts"] if name.startswith("values ")]
        return PastRelease(
            number=entry.number,
            called=listed.called,
            k=entry.says["k"],
            who=who,
            group=group,
            cells=lambda: table_of(self.entries.part(entry, "cells")),
            values=lambda: {
                name.removeprefix("values "): table_of(self.entries.part(entry, name))
                for name in names
            },
            rows=lambda: rows_of(listed),
            quasi=tuple(entry.says.get("quasi", ())),
            plain=(*entry.says.get("sensitive", ()), *entry.says.get("keep", ())),
        )

    def _last_waiting(self, compared: Sequence[ListedRelease]) -> bytes | None:
        return self.entries.part(compared[-1].entry, "waiting") if compared else None

    def _settle(self) -> None:
        """Settle what a killed run left pending, from the file that is there or not."""
        for each in self.listed():
            if each.state != "pending":
                continue
            says = each.entry.says
            file = says.get("file")
            if file is None:  # nobody can tell: it counts as published
                self.settle(each.entry, "published", settled="unknown")
                continue
            there = Path(file).is_file() and file_hash(file) == says["file hash"]
            self.settle(each.entry, "published" if there else "dropped", settled="later")


def rows_of(listed: ListedRelease) -> pa.Table:
    """Read the file of a release again; refuse one that is gone or was changed."""
    file = listed.entry.says.get("file")
    if file is None or not Path(file).is_file():
        gone = "put its file back" if file else "it was recorded without a file"
        remedy = Remedy(gone, Set("leavers", "withdraw", "no longer publish these groups"))
        raise DataError(f"the rows of {listed.called} are not there", remedy=remedy)
    if file_hash(file) != listed.entry.says["file hash"]:
        raise DataError(f"the file of {listed.called} was changed", remedy="restore it")
    return read(file)


def _waiting(part: bytes | None) -> tuple[pa.Array, Any]:
    if part is None:
        return hashes_of(b""), np.zeros(0, np.int32)
    table = table_of(part)
    return table["who"].combine_chunks(), np.asarray(table["waited"], np.int32)


def file_hash(place: str | Path) -> str:
    """Hash the bytes of a file."""
    with Path(place).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def now() -> str:
    """Return the time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
