"""Recording in a ledger: a release that was made before, by another process, is handed over now.

It was compared with the ledger when it was made. It is written down only while the same earlier
releases count as did then: what was published since, it was never held against. And only into the
ledger with whose key its people are hashed: in another one nobody would be recognized.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from shoal.adapters.atomic_files import Staged
from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.prepared import Prepared
from shoal.api.ledgers import NotRecorded, written_down
from shoal.errors import PrivacyNotMet
from shoal.ledger.past import Past


@dataclass(frozen=True)
class Recorded:
    """Where a release stands in a ledger."""

    number: int
    file: str | None
    """The copy of the release that later ones are compared with; None where there is none."""


def record_prepared(place: str | Path, prepared: Prepared, release: Path, name: str) -> Recorded:
    """Write a release down as it is handed over; a copy of it stays beside the ledger.

    Later releases read that copy where groups are published as they were. Both are there in the
    end, or neither is. `name` is that of the copy, as far as it is free.
    """
    ledger = LedgerFile.open(place)
    if not prepared.is_for(ledger.key):
        raise _another(ledger.place)

    def judge(past: Past) -> None:
        if past.numbers_of_releases != prepared.compared:
            raise _grown(ledger.place)

    with written_down(ledger, prepared, judge) as record, Staged() as staged:
        if not isinstance(record, NotRecorded):
            copy = _free(ledger.place.absolute().parent, name)
            hidden = staged.file(copy)
            shutil.copyfile(release, hidden)
            record.pending(copy, hidden)
    assert record.entry is not None
    return Recorded(record.entry.number, record.entry.says.get("file"))


def _free(folder: Path, name: str) -> Path:
    """Return a place for a file that is not there yet: its name, or with a number behind it."""
    place = folder / name
    number = 1
    while place.exists():
        number += 1
        place = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
    return place


def _another(place: Path) -> PrivacyNotMet:
    return PrivacyNotMet(
        f"ledger '{place}' is not the one that this release was compared with",
        {"why": "its key is another one, so that nobody would be recognized"},
        "make the release again, so that it is compared with this ledger",
    )


def _grown(place: Path) -> PrivacyNotMet:
    return PrivacyNotMet(
        f"ledger '{place}' has changed since this release was compared with it",
        {"published": "nothing", "the ledger": "as it was"},
        "make the release again, so that it is compared with what was published since",
    )
