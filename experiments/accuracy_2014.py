"""Accuracy: classifiers trained on the release of some folds, tested on the rows of another.

A cell is one data set, k, l and fold, with all methods: two of them publish from the same groups.
Cells are kept, and run side by side. What releases leak is measured apart, in `leak_2014`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.releases_2014 import GROUPED, METHODS, OURS, REPAIRED, releases
from experiments.runs import key_of
from experiments.tables_2014 import classified
from shoal.comparison.cells import Row
from shoal.errors import ShoalError
from shoal.mining.classification import MAJORITY, Classification
from shoal.mining.task import MiningMaterial
from shoal.recipe import hierarchy_of

ORIGINAL = "original"
__all__ = ["GROUPED", "METHODS", "OURS", "REPAIRED"]
WAYS = ("sampled", "expanded")


class Size(NamedTuple):
    """How much is measured."""

    rows: dict[str, int]  # at most, where it is not all
    folds: int
    tables: int
    ks: tuple[int, ...]
    classifiers: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """The releases of all methods and what they are good for; the original itself where k is 1."""

    data: str
    rows: int
    k: int
    l: int
    fold: int
    folds: int
    tables: int
    classifiers: tuple[str, ...]

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def cells(size: Size, names: Iterable[str], l: int) -> Iterator[Cell]:
    """All cells of some data sets at one l; the original is the same at each l."""
    for data in names:
        rows = size.rows.get(data, 10**9)
        for fold in range(size.folds):
            for k in ((1,) if l == 1 else ()) + size.ks:
                yield Cell(data, rows, k, l, fold, size.folds, size.tables, size.classifiers)


def by_method(rows: Iterable[Row]) -> list[Row]:
    """Write a row for each method of each cell."""
    return [
        {**{name: value for name, value in row.items() if name != "methods"}, **figures}
        | {"method": method}
        for row in rows
        for method, figures in row["methods"].items()
    ]


def measure(cell: Cell) -> Row:
    """Measure the accuracy of each classifier and the loss, for each method."""
    data = classified(cell.data, cell.rows)
    train = parts(cell.data, cell.rows, cell.fold, cell.folds)[0]
    if cell.k == 1:
        return {"methods": {ORIGINAL: learnt(cell, train)}}
    figures: Row = {}
    for method, release in releases(data, train, cell.k, cell.l, 1 + cell.fold).items():
        if isinstance(release, ShoalError):
            figures[method] = {"refused": release.problem}
        else:
            loss = {"height-share": release.height_share}
            figures[method] = loss | learnt(cell, release.table)
    return {"methods": figures}


def learnt(cell: Cell, released: pa.Table) -> Row:
    """Measure the accuracy of each classifier that is trained on a release.

    Cells are drawn evenly from what they may stand for; in the first fold they are also made
    concrete in a second way.
    """
    data = classified(cell.data, cell.rows)
    train, test, known = parts(cell.data, cell.rows, cell.fold, cell.folds)
    found: Row = {}
    for way in WAYS if cell.fold == 0 else WAYS[:1]:
        material = MiningMaterial(
            train,
            released,
            data.quasi,
            (data.target,),
            {name: hierarchy_of(tree) for name, tree in data.hierarchies.items()},
            data.target,
            test,
            way=way,
            tables=cell.tables,
            known=known,
        )
        figures = Classification(cell.classifiers).measure(material)
        for name in (MAJORITY, *cell.classifiers):
            found[name if way == "sampled" else f"{name}, {way}"] = figures[
                f"accuracy of {name}"
            ].value
    return found


@lru_cache(8)
def parts(name: str, rows: int, fold: int, folds: int) -> tuple[pa.Table, pa.Table, dict[Any, Any]]:
    """Rows to train on, rows to test on, and what was found out about them already."""
    data = classified(name, rows)
    train, test = (data.table.take(pa.array(some)) for some in fold_of(data.classes, fold, folds))
    return train, test, {}


def fold_of(classes: np.ndarray, fold: int, folds: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and to test on; every class is dealt out evenly, in an order drawn once."""
    drawn = np.random.default_rng(1).permutation(len(classes))
    turn = np.empty(len(classes), np.int64)
    turn[drawn[np.argsort(classes[drawn], kind="stable")]] = np.arange(len(classes)) % folds
    return np.flatnonzero(turn != fold), np.flatnonzero(turn == fold)


def by_group(released: pa.Table, quasi: Sequence[str], sensitive: str) -> float:
    """The share of people whose value is the most frequent one of their group."""
    groups = released.group_by([*quasi, sensitive]).aggregate([([], "count_all")])
    most = groups.group_by(list(quasi)).aggregate([("count_all", "max")])
    return pc.sum(most["count_all_max"]).as_py() / released.num_rows
