"""Verdicts: what figures say of a claim, by one rule for all pages.

A method is *below* another at a k if its mean is lower by more than the larger of the two standard
deviations over seeds. A smaller gap is a tie, and a tie is no win. A claim for all k

    holds            if it is won at every k
    holds in part    if it is won at some
    does not hold    if it is won at none: all are ties or lost
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from experiments.runs import Spread, spreads
from shoal.comparison.cells import Row
from shoal.review import charts

HOLDS = "holds"
IN_PART = "holds in part"
FAILS = "does not hold"
UNKNOWN = "can't be told"
TOLD = "told, not judged"

WON = "won"
TIE = "tie"
LOST = "lost"
RULE = (
    "A gap that is not larger than the larger of both standard deviations over seeds is a tie, and "
    "a tie is no win."
)


class Finding(NamedTuple):
    """A verdict, and the figures that it rests on in a sentence."""

    verdict: str
    told: str


def outcome(one: Spread, other: Spread, at_most: float = 1.0) -> str:
    """Tell whether one mean lies below (a multiple of) another: won, tie or lost.

    >>> outcome(Spread(100, 1, 3), Spread(110, 8, 3)), outcome(Spread(100, 1, 3), Spread(105, 8, 3))
    ('won', 'tie')
    """
    gap = at_most * other.mean - one.mean
    if abs(gap) <= max(one.deviation, other.deviation):
        return TIE
    return WON if gap > 0 else LOST


def overall(outcomes: Iterable[str]) -> str:
    """Join the outcomes of a claim that is made for all cases."""
    listed = list(outcomes)
    if not listed:
        return UNKNOWN
    if all(each == WON for each in listed):
        return HOLDS
    return IN_PART if WON in listed else FAILS


def below(
    rows: Iterable[Row],
    name: str,
    low: str,
    others: Sequence[str],
    by: tuple[str, str] = ("method", "k"),
    at_most: float = 1.0,
) -> Finding:
    """Judge whether one method stays below (a multiple of) all others, at every k."""
    means = spreads(rows, name, by)
    there = [other for other in others if any(key[0] == other for key in means)]
    columns = [key[1] for key in means if key[0] == low]
    if not there or not columns:
        return Finding(UNKNOWN, "not measured: a method is missing")
    worst = {
        column: _worst(
            outcome(means[low, column], means[other, column], at_most) for other in there
        )
        for column in columns
    }
    shares = [
        f"{_range([means[low, c].mean / means[other, c].mean for c in columns])} of {other}"
        for other in there
    ]
    told = f"{charts.words(name)} of {low} is {'; '.join(shares)}{_exceptions(worst, by[1])}"
    return Finding(overall(worst.values()), told)


def close(rows: Iterable[Row], name: str, methods: Sequence[str], within: float) -> Finding:
    """Judge whether the means of some methods are within a share of each other, at every k."""
    means = spreads(rows, name)
    gaps = {}
    for k in dict.fromkeys(key[1] for key in means):
        there = [means[method, k].mean for method in methods if (method, k) in means]
        if len(there) > 1:
            gaps[k] = max(there) / min(there) - 1
    if not gaps:
        return Finding(UNKNOWN, "not measured: a method is missing")
    verdict = overall(WON if gap <= within else LOST for gap in gaps.values())
    return Finding(
        verdict,
        f"the largest is above the smallest by {min(gaps.values()):.2%} to "
        f"{max(gaps.values()):.2%}",
    )


def together(*findings: tuple[str, str]) -> Finding:
    """Join several findings: the claim holds if all do, and fails if all do."""
    verdicts = {verdict for verdict, _ in findings}
    told = "; ".join(dict.fromkeys(told for _, told in findings))
    if UNKNOWN in verdicts:
        return Finding(UNKNOWN, told)
    return Finding(verdicts.pop() if len(verdicts) == 1 else IN_PART, told)


def _worst(outcomes: Iterable[str]) -> str:
    listed = list(outcomes)
    return next((each for each in (LOST, TIE) if each in listed), WON)


def _exceptions(worst: Mapping[Any, str], what: str) -> str:
    """Name the cases that were no win."""
    told = ""
    for kind, word in ((TIE, "a tie"), (LOST, "not below")):
        cases = [case for case, each in worst.items() if each == kind]
        if cases:
            told += f"; {word} at {what} = {', '.join(f'{case:,}' for case in cases)}"
    return told


def _range(ratios: Sequence[float]) -> str:
    if max(ratios) - min(ratios) < 0.005:
        return f"{min(ratios):.2f}"
    return f"{min(ratios):.2f} to {max(ratios):.2f}"
