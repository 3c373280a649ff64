"""Promises of privacy models, counted literally: one group of rows beside the whole release.

Written from the papers and from the pages of the models, in fractions; logarithms in sixty digits.
A verdict that sixty digits can't decide counts as kept: only certain faults are reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from soak.outside.tables import point_of

UNDECIDED = Decimal("1e-45")
Paths = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Whole:
    """All published values of a sensitive column, and the hierarchy above them."""

    counts: Counter[Any]
    missing: int
    paths: Paths

    @classmethod
    def of(cls, values: Sequence[Any], paths: Paths) -> Whole:
        """Count the values of a column."""
        known = Counter(value for value in values if value is not None)
        return cls(known, len(values) - known.total(), paths)


@dataclass(frozen=True)
class Group:
    """The values of one group."""

    counts: Counter[Any]
    missing: int

    @classmethod
    def of(cls, values: Sequence[Any]) -> Group:
        """Count the values of a group."""
        known = Counter(value for value in values if value is not None)
        return cls(known, len(values) - known.total())

    @property
    def known(self) -> int:
        """The rows that have a value."""
        return self.counts.total()

    @property
    def top(self) -> int:
        """The rows that hold the most frequent value."""
        return max(self.counts.values(), default=0)


Given = Mapping[str, Any]
Kept = Callable[[Group, Whole, Given], bool]


def number(given: Given, name: str) -> Fraction:
    """Return a parameter as the decimal that was typed."""
    return Fraction(str(given[name]))


def l_diversity(group: Group, whole: Whole, given: Given) -> bool:
    return len(group.counts) >= given["l"]


def p_sensitive(group: Group, whole: Whole, given: Given) -> bool:
    return len(group.counts) >= given["p"]


def m_invariance(group: Group, whole: Whole, given: Given) -> bool:
    alike = len(set(group.counts.values())) <= 1
    return alike and len(group.counts) >= given["m"] and not group.missing


def frequency_l_diversity(group: Group, whole: Whole, given: Given) -> bool:
    if not group.known:
        return number(given, "l") == 1
    return group.top * number(given, "l") <= group.known


def entropy_l_diversity(group: Group, whole: Whole, given: Given) -> bool:
    if not group.known:
        return number(given, "l") == 1
    with localcontext() as context:
        context.prec = 60
        rows = Decimal(group.known)
        shares = [Decimal(count) / rows for count in group.counts.values()]
        entropy = -sum((share * share.ln() for share in shares), Decimal(0))
        return entropy >= Decimal(str(given["l"])).ln() - UNDECIDED


def recursive_l_diversity(group: Group, whole: Whole, given: Given) -> bool:
    falling = sorted(group.counts.values(), reverse=True)
    tail = sum(falling[given["l"] - 1 :])
    return group.top < number(given, "c") * tail


def alpha_k(group: Group, whole: Whole, given: Given) -> bool:
    if not group.known:
        return number(given, "alpha") == 1
    return group.top <= number(given, "alpha") * group.known


def t_closeness(group: Group, whole: Whole, given: Given) -> bool:
    most = number(given, "t")
    rows = group.known + group.missing
    table = whole.counts.total() + whole.missing
    if abs(Fraction(group.missing, rows) - Fraction(whole.missing, table)) > most:
        return False
    if not whole.counts:
        return not group.counts and most >= 1
    if not group.known:
        return most >= 1
    surplus = {
        value: Fraction(group.counts[value], group.known) - Fraction(count, whole.counts.total())
        for value, count in whole.counts.items()
    }
    ways = {"equal": _equal, "ordered": _ordered, "hierarchical": _hierarchical}
    return ways[given.get("distance", "equal")](surplus, whole.paths) <= most


def _equal(surplus: Mapping[Any, Fraction], paths: Paths) -> Fraction:
    return sum((abs(part) for part in surplus.values()), Fraction(0)) / 2


def _ordered(surplus: Mapping[Any, Fraction], paths: Paths) -> Fraction:
    moved = Fraction(0)
    carried = Fraction(0)
    for value in ascending(list(surplus)):
        carried += surplus[value]
        moved += abs(carried)
    return moved / max(len(surplus) - 1, 1)


def _hierarchical(surplus: Mapping[Any, Fraction], paths: Paths) -> Fraction:
    """Move mass up the tree: where children of a node can settle it, it costs the node's height."""
    depth = max(len(path) for path in paths.values())
    carried = {(str(value), *paths[str(value)]): part for value, part in surplus.items()}
    moved = Fraction(0)
    for height in range(1, depth + 1):
        below: dict[tuple[str, ...], list[Fraction]] = {}
        for path, part in carried.items():
            below.setdefault(path[1:], []).append(part)
        for parts in below.values():
            too_much = sum((part for part in parts if part > 0), Fraction(0))
            too_little = -sum((part for part in parts if part < 0), Fraction(0))
            moved += height * min(too_much, too_little)
        carried = {path: sum(parts, Fraction(0)) for path, parts in below.items()}
    return moved / depth


def ascending(values: list[Any]) -> list[Any]:
    """Sort values as numbers where all are numbers, and else as text."""
    try:
        return sorted(values, key=lambda value: (point_of(value), str(value)))
    except (ValueError, ZeroDivisionError):
        return sorted(values)


def beta_likeness(group: Group, whole: Whole, given: Given) -> bool:
    total = whole.counts.total()
    for value, count in group.counts.items():
        share = Fraction(whole.counts[value], total)
        gain = Fraction(count, group.known) / share - 1
        if gain > number(given, "beta"):
            return False
        if given.get("form") == "enhanced" and gain > 0 and _above(gain, -_ln(share)):
            return False
    return True


def delta_disclosure(group: Group, whole: Whole, given: Given) -> bool:
    if not group.known:
        return False
    total = whole.counts.total()
    for value, count in whole.counts.items():
        held = group.counts[value]
        if not held:
            if given.get("absent", "violation") == "violation":
                return False
            continue
        distance = abs(_ln(Fraction(held, group.known) / Fraction(count, total)))
        if distance >= Decimal(str(given["delta"])) + UNDECIDED:
            return False
    return True


def k_e(group: Group, whole: Whole, given: Given) -> bool:
    numbers = {point_of(value) for value in group.counts}
    if len(numbers) < given["k"]:
        return False
    return bool(numbers) and max(numbers) - min(numbers) >= number(given, "e")


def _ln(share: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return (Decimal(share.numerator) / Decimal(share.denominator)).ln()


def _above(gain: Fraction, bound: Decimal) -> bool:
    with localcontext() as context:
        context.prec = 60
        return Decimal(gain.numerator) / Decimal(gain.denominator) > bound + UNDECIDED


def share_within(group: Group, most: Fraction) -> bool:
    """Tell if no value has a larger share of a class of rows: the c of `lkc`."""
    if not group.known:
        return most == 1
    return group.top <= most * group.known


OF_GROUPS: dict[str, Kept] = {
    "l-diversity": l_diversity,
    "p-sensitive": p_sensitive,
    "m-invariance": m_invariance,
    "frequency-l-diversity": frequency_l_diversity,
    "entropy-l-diversity": entropy_l_diversity,
    "recursive-l-diversity": recursive_l_diversity,
    "alpha-k": alpha_k,
    "t-closeness": t_closeness,
    "beta-likeness": beta_likeness,
    "delta-disclosure": delta_disclosure,
    "k-e": k_e,
}
