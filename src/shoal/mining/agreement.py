"""Agreement: how the rules of a release agree with those of its original, by each reading of
generalized cells.

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
from shoal.mining.task import Figure, Material

TOP = 100


class Source(Protocol):
    """A release, by how its rows stand to items."""

    @property
    def rows(self) -> int:
        """How many rows there are."""

    def chances(self, reading: Reading, wanted: Iterable[int], minimum: float) -> Chances:
        """How each row stands to the items wanted, and to all others that may reach a minimum by
        themselves.
        """


@dataclass(frozen=True)
class Mined:
    """What FP-growth finds in rows of single values: frequent sets and how many rows hold them, and
    the rules.
    """

    rows: int
    supports: Mapping[Itemset, int]
    rules: Rules


@dataclass(frozen=True)
class Thresholds:
    """Which rules count: those met by this share of the rows, that hold in this share of the cases,
    of so many items.
    """

    support: float
    confidence: float
    longest: int
    consequents: Consequents

    def __post_init__(self) -> None:
        least(self.support, 1)
        share_of(self.confidence, "confidence")
        if self.longest < 2:
            raise RecipeError(f"longest must be at least 2, not {self.longest}")

    def mined(self, baskets: Baskets) -> Mined:
        """Frequent sets and rules of rows of single values, by FP-growth."""
        supports = fp_growth(baskets, least(self.support, baskets.rows), self.longest)
        return Mined(
            baskets.rows,
            supports,
            rules_of(supports, baskets.rows, self.confidence, self.consequents),
        )

    def expected(self, release: Source) -> Rules:
        """The rules of a release, by expected supports."""
        minimum = float(share_of(self.support, "support") * release.rows)
        supports = by_chance(release.chances("expected", (), minimum), minimum, self.longest)
        return rules_of(supports, release.rows, self.confidence, self.consequents)

    def refuse_none(self, rules: Rules, task: str) -> None:
        """Silence, or a refusal: the original holds no rules, so none can be lost."""
        if not rules:
            problem = (
                f"no rule of the original has a support of {self.support} and a confidence of "
                f"{self.confidence}"
            )
            raise RecipeError(problem, remedy=f"lower them ({task}:support=0.001,confidence=0.1)")


def compared(before: Rules, after: Rules) -> dict[str, Figure]:
    """How two lists of rules agree; None where one that is divided by is empty."""
    return {
        "rules": Figure(len(after), len(before)),
        "lost rules": Figure(lost(before, after), 0.0),
        "ghost rules": Figure(lost(after, before), 0.0),
        "jaccard": Figure(jaccard(before, after), 1.0),
        f"top-{TOP} overlap": Figure(overlap(before, after, TOP), 1.0),
    }


def compared_with_all(before: Rules, drawn: Sequence[Rules]) -> dict[str, Figure]:
    """The same with several lists of sampled tables: means."""
    each = [compared(before, rules) for rules in drawn]
    return {f"{name}, sampled": _mean([figures[name] for figures in each]) for name in each[0]}


def _mean(figures: Sequence[Figure]) -> Figure:
    values = [figure.value for figure in figures if figure.value is not None]
    return Figure(float(np.mean(values)) if values else None, figures[0].unchanged)


def sampled(material: Material) -> tuple[Plain, ...]:
    """Sampled tables of a release, even where other tasks take cells in another way: rules know no
    weights.
    """
    if material.way == "sampled":
        return material.after
    return concrete(material.released, material.features, material.quasi, tables=material.tables)


def errors_of(before: Mined, release: Source, consequents: Consequents) -> dict[str, Figure]:
    """How far expected supports and confidences are off: of the rules, and of all splits of
    frequent sets.
    """
    every = rules_of(before.supports, before.rows, 0, consequents)
    wanted = (item for itemset in before.supports for item in itemset)
    supports = release.chances("expected", wanted, np.inf).supports(sets_of(every))
    off, off_all = (
        errors(rules, measured(rules, supports, release.rows)) for rules in (before.rules, every)
    )
    return {
        "support error": Figure(off.support, 0.0),
        "support error, relative": Figure(off.relative_support, 0.0),
        "confidence error": Figure(off.confidence, 0.0),
        "rank correlation of confidences": Figure(off.rank_correlation, 1.0),
        "support error, any confidence": Figure(off_all.support, 0.0),
        "confidence error, any confidence": Figure(off_all.confidence, 0.0),
    }


def bounds_of(before: Mined, release: Source) -> dict[str, Figure]:
    """Whether true supports lie between certain and possible ones, in rows; those withheld may hold
    anything.
    """
    sets = sorted({rule.items for rule in before.rules})
    withheld = max(before.rows - release.rows, 0)
    wanted = {item for itemset in sets for item in itemset}
    low, high = (
        release.chances(way, wanted, np.inf).supports(sets) for way in ("certain", "possible")
    )
    inside = [low[s] <= before.supports[s] <= high[s] + withheld for s in sets]
    width = np.mean([high[s] - low[s] for s in sets]) / release.rows
    return {
        "rules within bounds": Figure(float(np.mean(inside)), 1.0),
        "width of bounds": Figure(float(width), 0.0),
    }
