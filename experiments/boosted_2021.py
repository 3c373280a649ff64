"""Boosted trees on anonymized Adult: the protocol of Slijepcevic et al. 2021, one split at a time.

The whole table is anonymized, then split 70 to 30, so that both parts are as published. A learner
reads a cell as anyone may: an interval as its two ends, a category as the share that each value
has in what the cell may stand for. Rows that look alike and have one class are one row with a
weight.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks import adult
from experiments.divided import divided
from experiments.runs import adult_base, key_of
from experiments.tables_2014 import binned, shared
from shoal.arrays import Floats, Longs
from shoal.comparison.cells import Row
from shoal.mining.concrete import Ranges, Shares, column_of
from shoal.mining.features import Feature, features_of
from shoal.recipe import Recipe, hierarchy_of

ORIGINAL = "original"
EXACT = "shoal, exact intervals"
AWARE = "shoal, told which columns tell the class"
AWARE_MONDRIAN = "mondrian, told which columns tell the class"
METHODS: dict[str, dict[str, Any]] = {
    "shoal": {},
    EXACT: {"publish": "tight"},
    AWARE: {"publish": "tight"},
    "mondrian": {"method": "mondrian", "publish": "tight"},
    AWARE_MONDRIAN: {"method": "mondrian", "publish": "tight"},
}
TOLD = (AWARE, AWARE_MONDRIAN)
TRAINING = 0.7


@dataclass(frozen=True)
class Cell:
    """One method and k, and the random splits that judge it."""

    method: str
    k: int
    seeds: tuple[int, ...]
    rows: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure(cell: Cell) -> Row:
    """Train on 70 % of the published rows, and count right guesses on the others."""
    table = adult.table().slice(0, cell.rows)
    quasi = [] if cell.method == ORIGINAL else adult.QUASI
    once = [] if cell.method in TOLD else [published(cell, table)]
    accuracies = []
    for seed in cell.seeds:
        train, test = split(cell.rows, seed)
        released = once or [published(cell, table, table.take(pa.array(train)))]
        accuracies.append(accuracy(released[0], quasi, train, test))
    return {"accuracies": accuracies}


def by_split(rows: Iterable[Row]) -> list[Row]:
    """Write a row for each split of each cell."""
    return [
        {"method": row["method"], "k": row["k"], "seed": seed, "rows": row["rows"], "accuracy": one}
        for row in rows
        for seed, one in zip(row["seeds"], row["accuracies"], strict=True)
    ]


def split(rows: int, seed: int) -> tuple[Longs, Longs]:
    """Draw the rows to train on and those to test on."""
    turn = np.random.default_rng(seed).permutation(rows)
    upto = round(TRAINING * rows)
    return turn[:upto], turn[upto:]


class Trees(NamedTuple):
    """How large boosted trees are, and how many."""

    leaves: int
    rounds: int


SMALL = Trees(8, 200)
"""Chosen in `weighing_2021` as the weighing was, on a split that judges nothing."""


def accuracy(
    released: pa.Table, quasi: list[str], train: Longs, test: Longs, trees: Trees = SMALL
) -> float:
    """Measure how often boosted trees are right that learn from training rows."""
    values = numbers(released, quasi, released.num_rows)
    classes = np.unique(released[adult.SENSITIVE].to_pylist(), return_inverse=True)[1]
    return float(np.mean(_guessed(values, classes, train, test, trees) == classes[test]))


def published(cell: Cell, table: pa.Table, train: pa.Table | None = None) -> pa.Table:
    """Anonymize all rows in their order; training rows say how much a column tells."""
    if cell.method == ORIGINAL:
        return table
    asked = METHODS[cell.method]
    telling = {} if train is None else {"importance": importance(train, CHOSEN)}
    return anonymized(table, cell.k, asked | telling)


def anonymized(table: pa.Table, k: int, asked: dict[str, Any]) -> pa.Table:
    """Anonymize all rows in their order."""
    base = {name: value for name, value in adult_base().items() if name != "loss"}
    return divided(table, Recipe.of(**base, **asked, k=k, seed=1, keep_order=True)).published()


class Weighing(NamedTuple):
    """How columns are weighed by the information that they share with the class."""

    shared: Callable[[Longs, Longs], float]
    power: float
    least: float
    """Importance of columns that tell nothing; the one that tells most has `HIGHEST`."""


HIGHEST = 4.0
CHOSEN = Weighing(shared, 1.0, 0.2)
"""The same for every method and k: chosen in `weighing_2021`, on a split that judges nothing."""


def importance(train: pa.Table, how: Weighing) -> dict[str, float]:
    """Weigh columns by what they tell about the class of training rows."""
    classes = binned(train[adult.SENSITIVE])
    told = {name: how.shared(binned(train[name]), classes) for name in adult.QUASI}
    most = max(told.values())
    return {
        name: max(round(HIGHEST * (share / most) ** how.power, 3), how.least)
        for name, share in told.items()
    }


@cache
def _features(rows: int) -> tuple[Feature, ...]:
    trees = {name: hierarchy_of(tree or "none") for name, tree in adult.hierarchies().items()}
    return features_of(adult.table().slice(0, rows), adult.QUASI, trees)


def numbers(released: pa.Table, quasi: list[str], rows: int) -> Floats:
    """Write each row as numbers: ends of intervals, and shares of values under nodes."""
    columns = [column_of(released, feature, quasi) for feature in _features(rows)]
    return np.concatenate([_columns_of(column)[column.cell] for column in columns], axis=1)


def _columns_of(column: Ranges | Shares) -> Floats:
    if isinstance(column, Shares):
        return column.shares[:, :-1]
    if column.on_line:
        return np.column_stack([column.low, column.high])
    code = np.arange(column.feature.axis.size)
    inside = (column.low[:, None] <= code) & (code <= column.high[:, None])
    return inside / np.maximum(inside.sum(axis=1, keepdims=True), 1)


def _guessed(values: Floats, classes: Longs, train: Longs, test: Longs, trees: Trees) -> Longs:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from sklearn.ensemble import HistGradientBoostingClassifier as Boosted

    both = np.column_stack([values[train], classes[train]])
    _, first, counts = np.unique(both, axis=0, return_index=True, return_counts=True)
    chosen = train[first]
    model = Boosted(
        max_iter=trees.rounds, learning_rate=0.1, max_leaf_nodes=trees.leaves, random_state=0
    )
    model.fit(values[chosen], classes[chosen], sample_weight=counts)
    different, place = np.unique(values[test], axis=0, return_inverse=True)
    return np.asarray(model.predict(different)[place.reshape(-1)], np.int64)
