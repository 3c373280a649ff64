"""`class-rules`: predict a class by association rules of the release: CBA (Liu, Hsu, Ma 1998, KDD).

    rules that end in a class, by FP-growth; the most confident first, then the more frequent, then
        the shorter
    for each: it is kept if it is right about a row that no rule before it covers, and takes all
              that it covers away
    the class of most rows that are left is the default; the list is cut where all of it makes the
        fewest errors

A row gets the class of the first rule that fits it. Trained on concrete tables drawn from the
release, tested on rows that had no part in it, beside the same trained on the original; means over
the tables. Rows without a class are passed over; a class that the original does not know counts as
wrong. Numbers are cut at quantiles of the original in all tables, where a reader of the release
alone would cut them a little otherwise; the class is never cut, and has 50 different values at
most. Cost: for each rule a look at the rows; a second for a table of the size of Adult.

By hand: the list says *60 or older: ill* (right for 9 of 10), then *smokes: ill* (8 of 10), else
well. A smoker of 65 is ill by the first rule, one of 30 by the second, and somebody of 30 who does
not smoke is well.

When to use it: if readers will predict a class by rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Longs
from shoal.errors import DataError, RecipeError
from shoal.mining.agreement import Thresholds, sampled
from shoal.mining.classes import classified, odd, tested
from shoal.mining.features import Plain
from shoal.mining.growth import Itemset
from shoal.mining.items import Items
from shoal.mining.rules import Rules
from shoal.mining.task import Figure, MiningMaterial, Task
from shoal.wording import FILE, Remedy, Sentence, Set, without

UNKNOWN = -1


@dataclass(frozen=True)
class Classifier:
    """Rules in the order in which they are tried, and the class of all other rows."""

    rules: tuple[tuple[Itemset, int], ...]
    default: int

    def classes(self, held: Longs, items: Items) -> Longs:
        """Predict the class of each row of `held[feature, row]`."""
        classes = np.full(held.shape[1], self.default, np.int64)
        waiting = np.ones(held.shape[1], np.bool_)
        for antecedent, one in self.rules:
            fits = waiting & _fits(antecedent, held, items)
            classes[fits] = one
            waiting &= ~fits
        return classes


@dataclass(frozen=True)
class ClassRules(Task):
    """Predict a class by association rules of the release, as a classifier (CBA)."""

    name = "class-rules"
    needs = ("target",)

    support: float = 0.01
    confidence: float = 0.5
    longest: int = 4
    bins: int = 5

    def __post_init__(self) -> None:
        if self.bins < 2:
            raise RecipeError(
                f"bins of 'class-rules' must be at least 2, not {self.bins}",
                remedy="class-rules:bins=5",
            )
        _ = self.thresholds  # refuses what is none

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds that a rule must reach."""
        return Thresholds(self.support, self.confidence, self.longest, "one")

    def lacks(self, material: MiningMaterial) -> Sentence | None:
        """Name what is missing: a class column, or rows to test on."""
        if material.test is None:
            return without([Set("test", FILE, "rows to test on")])
        if not all(
            table.num_rows for table in (material.test, material.original, material.released)
        ):
            return without(["rows in all tables"])
        return super().lacks(material)

    def odd(self, material: MiningMaterial) -> DataError | None:
        """Refuse a class of one value, or of too many."""
        return odd(material)

    def _refuse_unfit(self, material: MiningMaterial) -> None:
        """Refuse tables without rows to test on, and an odd class."""
        if (lacks := self.lacks(material)) or material.test is None:
            raise DataError(
                Sentence(f"'{self.name}' is ", lacks or ""),
                remedy=Remedy(Set("test", FILE, "name rows that had no part in the release")),
            )
        if refused := self.odd(material):
            raise refused

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return the accuracy, that of the commonest class alone, and the number of rules used."""
        self._refuse_unfit(material)
        items = Items.of(material.before, self.bins, apart=material.target)
        target = [feature.name for feature in items.features].index(str(material.target))
        test = _tested(material, items, target)
        before = material.once(
            self, lambda: self._tried(material, material.before, items, target, test)
        )
        tables = material.in_turn(self.name, sampled(material))
        after = np.mean(
            [self._tried(material, table, items, target, test) for table in tables], axis=0
        )
        names = ("accuracy", "accuracy of the commonest class", "rules used")
        return {
            name: Figure(float(new), float(old))
            for name, new, old in zip(names, after, before, strict=True)
        }

    def _tried(
        self, material: MiningMaterial, table: Plain, items: Items, target: int, test: Longs
    ) -> tuple[float, float, float]:
        mined = self.thresholds.mined(items.baskets(table))
        held = _held(classified(table, material), items)
        into = {
            rule: s
            for rule, s in mined.rules.items()
            if items.feature[rule.consequent[0]] == target
        }
        classifier = trained(into, held, items, target)
        right = [
            float((one.classes(test, items) == test[target]).mean())
            for one in (classifier, trained({}, held, items, target))
        ]
        return right[0], right[1], len(classifier.rules)


def trained(rules: Rules, held: Longs, items: Items, target: int) -> Classifier:
    """Train a classifier from rules on rows `held[feature, row]`, all of which have a class."""
    order = sorted(
        rules, key=lambda r: (-rules[r].confidence, -rules[r].support, len(r.antecedent), r)
    )
    waiting = np.ones(held.shape[1], np.bool_)
    wrong = 0
    kept: list[tuple[Itemset, int]] = []
    default, errors = _commonest(held[target])
    best = (errors, 0, default)
    for rule in order:
        covered = np.flatnonzero(waiting & _fits(rule.antecedent, held, items))
        right = int((held[target, covered] == rule.consequent[0]).sum())
        if right:
            kept.append((rule.antecedent, rule.consequent[0]))
            waiting[covered] = False
            wrong = wrong + len(covered) - right
            other, errors = _commonest(held[target, waiting])
            best = min(best, (wrong + errors, len(kept), other if other != UNKNOWN else default))
    return Classifier(tuple(kept[: best[1]]), best[2])


def _tested(material: MiningMaterial, items: Items, target: int) -> Longs:
    """Return the rows to test on; a class that the original does not know is no item."""
    rows = tested(material)
    held = _held(rows, items)
    held[target, ~np.isin(rows.values[target], items.features[target].points[:-1])] = UNKNOWN
    return held


def _held(table: Plain, items: Items) -> Longs:
    """Return the item of each cell; -1 where there is none."""
    codes = items.bins.codes(table)
    missing = codes == np.array(items.bins.sizes)[:, None] - 1
    return np.asarray(np.where(missing, UNKNOWN, codes + items.starts[:-1, None]), np.int64)


def _fits(antecedent: Itemset, held: Longs, items: Items) -> Flags:
    return np.logical_and.reduce([held[items.feature[item]] == item for item in antecedent])


def _commonest(classes: Longs) -> tuple[int, int]:
    """Find the class of most rows, the first of several, and count the rows of others."""
    if not len(classes):
        return UNKNOWN, 0
    counts = np.bincount(classes)
    return int(np.argmax(counts)), len(classes) - int(counts.max())
