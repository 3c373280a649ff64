"""Coarseness: how coarse the cells of a column must be at least, and may be at most.

| asked | for | at least | at most |
|---|---|---|---|
| `10`, `2.5` | numbers; dates in days | every cell is that wide or wider | that wide or narrower |
| `month`, `quarter`, `year`, `5-years` | dates | the same, by the calendar | the same |
| `3-digits` | codes | at most three leading characters are shown | at least three |
| `level:2` | any hierarchy | level 2 or above, level 0 being the value | level 2 or below |

Both are one number on one scale, on which more is coarser: digits count downward. A column without
a hierarchy is a line, and gets bands (`widths`); one with a hierarchy keeps some of its levels
(`within_levels`).

A method that chooses levels itself reads them off an axis: `axis.node` begins at the lowest level
that may be published, and `axis.highest` is the last row of it that may be, None where `*` may.
`LevelRange` says the same in levels of the hierarchy as its owner wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from shoal.errors import RecipeError
from shoal.wording import Sentence, Set

Measure = Literal["width", "months", "shown", "level"]
Bound = Literal["at_least", "at_most"]

CALENDAR = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
MONTHS = re.compile(r"(?:([0-9]{1,4})-)?(month|quarter|year|decade)s?")
DAYS = re.compile(r"([0-9]{1,6})-days?")
SHOWN = re.compile(r"([0-9]{1,2})-(?:digit|character|letter)s?")
LEVEL = re.compile(r"level:([0-9]{1,3})")
TAKES = "a width (10), month, quarter, year, 5-years, digits shown (3-digits) or level:2"
EXAMPLES = {"width": 10, "months": "year", "shown": "3-digits", "level": "level:1"}


@dataclass(frozen=True)
class Coarseness:
    """A place on a scale of coarseness: more is coarser, so shown characters count below zero."""

    measure: Measure
    amount: Decimal
    asked: str
    """As it was given."""

    def reached_by(self, amount: Decimal | None, bound: Bound) -> bool:
        """Tell whether a cell of this amount is allowed; one of no amount never is."""
        if amount is None:
            return False
        if bound == "at_least":
            return amount >= self.amount
        return amount <= self.amount


@dataclass(frozen=True)
class LevelRange:
    """The levels of a hierarchy that may be published, both included; 0 is the value itself.

    The root, `*`, is the last level of every hierarchy. Where nothing was asked, `lowest` is 0 and
    `highest` the root. A column for which `highest` is below the root is never published as `*`.
    """

    lowest: int
    highest: int


def coarseness_of(given: object, name: str, bound: Bound) -> Coarseness:
    """Read what was asked for a column; refuse what is none of the forms.

    >>> coarseness_of("3-digits", "zip", "at_least").amount
    Decimal('-3')
    """
    text = str(given).strip()
    if isinstance(given, bool):
        raise _odd(name, bound)
    if matched := MONTHS.fullmatch(text):
        months = int(matched[1] or 1) * CALENDAR[matched[2]]
        return _positive(Coarseness("months", Decimal(months), text), name, bound)
    if matched := DAYS.fullmatch(text):
        return _positive(Coarseness("width", Decimal(matched[1]), text), name, bound)
    if matched := SHOWN.fullmatch(text):
        return Coarseness("shown", -Decimal(matched[1]), text)
    if matched := LEVEL.fullmatch(text):
        return Coarseness("level", Decimal(matched[1]), text)
    try:
        width = Decimal(text)
    except ArithmeticError:
        raise _odd(name, bound) from None
    if not width.is_finite() or abs(width.adjusted()) > 300:
        raise _odd(name, bound)
    return _positive(Coarseness("width", width, text), name, bound)


def refuse_crossed(least: Coarseness | None, most: Coarseness | None, name: str) -> None:
    """Refuse a least that is coarser than the most; levels and widths are compared by hierarchies.

    Without a hierarchy both are widths, or both are lengths in the calendar.
    """
    if least is None or most is None or least.measure != most.measure:
        return
    if least.amount > most.amount:
        raise crossed(least, most, name)


def crossed(least: Coarseness, most: Coarseness, name: str) -> RecipeError:
    """Say that no cell could be as coarse as the least and no coarser than the most."""
    return RecipeError(
        f"'{name}' must be coarser than it may be",
        {"at least": least.asked, "at most": most.asked},
        "ask for less at least, or for more at most",
    )


def _positive(asked: Coarseness, name: str, bound: Bound) -> Coarseness:
    if asked.amount <= 0:
        raise _odd(name, bound)
    return asked


def _odd(name: str, bound: Bound) -> RecipeError:
    said = {"at_least": "at least", "at_most": "at most"}[bound]
    return RecipeError(
        f"how coarse '{name}' is {said} is not right",
        remedy=Sentence(f"{TAKES}: ", Set(bound, {name: 10})),
    )
