"""Boosted trees on anonymized Adult: the protocol of Slijepcevic et al. 2021, one split at a time.

The whole table is anonymized, then split 70 to 30, so that both parts are as published. A learner
reads a cell as anyone may: an interval as its two ends, a category as the share that each value
has in what the cell may stand for. Rows that look alike and have one class are one row with a
weight.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks import adult
from experiments.divided import divided
from experiments.runs import adult_base, key_of
from experiments.tables_2014 import binned, entropy, shared
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
LARGE = 100  # k, from which on groups need to follow the class more than all else


@dataclass(frozen=True)
class Cell:
    """One method, k and random split."""

    method: str
    k: int
    seed: int
    rows: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure(cell: Cell) -> Row:
    """Train on 70 % of the published rows, and count right guesses on the others."""
    train, test = split(cell.rows, cell.seed)
    quasi = [] if cell.method == ORIGINAL else adult.QUASI
    return {"accuracy": accuracy(published(cell, train), quasi, train, test)}


def split(rows: int, seed: int) -> tuple[Longs, Longs]:
    """Draw the rows to train on and those to test on."""
    turn = np.random.default_rng(seed).permutation(rows)
    upto = round(TRAINING * rows)
    return turn[:upto], turn[upto:]


def accuracy(released: pa.Table, quasi: list[str], train: Longs, test: Longs) -> float:
    """Measure how often boosted trees are right that learn from training rows."""
    values = numbers(released, quasi, released.num_rows)
    classes = np.unique(released[adult.SENSITIVE].to_pylist(), return_inverse=True)[1]
    return float(np.mean(_guessed(values, classes, train, test) == classes[test]))


def published(cell: Cell, train: Longs) -> pa.Table:
    """Anonymize all rows in their order; what the class is told by is taken from training rows."""
    table = adult.table().slice(0, cell.rows)
    if cell.method == ORIGINAL:
        return table
    if cell.method not in TOLD:
        return _released(cell.method, cell.k, cell.rows)
    telling = importance(table.take(pa.array(train)), weighing(cell.method, cell.k))
    return anonymized(table, cell.k, {**METHODS[cell.method], "importance": telling})


@cache
def _released(method: str, k: int, rows: int) -> pa.Table:
    return anonymized(adult.table().slice(0, rows), k, METHODS[method])


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


def information(ones: Longs, others: Longs) -> float:
    """Measure the information that two columns share, in bits."""
    pairs = ones * (int(others.max()) + 1) + others
    return entropy(ones) + entropy(others) - entropy(pairs)


HIGHEST = 4.0
EVEN = Weighing(shared, 1.0, 0.2)
STEEP = Weighing(information, 2.0, 0.02)


def weighing(method: str, k: int) -> Weighing:
    """Choose the weighing that was best on the split of seed 1, which judges nothing."""
    return STEEP if method == AWARE and k >= LARGE else EVEN


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


def _guessed(values: Floats, classes: Longs, train: Longs, test: Longs) -> Longs:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from sklearn.ensemble import HistGradientBoostingClassifier as Boosted

    both = np.column_stack([values[train], classes[train]])
    _, first, counts = np.unique(both, axis=0, return_index=True, return_counts=True)
    chosen = train[first]
    model = Boosted(max_iter=120, learning_rate=0.1, max_leaf_nodes=31, random_state=0)
    model.fit(values[chosen], classes[chosen], sample_weight=counts)
    different, place = np.unique(values[test], axis=0, return_inverse=True)
    return np.asarray(model.predict(different)[place.reshape(-1)], np.int64)
