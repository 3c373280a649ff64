"""Recording: a pending entry first, then the files take their places, then it is completed.

A run that is killed in between leaves the pending entry; the next command looks for the file and
settles what became of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.adapters.atomic_files import STANDARD
from shoal.adapters.ledgers.entries import Entry
from shoal.adapters.ledgers.ledger_file import LedgerFile, file_hash
from shoal.ledger.past import Past
from shoal.ledger.published import Published


@dataclass
class Recording:
    """A release on its way into a ledger."""

    ledger: LedgerFile
    past: Past
    new: Published
    says: Mapping[str, Any]
    entry: Entry | None = None

    def pending(self, place: str | Path | None = None, written: Path | None = None) -> None:
        """Write down that a release is about to take its place; `written` holds its bytes."""
        says = dict(self.says)
        if written is not None and place is not None and str(place) != STANDARD:
            says |= {"file": str(Path(place).absolute()), "file hash": file_hash(written)}
        self.entry = self.ledger.release(self.past, self.new, says, pending=True)


@contextmanager
def recording(
    ledger: LedgerFile,
    new: Published,
    says: Mapping[str, Any],
    recipient: str,
    judge: Callable[[Past], None],
) -> Iterator[Recording]:
    """Hold the ledger, judge the release once more, and complete its entry at the end."""
    with ledger.alone():
        past = ledger.past(recipient)
        judge(past)
        record = Recording(ledger, past, new, {**says, "recipient": recipient})
        try:
            yield record
        except BaseException:
            if record.entry is not None:
                ledger.settle(record.entry, "dropped")
            raise
        if record.entry is None:
            record.pending()
        assert record.entry is not None
        ledger.settle(record.entry, "published")
