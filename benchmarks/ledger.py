"""A further release of many people: CPU seconds and memory of comparing it, bytes of the ledger.

    python -m benchmarks.ledger                      the 12th release of 1,000,000 people
    python -m benchmarks.ledger --people 100000      fewer

People stay in groups of ten with eight quasi-identifiers; in each release one group in a hundred is
new and one is gone. Only what a ledger adds is measured: hashing people, reading what was
published, comparing, writing down.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters.ledgers import LedgerFile
from shoal.ledger.across import EarlierReleases
from shoal.ledger.published import PeopleOfRows, PeoplePublished

SIZE = 10
RELEASES = 12
AXES = 8


def release(people: int, number: int) -> tuple[pa.Array, dict[str, Any]]:
    """Draw the release of one month: one group in a hundred is new, and as many are gone."""
    groups = people // SIZE
    first = number * groups // 100
    labels = np.repeat(np.arange(groups, dtype=np.int32), SIZE)
    numbers = pa.array(np.arange(first * SIZE, (first + groups) * SIZE))
    rng = np.random.default_rng(number)
    cells = {
        f"column {axis}": pa.array([f"[{low}, {low + 5}]" for low in rng.integers(0, 200, groups)])
        for axis in range(AXES)
    }
    ill = np.array(["flu", "cold", "gout", "asthma"])[rng.integers(0, 4, groups * SIZE)]
    drawn = {"labels": labels, "cells": pa.table(cells), "sensitive": {"ill": pa.array(ill)}}
    return numbers.cast(pa.string()), drawn


def main() -> None:
    """Print a line for each release."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--people", type=int, default=1_000_000)
    people = parser.parse_args().people
    with tempfile.TemporaryDirectory() as folder:
        ledger = LedgerFile.create(Path(folder) / "town.ledger")
        print("release | CPU s | of it hashing | bytes a person and release | peak GB")
        for number in range(RELEASES):
            names, drawn = release(people, number)
            before = time.process_time()
            new = PeoplePublished(PeopleOfRows.of_texts(names, ledger.hashed), **drawn)
            hashed = time.process_time() - before
            past = ledger.past()
            crossed = EarlierReleases("guard", past, ledger.hashed).crossed(new, SIZE)
            says = {"k": SIZE, "recipient": "", "rows hash": "", "people hash": ""}
            ledger.release(past, crossed.published, says, pending=False)
            spent = time.process_time() - before
            size = ledger.place.stat().st_size / people / (number + 1)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(
                f"{number + 1} | {spent:.1f} | {hashed:.1f} | {size:.1f} | {peak:.2f}", flush=True
            )


if __name__ == "__main__":
    main()
