"""`association`: count the association rules that a release keeps, loses and invents.

    items     column=value; numbers cut at quantiles of the original (mining/items)
    R0        rules of the original, by FP-growth (mining/growth), with at least this support and
              confidence
    R1        rules of the release by the same thresholds: a row holds an item with the share of its
              cell that lies in it
    sampled   the same from concrete tables drawn from the release, by FP-growth; means over them
    bounds    certain <= true <= possible, for every rule of R0

Reported are rules lost and ghost rules (mining/rules), errors of support and confidence over R0,
and over all splits of frequent sets whatever their confidence, so that no threshold hides them; how
many of the 100 strongest rules are among the 100 strongest of the release; and lost and ghost rules
of a release whose groups were drawn by lot (mining/at_random).

Rules into a sensitive column are what attribute disclosure is made of. A group's cells imply a
sensitive value with the share of the group that has it; those above 1 / l are counted (beside the
original, whose groups are its equal rows), and of them those that fewer than k rows bear out, k
being the size of the smallest published group. `rules=10` lists the strongest rules of the release;
otherwise nothing that is told holds a value.

Cost: some passes over the different rows for each frequent set; Adult with ten columns takes
seconds, most of them for the ten sampled tables. Expected supports take the items of a row for
independent (Chui, Kao, Hung 2007, doi:10.1007/978-3-540-71701-0_8): what cells of a group have in
common is not seen by them.

By hand: of ten people six smoke, and five of these cough: support 5 / 10, confidence 5 / 6 = 0.83.
In the release the cell of one coughing smoker may be yes or no: support 4.5 / 10, confidence 4.5 /
5.5 = 0.82. At thresholds of 0.4 and 0.8 the rule is kept, at 0.5 and 0.8 it is lost.

When to use it: if readers will look for rules such as *who buys this buys that*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import DataError, RecipeError, ShoalError
from shoal.mining.agreement import (
    MinedRules,
    Thresholds,
    bounds_of,
    compared,
    compared_with_all,
    errors_of,
    sampled,
)
from shoal.mining.at_random import dealt
from shoal.mining.implied import groups_of, implied
from shoal.mining.items import Items, PublishedItems
from shoal.mining.rules import Consequents, Rules, strongest
from shoal.mining.task import Figure, MiningMaterial, Task

KEPT = ("lost rules", "ghost rules")  # what is told of other lists of rules too


@dataclass(frozen=True)
class Association(Task):
    """Count lost rules and ghost rules, and measure the errors of supports and confidences."""

    name = "association"

    support: float = 0.05
    confidence: float = 0.6
    longest: int = 4
    bins: int = 5
    consequents: Consequents = "one"
    l: int = 2
    # Empty: the class, or else all columns published as they are.
    sensitive: tuple[str, ...] = ()
    rules: int = 0  # the number of strongest rules of the release that are listed

    def __post_init__(self) -> None:
        for name, number, least in (
            ("bins", self.bins, 2),
            ("l", self.l, 2),
            ("rules", self.rules, 0),
        ):
            if number < least:
                problem = f"{name} of 'association' must be at least {least}, not {number}"
                raise RecipeError(problem, remedy=f"association:{name}={least}")
        _ = self.thresholds  # refuses what is none

    @property
    def thresholds(self) -> Thresholds:
        """The thresholds that a rule must reach."""
        return Thresholds(self.support, self.confidence, self.longest, self.consequents)

    def odd(self, material: MiningMaterial) -> ShoalError | None:
        """Refuse tables without rows, and an original without rules."""
        try:
            self._before(material)
        except (DataError, RecipeError) as refused:
            return refused
        return None

    def _before(self, material: MiningMaterial) -> tuple[Items, MinedRules]:
        """Return the items of the original, and its frequent sets and rules."""
        if not material.original.num_rows or not material.released.num_rows:
            raise DataError(
                "a table without rows has no rules", remedy="name tables that have some"
            )
        items, before = material.once(self, lambda: self._mined(material))
        self.thresholds.refuse_none(before.rules, self.name)
        return items, before

    def _mined(self, material: MiningMaterial) -> tuple[Items, MinedRules]:
        items = Items.of(material.before, self.bins)
        return items, self.thresholds.mined(items.baskets(material.before))

    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Return all figures.

        Refuses tables without rows, and thresholds that no rule of the original reaches.
        """
        items, before = self._before(material)
        sensitive = self._sensitive(material)
        release = PublishedItems.read(material.released, items, material.quasi)
        rules = self.thresholds.expected(release)
        tables = material.in_turn(self.name, sampled(material))
        drawn = [self.thresholds.mined(items.baskets(table)).rules for table in tables]
        return (
            compared(before.rules, rules)
            | errors_of(before, release, self.consequents)
            | compared_with_all(before.rules, drawn)
            | bounds_of(before, release)
            | _into(before.rules, rules, items, sensitive)
            | (self._of_groups(material, before, release, sensitive) if material.quasi else {})
        )

    def _of_groups(
        self,
        material: MiningMaterial,
        before: MinedRules,
        release: PublishedItems,
        sensitive: Sequence[str],
    ) -> dict[str, Figure]:
        """Measure what groups imply, and the rules of groups that are drawn at random."""
        columns = [cells.column for cells in release.columns]
        quasi = material.quasi
        sizes = np.sort(np.bincount(groups_of(columns, quasi)))
        lot = PublishedItems.of(release.items, dealt(material.before, sizes, quasi))
        of_lot = compared(before.rules, self.thresholds.expected(lot))
        by_lot = {f"{name}, groups drawn by lot": Figure(of_lot[name].value, None) for name in KEPT}
        return implied(columns, material.before, quasi, sensitive, self.l) | by_lot

    def told(self, material: MiningMaterial) -> tuple[str, ...]:
        """List the strongest rules of the release by expected supports, as many as asked for."""
        if not self.rules:
            return ()
        items, _ = self._before(material)
        rules = self.thresholds.expected(
            PublishedItems.read(material.released, items, material.quasi)
        )
        lines = []
        for rule in strongest(rules, self.rules):
            left, right = (", ".join(items.text(item) for item in side) for side in rule)
            lines.append(
                f"{left} -> {right} (support {rules[rule].support:.4f}, confidence "
                f"{rules[rule].confidence:.4f})"
            )
        return tuple(lines)

    def _sensitive(self, material: MiningMaterial) -> tuple[str, ...]:
        named = self.sensitive or ((material.target,) if material.target else material.beside)
        known = [feature.name for feature in material.features]
        if lacking := [name for name in named if name not in known]:
            raise RecipeError(
                f"the release has no column {', '.join(map(repr, lacking))}",
                remedy="name published columns",
            )
        return tuple(name for name in named if name not in material.quasi)


def _into(before: Rules, after: Rules, items: Items, sensitive: Sequence[str]) -> dict[str, Figure]:
    """Compare the rules from other columns into sensitive ones."""
    about = [items.features[feature].name in sensitive for feature in items.feature]

    def chosen(rules: Rules) -> Rules:
        into = [rule for rule in rules if all(about[item] for item in rule.consequent)]
        return {
            rule: rules[rule] for rule in into if not any(about[item] for item in rule.antecedent)
        }

    figures = compared(chosen(before), chosen(after)) if sensitive else {}
    return {
        f"{name} into sensitive columns": figures[name]
        for name in ("rules", *KEPT)
        if name in figures
    }
