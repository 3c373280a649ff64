"""`classification`: train classifiers on the release and test them on rows outside of it.

    with rows to test on:  train on each concrete table of the release, test on those rows
    without:               10 folds of the original; anonymize nine as the release was, train on
                           that, test on the tenth

Rows of a release can't be paired with those of the original, so without other rows only the second
way is honest: it measures the recipe, not the one release. The classes of the rows tested are as
they are, never generalized. Beside each classifier stand the same one trained on the original, and
the majority rule. Differences are paired: over rows tested, or over folds, there with the variance
corrected for training sets that overlap (Nadeau & Bengio 2003, doi:10.1023/A:1024068626366):

    interval = mean difference +- t(9) sqrt((1/10 + 1/9) variance of the ten differences)

A row to test on whose class the original does not know counts as wrong; one without a class is
passed over. In each fold a tenth of the concrete tables is used, one at least. A class column of
more than 50 different values is refused.

By hand: of 100 rows outside of the release, a tree trained on the original is right about 83, one
trained on the release about 81, the majority rule about 76. The release costs 2 of the 7 points
that there are to learn.

Cost: one training of each classifier for the original and for each concrete table; without rows to
test on, ten anonymizations, and the original is learnt ten times.

When to use it: if readers will train classifiers: it says how much accuracy the release costs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats, Longs
from shoal.errors import DataError, RecipeError, did_you_mean
from shoal.mining import classes
from shoal.mining.classes import classified, tested
from shoal.mining.features import Plain
from shoal.mining.learners import LEARNERS, MOST_ROWS, guesses
from shoal.mining.task import Figure, MiningMaterial, Task
from shoal.wording import FILE, Remedy, Set

FOLDS = 10
T9 = 2.262157162740992  # of Student's t with nine degrees of freedom: 95 % lie within
Z = 1.959963984540054
MAJORITY = "majority"


@dataclass(frozen=True)
class Classification(Task):
    """Accuracy of classifiers trained on the release, beside those trained on the original."""

    name = "classification"
    needs = ("target", "trial")
    classifiers: tuple[str, ...] = ("all",)

    def __post_init__(self) -> None:
        unknown = [name for name in self.classifiers if name not in (*LEARNERS, "all")]
        if unknown:
            raise RecipeError(
                f"there is no classifier '{unknown[0]}'", remedy=did_you_mean(unknown[0], LEARNERS)
            )

    @property
    def learners(self) -> tuple[str, ...]:
        """The majority rule, and the classifiers by name."""
        return (MAJORITY, *(LEARNERS if "all" in self.classifiers else self.classifiers))

    def odd(self, material: MiningMaterial) -> DataError | None:
        """Refuse a class of one value or too many, and too few rows for folds."""
        if material.test is None and material.original.num_rows < 2 * FOLDS:
            problem = f"{material.original.num_rows:,} rows can't be divided into {FOLDS} folds"
            return classes.odd(material) or DataError(
                problem, remedy=Remedy(Set("test", FILE, "name rows to test on"))
            )
        return classes.odd(material)

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return accuracies, and the loss with its interval, for each classifier."""
        if refused := self.odd(material):
            raise refused
        right = self._on_rows(material) if material.test is not None else self._in_folds(material)
        figures = {
            f"accuracy of {name}": Figure(_mean(after), _mean(before))
            for name, (before, after) in right.items()
        }
        for name, (before, after) in right.items():
            if name != MAJORITY:
                figures[f"gain of {name}"] = difference(before, after)
        return figures

    def _on_rows(self, material: MiningMaterial) -> dict[str, tuple[list[Floats], list[Floats]]]:
        """Mark, for each classifier, the tested rows that are right: before and after."""
        test = tested(material)
        tables = [classified(table, material) for table in material.after]
        watch = material.stage(self.name)
        right = {}
        for turn, name in enumerate(self.learners):
            own = classified(material.before, material)
            before = material.once(
                (name, "rows"),
                lambda name=name, own=own: _right(name, own, test, material),  # type: ignore[misc]
            )
            after = []
            for number, table in enumerate(tables):
                watch((turn + number / len(tables)) / len(self.learners))
                after.append(_right(name, table, test, material))
            right[name] = [before], [np.mean(after, axis=0)]
        return right

    def _in_folds(self, material: MiningMaterial) -> dict[str, tuple[list[Floats], list[Floats]]]:
        """Mark, for each classifier, the rows of ten folds that are right: before and after."""
        assert material.again is not None
        names = self.learners
        right: dict[str, tuple[list[Floats], list[Floats]]] = {name: ([], []) for name in names}
        for fold, (inside, outside) in enumerate(
            folds(material.before.column(str(material.target)))
        ):
            released = material.again(material.original.take(pa.array(inside)))
            tables = material.concrete(released, max(material.tables // FOLDS, 1))
            test = classified(material.before.some(outside), material)
            own = classified(material.before.some(inside), material)
            watch = material.stage(self.name)
            for turn, name in enumerate(names):
                watch((fold + turn / len(names)) / FOLDS)
                before = material.once(
                    (name, fold),
                    lambda name=name, own=own, test=test: _right(  # type: ignore[misc]
                        name, own, test, material
                    ),
                )
                after = [
                    _right(name, classified(table, material), test, material) for table in tables
                ]
                right[name][0].append(before)
                right[name][1].append(np.mean(after, axis=0))
        return right


def folds(classes: Floats) -> Iterator[tuple[Longs, Longs]]:
    """Yield ten pairs of training rows (nine tenths) and test rows (one tenth).

    Every class is spread evenly over folds, in an order drawn once.
    """
    drawn = np.random.default_rng(1).permutation(len(classes))
    turn = np.empty(len(classes), np.int64)
    turn[drawn[np.argsort(classes[drawn], kind="stable")]] = np.arange(len(classes)) % FOLDS
    for fold in range(FOLDS):
        yield np.flatnonzero(turn != fold), np.flatnonzero(turn == fold)


def difference(before: Sequence[Floats], after: Sequence[Floats]) -> Figure:
    """Compute the mean gain in accuracy (a loss is below 0) and its 95 % interval.

    Differences are paired over folds, or over rows where there is one fold.

    >>> folds = [np.array([1.0, 0.0])] * 5 + [np.array([1.0, 1.0])] * 5
    >>> found = difference([np.ones(2)] * 10, folds)
    >>> found.value, round(found.low, 4), round(found.high, 4)
    (-0.25, -0.5239, 0.0239)
    """
    if len(before) > 1:
        apart = np.array([_mean([b]) - _mean([a]) for a, b in zip(before, after, strict=True)])
        half = T9 * float(np.sqrt((1 / len(apart) + 1 / (len(apart) - 1)) * apart.var(ddof=1)))
    else:
        apart = after[0] - before[0]
        half = Z * float(np.sqrt(apart.var(ddof=1) / len(apart))) if len(apart) > 1 else 0.0
    mean = float(apart.mean())
    return Figure(mean, 0.0, mean - half, mean + half)


def _right(name: str, table: Plain, test: Plain, material: MiningMaterial) -> Floats:
    """Mark the tested rows that a classifier trained on a table classifies rightly."""
    target = str(material.target)
    table = table.at_most(MOST_ROWS)
    known, code = np.unique(table.column(target), return_inverse=True)
    if name == MAJORITY:
        weights = np.bincount(code, table.weights)
        return np.asarray(test.column(target) == known[weights.argmax()], np.float64)
    guessed = guesses(name, table.without(target), code.reshape(-1), test.without(target))
    return np.asarray(known[guessed] == test.column(target), np.float64)


def _mean(right: Sequence[Floats]) -> float:
    """Compute the accuracy: the mean over folds of the mean over rows."""
    return float(np.mean([rows.mean() for rows in right]))
