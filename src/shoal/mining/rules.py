"""Rules: derive rules from frequent sets of items, and compare two lists of rules.

    A -> B      A and B are sets of items without a common one
    support     rows that hold A and B, as a share of all
    confidence  rows that hold A and B, as a share of those that hold A

Of two lists, R0 of the original and R1 of the release:

    lost   = |R0 without R1| / |R0|        ghost = |R1 without R0| / |R1|        jaccard = |both| /
           |either|

Every set under a frequent set is frequent, so all supports that a rule needs are there. Rules are
ordered by confidence, then support, then by their items in the order of the columns; confidences
that only differ by rounding are equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from shoal.arrays import Floats
from shoal.errors import RecipeError
from shoal.mining.growth import NEAR, Itemset

Consequents = Literal["one", "any"]


class AssociationRule(NamedTuple):
    """Antecedent and consequent; items ascend in each."""

    antecedent: Itemset
    consequent: Itemset

    @property
    def items(self) -> Itemset:
        """The items of antecedent and consequent, ascending."""
        return tuple(sorted(self.antecedent + self.consequent))


@dataclass(frozen=True)
class Strength:
    """The share of all rows that meet a rule (support), and of cases in which it holds."""

    support: float
    confidence: float


Rules = Mapping[AssociationRule, Strength]


def rules_of(
    supports: Mapping[Itemset, float],
    rows: int,
    confidence: float,
    consequents: Consequents = "one",
) -> dict[AssociationRule, Strength]:
    """Derive the rules of frequent sets that hold often enough; whole counts decide exactly."""
    needed = share_of(confidence, "confidence")
    rules = {}
    for itemset, count in supports.items():
        for rule in _splits(itemset, consequents):
            before = supports[rule.antecedent]
            if _reaches(count, before, needed):
                rules[rule] = Strength(count / rows, count / before)
    return rules


def share_of(number: float, name: str) -> Fraction:
    """Read a threshold exactly as its decimals say; refuses what is no share."""
    share = Fraction(str(number))
    if not 0 <= share <= 1:
        raise RecipeError(f"{name} must be from 0 to 1, not {number}", remedy=f"write {name}=0.5")
    return share


def _splits(itemset: Itemset, consequents: Consequents) -> Iterator[AssociationRule]:
    """Split a set into antecedent and consequent in all ways that leave neither empty."""
    largest = len(itemset) - 1
    if consequents == "one":
        largest = min(largest, 1)
    for size in range(1, largest + 1):
        for consequent in combinations(itemset, size):
            yield AssociationRule(
                tuple(item for item in itemset if item not in consequent), consequent
            )


def _reaches(count: float, before: float, needed: Fraction) -> bool:
    if isinstance(count, int) and isinstance(before, int):
        return count * needed.denominator >= needed.numerator * before
    return count >= float(needed) * before * (1 - NEAR)


def measured(
    rules: Iterable[AssociationRule], supports: Mapping[Itemset, float], rows: int
) -> dict[AssociationRule, Strength]:
    """Measure given rules by the supports of another table, frequent there or not."""
    strengths = {}
    for rule in rules:
        count = supports[rule.items]
        before = supports[rule.antecedent]
        strengths[rule] = Strength(count / rows, count / before if before > 0 else 0.0)
    return strengths


def sets_of(rules: Iterable[AssociationRule]) -> set[Itemset]:
    """List the sets whose supports are needed to measure rules."""
    return {itemset for rule in rules for itemset in (rule.items, rule.antecedent)}


def strongest(rules: Rules, most: int) -> list[AssociationRule]:
    """List the `most` strongest rules."""

    def order(rule: AssociationRule) -> tuple[float, float, AssociationRule]:
        return -round(rules[rule].confidence, 12), -round(rules[rule].support, 12), rule

    return sorted(rules, key=order)[:most]


def lost(before: Rules, after: Rules) -> float | None:
    """Compute the share of the first rules that are not among the second; None without rules."""
    return sum(rule not in after for rule in before) / len(before) if before else None


def jaccard(before: Rules, after: Rules) -> float | None:
    """Compute rules of both lists as a share of those of either; None without rules."""
    either = len(before.keys() | after.keys())
    return len(before.keys() & after.keys()) / either if either else None


def overlap(before: Rules, after: Rules, most: int) -> float | None:
    """Compute the share of the strongest rules that both lists have; None without rules."""
    first = strongest(before, most)
    return len(set(first) & set(strongest(after, most))) / len(first) if first else None


class Errors(NamedTuple):
    """Mean distances of rules in two tables; confidences also by their order."""

    support: float | None
    relative_support: float | None
    confidence: float | None
    rank_correlation: float | None


def errors(before: Rules, after: Rules) -> Errors:
    """Measure the errors of rules; both tables hold the same rules."""
    if not before:
        return Errors(None, None, None, None)
    old = np.array([(before[rule].support, before[rule].confidence) for rule in before])
    new = np.array([(after[rule].support, after[rule].confidence) for rule in before])
    apart = np.abs(new - old)
    support = float(apart[:, 0].mean())
    relative = float((apart[:, 0] / old[:, 0]).mean())
    confidence = float(apart[:, 1].mean())
    return Errors(support, relative, confidence, rank_correlation(old[:, 1], new[:, 1]))


def rank_correlation(one: Floats, other: Floats) -> float | None:
    """Compute Spearman's rank correlation, equal numbers sharing a rank.

    None where one side does not vary.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
    0.5
    """
    first = _ranks(np.round(one, 12))
    second = _ranks(np.round(other, 12))
    first = first - first.mean()
    second = second - second.mean()
    spread = float(np.sqrt((first @ first) * (second @ second)))
    return round(float(first @ second) / spread, 12) if spread > 0 else None


def _ranks(numbers: Floats) -> Floats:
    _, place, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place.reshape(-1)], np.float64)
