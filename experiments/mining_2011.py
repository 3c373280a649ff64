"""Accuracy of mining on groups: classifiers trained on a release of Adult, tested on other rows.

A cell is one method, k and fold of a sample of Adult: the other folds are anonymized, each cell is
drawn evenly from what it may stand for, and classifiers that learned from that are tested on the
rows of the fold as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from experiments.accuracy_2014 import parts
from experiments.divided import divided
from experiments.runs import key_of
from experiments.tables_2014 import ADULT, classified
from shoal.comparison.cells import Row
from shoal.mining.classification import MAJORITY, Classification
from shoal.mining.task import MiningMaterial
from shoal.recipe import Recipe, hierarchy_of

ORIGINAL = "original"


@dataclass(frozen=True)
class Cell:
    """One release of a part of Adult, and what classifiers learn from it."""

    method: str
    called: str
    k: int
    seed: int  # the fold, and the seed of the search
    folds: int
    rows: int
    classifiers: tuple[str, ...]

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure(cell: Cell) -> Row:
    """Train classifiers on what a method publishes; the original itself where it is asked for."""
    data = classified(ADULT, cell.rows)
    train, test, known = parts(ADULT, cell.rows, cell.seed - 1, cell.folds)
    released = train
    if cell.method != ORIGINAL:
        recipe = Recipe.of(
            quasi=data.quasi,
            sensitive=[data.target],
            hierarchies=data.hierarchies,
            k=cell.k,
            method=cell.called,
            loss="height",
            publish="tight",
            seed=cell.seed,
        )
        released = divided(train, recipe).published()
    trees = {name: hierarchy_of(tree) for name, tree in data.hierarchies.items()}
    material = MiningMaterial(
        train, released, data.quasi, (data.target,), trees, data.target, test, tables=1, known=known
    )
    figures = Classification(cell.classifiers).measure(material)
    accuracies = {name: figures[f"accuracy of {name}"].value for name in cell.classifiers}
    mean = sum(accuracies.values()) / len(accuracies)
    majority = figures[f"accuracy of {MAJORITY}"].value
    return {**accuracies, "accuracy": mean, "error": 1 - mean, "majority": majority}
