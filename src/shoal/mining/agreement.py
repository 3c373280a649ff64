"""Agreement: compare the rules of a release with those of its original.

What is read may be a table (mining/association) or baskets (mining/transactions): all that counts
is how each row stands to each item, certainly, possibly or with a chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from shoal.errors import RecipeError
from shoal.mining.concrete import concrete
from shoal.mining.features import Plain
from shoal.mining.growth import Baskets, Chances, Itemset, by_chance, fp_growth, least
from shoal.mining.items import Reading
from shoal.mining.rules import (
    Consequents,
    Rules,
    errors,
    jaccard,
    lost,
    measured,
    overlap,
    rules_of,
    sets_of,
    share_of,
)
from shoal.mining.task import Figure, MiningMaterial

TOP = 100


class Source(Protocol):
    """A release that tells for each row whether it holds an item."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    def chances(self, reading: Reading, wanted: Iterable[int], minimum: float) -> Chances:
        """Return the chance of each row to hold each item.

        Items are those wanted, and all others that reach a minimum support by themselves.
        """


@dataclass(frozen=True)
class MinedRules:
    """Frequent sets with their numbers of rows, and rules, of a table of single values."""

    rows: int
    supports: Mapping[Itemset, int]
    rules: Rules


@dataclass(frozen=True)
class Thresholds:
    """The thresholds of rules: support and confidence, as shares, and the most items of a rule."""

    support: float
    confidence: float
    longest: int
    consequents: Consequents

    def __post_init__(self) -> None:
        least(self.support, 1)
        share_of(self.confidence, "confidence")
        if self.longest < 2:
            raise RecipeError(f"longest must be at least 2, not {self.longest}")

    def mined(self, baskets: Baskets) -> MinedRules:
        """Mine frequent sets and rules of rows of single values, by FP-growth."""
        supports = fp_growth(baskets, least(self.support, baskets.rows), self.longest)
        return MinedRules(
            baskets.rows,
            supports,
            rules_of(supports, baskets.rows, self.confidence, self.consequents),
        )

    def expected(self, release: Source) -> Rules:
        """Mine the rules of a release, by expected supports."""
        minimum = float(share_of(self.support, "support") * release.rows)
        supports = by_chance(release.chances("expected", (), minimum), minimum, self.longest)
        return rules_of(supports, release.rows, self.confidence, self.consequents)

    def refuse_none(self, rules: Rules, task: str) -> None:
        """Refuse an original without rules, because none could be lost."""
        if not rules:
            problem = (
                f"no rule of the original has a support of {self.support} and a confidence of "
                f"{self.confidence}"
            )
            raise RecipeError(problem, remedy=f"lower them ({task}:support=0.001,confidence=0.1)")


def compared(before: Rules, after: Rules) -> dict[str, Figure]:
    """Compare two lists of rules; figures are None where they would divide by an empty list."""
    return {
        "rules": Figure(len(after), len(before)),
        "lost rules": Figure(lost(before, after), 0.0),
        "ghost rules": Figure(lost(after, before), 0.0),
        "jaccard": Figure(jaccard(before, after), 1.0),
        f"top-{TOP} overlap": Figure(overlap(before, after, TOP), 1.0),
    }


def compared_with_all(before: Rules, drawn: Sequence[Rules]) -> dict[str, Figure]:
    """Compare rules with those of several sampled tables, and return the means."""
    comparisons = [compared(before, rules) for rules in drawn]
    return {
        f"{name}, sampled": _mean([figures[name] for figures in comparisons])
        for name in comparisons[0]
    }


def _mean(figures: Sequence[Figure]) -> Figure:
    values = [figure.value for figure in figures if figure.value is not None]
    return Figure(float(np.mean(values)) if values else None, figures[0].unchanged)


def sampled(material: MiningMaterial) -> tuple[Plain, ...]:
    """Return sampled tables of a release, because rules take no weights.

    Other tasks may make concrete tables in another way.
    """
    if material.way == "sampled":
        return material.after
    return concrete(material.released, material.features, material.quasi, tables=material.tables)


def errors_of(before: MinedRules, release: Source, consequents: Consequents) -> dict[str, Figure]:
    """Measure the errors of expected supports and confidences.

    Of the rules, and of all splits of frequent sets.
    """
    every = rules_of(before.supports, before.rows, 0, consequents)
    wanted = (item for itemset in before.supports for item in itemset)
    supports = release.chances("expected", wanted, np.inf).supports(sets_of(every))
    off = errors(before.rules, measured(before.rules, supports, release.rows))
    off_all = errors(every, measured(every, supports, release.rows))
    return {
        "support error": Figure(off.support, 0.0),
        "support error, relative": Figure(off.relative_support, 0.0),
        "confidence error": Figure(off.confidence, 0.0),
        "rank correlation of confidences": Figure(off.rank_correlation, 1.0),
        "support error, any confidence": Figure(off_all.support, 0.0),
        "confidence error, any confidence": Figure(off_all.confidence, 0.0),
    }


def bounds_of(before: MinedRules, release: Source) -> dict[str, Figure]:
    """Check that true supports lie between certain and possible ones, in rows.

    Withheld rows may hold anything.
    """
    sets = sorted({rule.items for rule in before.rules})
    withheld = max(before.rows - release.rows, 0)
    wanted = {item for itemset in sets for item in itemset}
    low = release.chances("certain", wanted, np.inf).supports(sets)
    high = release.chances("possible", wanted, np.inf).supports(sets)
    inside = [low[s] <= before.supports[s] <= high[s] + withheld for s in sets]
    width = np.mean([high[s] - low[s] for s in sets]) / release.rows
    return {
        "rules within bounds": Figure(float(np.mean(inside)), 1.0),
        "width of bounds": Figure(float(width), 0.0),
    }
