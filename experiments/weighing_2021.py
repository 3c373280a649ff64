"""Weighing of columns for boosted trees: what was tried on one split before others judge.

python -m experiments.weighing_2021 [--k 100] [--method mondrian]

prints the accuracy of each way to tell a method which columns tell the class, and of each size of
boosted trees, on the split of seed 1, which judges nothing on the page of `slijepcevic_2021`. All
print exact intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from benchmarks import adult
from experiments import boosted_2021 as boosted
from experiments.boosted_2021 import CHOSEN, SMALL, Trees, Weighing
from experiments.runs import key_of, options
from experiments.tables_2014 import entropy
from shoal.arrays import Longs
from shoal.comparison.cells import Row

SPLIT = 1
KS = (5, 25, 100)


def information(ones: Longs, others: Longs) -> float:
    """Measure the information that two columns share, in bits."""
    pairs = ones * (int(others.max()) + 1) + others
    return entropy(ones) + entropy(others) - entropy(pairs)


INFORMATION = Weighing(information, 1.0, 0.05)
WAYS: dict[str, Weighing | None] = {
    "not told": None,
    "symmetric uncertainty": CHOSEN,
    "information": INFORMATION,
    "information squared": Weighing(information, 2.0, 0.02),
    "information, loss leaf-share": INFORMATION,
}
METHODS = ("shoal", "mondrian")
SIZES = {
    "31 leaves, 120 rounds": Trees(31, 120),
    "15 leaves, 120 rounds": Trees(15, 120),
    "8 leaves, 200 rounds": SMALL,
}
CHOSEN_SIZE = "8 leaves, 200 rounds"


@dataclass(frozen=True)
class Trial:
    """One method, way to weigh columns and k, on the split that chooses."""

    method: str
    way: str
    k: int
    rows: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def trials() -> Iterator[Trial]:
    """List all trials; `mondrian` has no loss to be asked for."""
    rows = adult.table().num_rows
    for method in METHODS:
        for way in WAYS:
            if method == "shoal" or "loss" not in way:
                yield from (Trial(method, way, k, rows) for k in KS)


def measure(trial: Trial) -> Row:
    """Measure the accuracy of boosted trees on one release."""
    table = adult.table().slice(0, trial.rows)
    train, test = boosted.split(trial.rows, SPLIT)
    asked: dict[str, Any] = {"method": trial.method, "publish": "tight"}
    if how := WAYS[trial.way]:
        asked["importance"] = boosted.importance(table.take(pa.array(train)), how)
    if "loss" in trial.way:
        asked["loss"] = trial.way.split()[-1]
    released = boosted.anonymized(table, trial.k, asked)
    return {
        name: boosted.accuracy(released, adult.QUASI, train, test, trees)
        for name, trees in SIZES.items()
    }


def main() -> None:
    """Measure trials and print their accuracy."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--k", type=int, choices=KS)
    parser.add_argument("--method", choices=METHODS)
    given = parser.parse_args()
    asked = options("weighing_2021", __doc__, ["--jobs", "1"])
    some = [
        trial
        for trial in trials()
        if given.k in (None, trial.k) and given.method in (None, trial.method)
    ]
    for row in asked.measured(some, measure):
        told = ", ".join(f"{row[name]:.4f} ({name})" for name in SIZES)
        print(f"{row['method']}, {row['way']}, k = {row['k']}: {told}")


if __name__ == "__main__":
    main()
