"""Accuracy: classifiers trained on the release of some folds, tested on the rows of another; and
what the release leaks.

A cell is one data set, method, k, l and fold. Cells are kept, and run side by side.

What an attacker guesses is judged on the training rows, whose quasi-identifiers are known:

    boxes that overlap   the best of what `reconstruction` tries
    groups               the most frequent value of the person's group
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import shoal
from experiments.runs import key_of
from experiments.tables_2014 import Classified, classified
from shoal.comparison.cells import Row
from shoal.errors import ShoalError
from shoal.mining.classification import MAJORITY, Classification
from shoal.mining.task import MiningMaterial
from shoal.recipe import hierarchy_of

OURS = "nsvdist"
REPAIRED = "nsvdist, repaired"
ORIGINAL = "original"
GROUPED = ("sequential", "mondrian", "top-down", "shoal")
METHODS = (OURS, REPAIRED, *GROUPED)
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
    """One release and what it is good for; the original itself where k is 1."""

    data: str
    rows: int
    method: str
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
    """All cells of some data sets at one l."""
    for data in names:
        rows = size.rows.get(data, 10**9)
        for fold in range(size.folds):
            of_fold = (fold, size.folds, size.tables, size.classifiers)
            yield Cell(data, rows, ORIGINAL, 1, l, *of_fold)
            yield from (
                Cell(data, rows, method, k, l, *of_fold) for method in METHODS for k in size.ks
            )


def measure(cell: Cell) -> Row:
    """Accuracy of each classifier under both ways to make cells concrete, the loss, and what is
    leaked.
    """
    data = classified(cell.data, cell.rows)
    train, test, known = parts(cell.data, cell.rows, cell.fold, cell.folds)
    try:
        found, released = released_by(cell, data, train)
    except ShoalError as error:
        return {"refused": error.problem}
    for way in WAYS:
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


def released_by(cell: Cell, data: Classified, train: pa.Table) -> tuple[Row, pa.Table]:
    """What a method publishes; its loss, and what attackers get."""
    if cell.method == ORIGINAL:
        return {}, train
    asked: dict[str, Any] = {
        "quasi": data.quasi,
        "sensitive": data.target,
        "hierarchies": data.hierarchies,
        "k": cell.k,
    }
    release = shoal.anonymize(train, **asked, **recipe_of(cell.method, cell.l), seed=1 + cell.fold)
    told = release.certificate.private
    rows = train.num_rows
    usual = (
        pc.max(pc.value_counts(train[data.target].combine_chunks()).field("counts")).as_py() / rows
    )
    found = {"height-share": release.certificate.private.losses["height-share"], "usual": usual}
    if cell.method in GROUPED:
        return found | {
            "below k": 0.0,
            "guessed": by_group(release.table, data.quasi, data.target),
        }, release.table
    attacks = {attack.name: attack for attack in told.attacks}
    found["below k"] = told.concealment.covering_below / rows
    return found | {
        "guessed": attacks["reconstruction"].attack,
        "link": told.link.largest,
    }, release.table


def recipe_of(method: str, l: int) -> dict[str, Any]:
    """How a method is asked for at an l."""
    if method in (OURS, REPAIRED):
        return {"method": f"nsvdist:l={l},match=ring"} | (
            {"as_published": True} if method == OURS else {}
        )
    return {"method": method} | ({"models": [f"frequency-l-diversity:l={l}"]} if l > 1 else {})


def by_group(released: pa.Table, quasi: Sequence[str], sensitive: str) -> float:
    """The share of people whose value is the most frequent one of their group."""
    groups = released.group_by([*quasi, sensitive]).aggregate([([], "count_all")])
    most = groups.group_by(list(quasi)).aggregate([("count_all", "max")])
    return pc.sum(most["count_all_max"]).as_py() / released.num_rows
