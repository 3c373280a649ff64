"""Random traces of people who join, leave, return and change, published with sticky groups.

    people come and go over some releases; everybody has a number of their own that is published
    each release is written as a file, with `leavers` and `wait` drawn at random, some by `apply`
    everything is counted from these files alone (`soak/outside/repeated`, which imports nothing of
    Shoal): rows of one person are found by their number

So the attacker is the strongest one: rows are recognized across releases. In no two files may
fewer than k people share their groups, join a group, or leave one. From the folder `tests`:

    python -m guarantees.sticky_traces --traces 1000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa

import shoal
from shoal.errors import PrivacyNotMet
from soak.outside.repeated import File, faults, recognized

QUASI = ["age", "town", "born"]
TOWNS = ["Oslo", "Bergen", "Bodo", "Moss"]


class Town:
    """People who come and go."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rows: dict[int, list[object]] = {}
        self.there: set[int] = set()
        self.join(int(rng.integers(8, 30)))

    def join(self, number: int) -> None:
        """New people, each with a number of their own."""
        for _ in range(number):
            person = len(self.rows)
            age = int(self.rng.integers(20, 60))
            town = str(self.rng.choice(TOWNS))
            born = f"19{self.rng.integers(50, 99)}-0{self.rng.integers(1, 9)}-11"
            cost = int(self.rng.integers(10**6)) * 1000 + person
            self.rows[person] = [f"p{person}", age, town, born, cost]
            self.there.add(person)

    def move_on(self) -> None:
        """A month later."""
        rng = self.rng
        for person in list(self.there):
            if rng.random() < rng.choice([0, 0.02, 0.2]):
                self.there.remove(person)
            elif rng.random() < 0.05:
                self.rows[person][1] = int(rng.integers(20, 70))
        away = sorted(set(self.rows) - self.there)
        self.there |= {person for person in away if rng.random() < 0.2}
        self.join(int(rng.integers(0, 9)))

    def table(self) -> dict[str, list[object]]:
        """Those who are there, as columns."""
        rows = [self.rows[person] for person in sorted(self.there)]
        return {name: [row[at] for row in rows] for at, name in enumerate(["id", *QUASI, "cost"])}


def release(people: pa.Table, ledger: Path, rng: np.random.Generator, k: int) -> shoal.Release:
    """Publish people with sticky groups; sometimes by the groups that are there already."""
    leavers = str(rng.choice(["keep", "withdraw"]))
    wait = int(rng.integers(3))
    if ledger.exists() and rng.random() < 0.3:
        return shoal.apply(ledger, people, leavers=leavers)
    return shoal.anonymize(
        people,
        quasi=QUASI,
        sensitive=["cost"],
        person="id",
        k=k,
        effort="low",
        seed=1,
        ledger=ledger,
        across="sticky",
        leavers=leavers,
        wait=wait,
    )


def trace(seed: int, folder: Path) -> tuple[int, list[str]]:
    """Publish a town some times; return the number of releases, and what is wrong with them."""
    rng = np.random.default_rng(seed)
    town = Town(rng)
    k = int(rng.integers(2, 4))
    files: list[File] = []
    wrong: list[str] = []
    for month in range(int(rng.integers(2, 6))):
        place = folder / f"{seed}-{month}.csv"
        try:
            release(pa.table(town.table()), folder / f"{seed}.ledger", rng, k).write(place)
            files.append(recognized(place, QUASI, "cost"))
            wrong += [f"trace {seed}, file {month}: {fault}" for fault in faults(files, k)]
        except PrivacyNotMet as refused:
            if "wait" not in refused.problem and "can't form" not in refused.problem:
                wrong.append(f"trace {seed}, file {month}: refused, {refused.problem}")
        town.move_on()
    return len(files), wrong


def run(traces: range) -> tuple[int, list[str]]:
    """Run traces; count the releases, and collect what is wrong."""
    releases = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in traces:
            written, faulty = trace(seed, Path(folder))
            releases += written
            wrong += faulty
    return releases, wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    counted, found = run(range(asked.seed, asked.seed + asked.traces))
    print(f"{asked.traces} traces, {counted} releases, {len(found)} faults")
    for fault in found[:20]:
        print(fault)
    sys.exit(bool(found))
