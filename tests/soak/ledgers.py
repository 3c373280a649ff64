"""Ledgers of a soak: people come and go, are published again, and files are recounted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from guarantees.sticky_traces import QUASI, Town
from shoal.adapters.ledgers import LedgerFile
from shoal.errors import PrivacyNotMet
from soak.outside.repeated import File, faults, recognized, unbalanced
from soak.releases import Done

ILLS = ("flu", "gout", "hip", "asthma")
M = 2


def released(rng: Random, folder: Path) -> Done:
    """Publish a town some times, with groups made anew, sticky ones, or those of the ledger."""
    town = Town(np.random.default_rng(rng.randrange(2**32)))
    balanced = rng.random() < 0.25
    asked = _asked(rng, folder, balanced=balanced)
    files: list[File] = []
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    months = rng.randint(2, 5)
    for month in range(months):
        place = folder / f"{month}.csv"
        way = _way(rng, asked)
        try:
            _published(_people(town), asked, way).write(place)
        except PrivacyNotMet as refused:
            counts["ledgers: refused"] += 1
            wrong += [] if refused.exit_code == 4 else ["refused with another exit code"]
        else:
            counts[f"ledgers: {'balanced' if balanced else way['across']}"] += 1
            wrong += _faults(files, place, asked["k"], balanced=balanced)
        town.move_on()
    wrong += _unsound(asked["ledger"])
    outcome = "released" if counts.total() > counts["ledgers: refused"] else "refused"
    return Done(outcome, dict(counts), wrong, {"asked": str(asked), "months": months})


def _asked(rng: Random, folder: Path, *, balanced: bool) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "quasi": QUASI,
        "sensitive": ["ill"] if balanced else ["cost"],
        "person": "id",
        "k": rng.randint(2, 4),
        "seed": rng.randrange(1000),
        "effort": "low",
        "ledger": folder / "town.ledger",
    }
    return {**asked, "models": [f"m-invariance:m={M}"]} if balanced else asked


def _way(rng: Random, asked: dict[str, Any]) -> dict[str, Any]:
    """Draw how the next release is made."""
    leavers = rng.choice(("keep", "withdraw"))
    if asked["ledger"].exists() and rng.random() < 0.35:
        return {"across": "apply", "leavers": leavers}
    if rng.random() < 0.2:
        return {"across": "guard"}
    return {"across": "sticky", "leavers": leavers, "wait": rng.randint(0, 2)}


def _people(town: Town) -> pa.Table:
    """The people who are there, each with an illness for good."""
    columns = town.table()
    ills = [ILLS[int(str(name)[1:]) * 7 % len(ILLS)] for name in columns["id"]]
    return pa.table({**columns, "ill": ills})


def _published(people: pa.Table, asked: dict[str, Any], way: dict[str, Any]) -> shoal.Release:
    if way["across"] == "apply":
        return shoal.apply(asked["ledger"], people, leavers=way["leavers"])
    return shoal.anonymize(people, **asked, **way)


def _faults(files: list[File], place: Path, k: int, *, balanced: bool) -> list[str]:
    """Recount a file together with those before it, and verify it."""
    if balanced:
        wrong = unbalanced(place, QUASI, "ill", k, M)
    else:
        files.append(recognized(place, QUASI, "cost"))
        wrong = faults(files, k)
    certified = shoal.verify(place, f"{place}.certificate.json").holds
    return wrong if certified else [*wrong, "verify does not confirm a release"]


def _unsound(ledger: Path) -> list[str]:
    """Check the chain of the ledger, if there is one."""
    if not ledger.exists():
        return []
    try:
        LedgerFile.open(ledger).check()
    except PrivacyNotMet:
        return ["the ledger does not stand up to its own check"]
    return []
