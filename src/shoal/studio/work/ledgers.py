"""Ledgers: opens a ledger, or makes a new one, and lists what was published before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.ledger_file import ListedRelease
from shoal.adapters.ledgers.ledger_key import place_of
from shoal.review.across_releases import AcrossReleases
from shoal.studio.work.telling import Tell


def do(tell: Tell, place: str, *, make: bool = False) -> dict[str, Any]:
    """Return the releases of a ledger as `shoal ledger show` has them; `make` begins a new one.

    A ledger that is not there is no refusal: one may want to begin it.
    """
    tell("opening the ledger")
    path = Path(place).expanduser().absolute()
    told = {"place": str(path), "key": str(place_of(path)), "is_there": True}
    if make and not path.exists():
        opened = LedgerFile.create(path)
    elif not path.exists() and not place_of(path).exists() and path.parent.is_dir():
        return {**told, "is_there": False, "releases": []}
    else:
        opened = LedgerFile.planned(path)  # refuses a key that is left without its ledger
    return {**told, "releases": [_release(each) for each in opened.listed()]}


def _release(each: ListedRelease) -> dict[str, Any]:
    """Return one release as plain data."""
    says = each.entry.says
    figures = msgspec.convert(says["figures"], AcrossReleases)
    file = says.get("file")
    return {
        "number": each.entry.number,
        "day": each.entry.time[:10],
        "file": Path(file).name if file else None,
        "people": figures.people,
        "k": says["k"],
        "lowest": figures.k,
        "below": figures.below,
        "waiting": figures.waiting,
        "recipient": says["recipient"],
        "person": says["person"],
        "state": each.state,
        "counts": each.counts,
    }
