"""Grid: the steps on which the ends of published intervals lie.

    unit  = the power of ten of which two in three of the different ends of boxes are multiples
    least = twice the unit, so that an end tells no value; five times where three in four of the
            different boxes are at least six units wide; the unit itself where the range of all
            boxes is below FEW units, since little would be left of such a column
    most  = a twentieth of the range of all boxes, upward to 1, 2 or 5 times a power of ten
    step  = a fifth of the width of the box, downward to such a number, from least to most

A step follows the width of its own box, so one person far outside makes no other interval wider,
and a box grows by little more than a tenth on average. Range, unit and least are facts about all
published boxes together, not about single rows. Dates use calendar steps in the same spirit: days,
months, years.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext

import numpy as np

from shoal.arrays import Floats, Longs

STEPS = 20  # the longest step is about this part of the range
PART = 5  # a step is at most this part of its box
LEAST = 2  # units
MORE = 5  # units, where boxes are wide
WIDE = 6  # units of three in four boxes
FEW = 10  # units of a range whose ends stay where they are
ALIKE = 3  # two in three ends share the unit
EXACT = 120  # digits in which ends are computed: more than a value on a grid has
MONTH = 30.4375  # days, to choose a step; the grid itself follows the calendar
YEARS = tuple(12 * ten * one for ten in (1, 10, 100, 1000) for one in (1, 2, 5))
DAYS = (1, 2, 5, 10)
MONTHS = (1, 2, 3, 6, *YEARS)
CALENDAR: Floats = np.array([*DAYS, *(MONTH * months for months in MONTHS)])
TWO_MONTHS = len(DAYS) + MONTHS.index(2)
TWO_YEARS = len(DAYS) + MONTHS.index(24)


@dataclass(frozen=True)
class NumberGrid:
    """The shortest and the longest step of a column of numbers."""

    least: Decimal
    most: Decimal

    @classmethod
    def of(
        cls, boxes: Iterable[tuple[Decimal, Decimal]], shortest: Decimal = Decimal(0)
    ) -> NumberGrid:
        """Find the steps for boxes with these ends; boxes that are equal count once.

        No step is below `shortest`.
        """
        different = set(boxes)
        ends = {end for box in different for end in box}
        if not ends:
            return cls(Decimal(1), Decimal(1))
        with localcontext(Context(prec=EXACT)):
            span = max(ends) - min(ends)
            unit = max(unit_of(ends), shortest)
            most = step_above(span / STEPS)
            widths = sorted(high - low for low, high in different if high > low)
            wide = bool(widths) and widths[len(widths) // 4] >= WIDE * unit
            least = unit
            if span >= FEW * unit:
                least = LEAST * unit
            if wide and most >= MORE * unit:
                least = MORE * unit
            return cls(least, max(most, least))

    def step(self, width: Decimal) -> Decimal:
        """Find the step for a box of this width."""
        if width <= PART * self.least:
            return self.least
        return min(max(_step_below(width / PART), self.least), self.most)


def step_above(least: Decimal) -> Decimal:
    """Find the smallest of 1, 2, 5 times a power of ten that is at least `least`.

    A tolerance of 1e-12 allows for floats such as 0.3 - 0.1.
    """
    if least <= 0:
        return Decimal(1)
    power = least.adjusted()
    steps = (Decimal((0, (m,), power + ten)) for ten in (0, 1) for m in (1, 2, 5))
    return next(step for step in steps if step >= least * (1 - Decimal("1e-12")))


def _step_below(most: Decimal) -> Decimal:
    """Find the largest of 1, 2, 5 times a power of ten that is at most `most`, which is above 0."""
    first = most.as_tuple().digits[0]
    return Decimal((0, (max(m for m in (1, 2, 5) if m <= first),), most.adjusted()))


def unit_of(ends: Iterable[Decimal]) -> Decimal:
    """Find the largest power of ten of which two in three of the ends are multiples.

    >>> unit_of([Decimal(25), Decimal(30), Decimal(80)]), unit_of([Decimal("1.5"), Decimal("0.2")])
    (Decimal('1E+1'), Decimal('0.1'))
    """
    exact = Context(prec=EXACT)
    zeros = sorted(int(end.normalize(exact).as_tuple().exponent) for end in ends if end)
    return Decimal((0, (1,), zeros[len(zeros) // ALIKE])) if zeros else Decimal(1)


def calendar_steps(low: Longs, high: Longs) -> Longs:
    """Find for each box of days the place of its step in CALENDAR."""
    span = int(high.max() - low.min()) if len(low) else 0
    most = int(np.searchsorted(CALENDAR, span / STEPS))
    least = _shortest(np.unique(np.concatenate((low, high))), span)
    fitting = np.searchsorted(CALENDAR, (high - low) / PART, "right") - 1
    return np.asarray(np.clip(fitting, least, max(most, least)), np.int64)


def _shortest(ends: Longs, span: int) -> int:
    """Find the place of the shortest step: two days, months or years by where most ends lie."""
    if span < FEW:
        return 0
    days = ends.astype("datetime64[D]")
    for unit, place, length in (("Y", TWO_YEARS, 12 * MONTH), ("M", TWO_MONTHS, MONTH)):
        on_first = np.count_nonzero(days == days.astype(f"datetime64[{unit}]"))
        if ALIKE * on_first >= (ALIKE - 1) * len(days) and span >= FEW * length:
            return place
    return 1
