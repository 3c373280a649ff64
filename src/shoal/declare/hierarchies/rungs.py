"""Rungs: the widths of a ladder, as they are typed, and the bands that each of them makes.

A rung is a number (`5`, `0.5`) or a length of the calendar (`day`, `month`, `5years`). Each rung of
a ladder divides the next, so that no band of one lies in two bands of another: 5 divides 10, a
month divides a quarter, an hour divides a day, and two days divide no month.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import pairwise

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.intervals import IntervalGrid, by_width
from shoal.errors import RecipeError

DAY = 86_400
SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": DAY}
MONTHS = {"month": 1, "quarter": 3, "year": 12}
SHAPE = re.compile(rf"([0-9]+(?:[.][0-9]+)?)?(?:({'|'.join([*SECONDS, *MONTHS])})s?)?")
EXAMPLES = "write widths=5-10-20-40, or widths=month-quarter-year-5years"


@dataclass(frozen=True)
class Rung:
    """A width: a number of units, which are those of the calendar or the column's own."""

    times: Decimal
    unit: str = ""

    @property
    def months(self) -> Decimal | None:
        """The length in months; None where it is none of whole months."""
        return self.times * MONTHS[self.unit] if self.unit in MONTHS else None

    @property
    def seconds(self) -> Decimal | None:
        """The length in seconds; None where it is none of the clock."""
        return self.times * SECONDS[self.unit] if self.unit in SECONDS else None

    @property
    def least_width(self) -> Decimal:
        """The width of its narrowest band: of a number, or the fewest days of a length."""
        if self.months is not None:
            years, months = divmod(self.months, 12)
            return years * 365 + {3: 90, 6: 181}.get(int(months), months * 28)
        return self.times if self.seconds is None else self.seconds / DAY

    def length(self, kind: Kind) -> Decimal | None:
        """Return the length in the unit in which `start` counts: years for the calendar.

        None where bands of a column do not begin at a start of such a unit.
        """
        if kind == "number":
            return None if self.unit else self.times
        if kind not in ("date", "time") or self.months is None or self.months % 12:
            return None
        return self.months / 12

    def divides(self, wider: Rung) -> bool:
        """Tell whether every band of the wider rung is made of whole bands of this one."""
        if not self.unit or not wider.unit:
            return self.unit == wider.unit and _times(self.times, wider.times)
        if self.months is not None:
            return wider.months is not None and _times(self.months, wider.months)
        assert self.seconds is not None
        return (
            DAY % self.seconds == 0
            if wider.seconds is None
            else _times(self.seconds, wider.seconds)
        )

    def bands(self, points: Floats, kind: Kind, start: float, column: str) -> IntervalGrid:
        """Number the band of each point; bands of numbers and years are counted from `start`."""
        if self.months is not None:
            return _by_months(
                points, int(self.months), int(start) * 12, DAY if kind == "time" else 1
            )
        if self.seconds is None:
            return by_width(points, float(self.times), start, column, "ladder")
        width = self.seconds / DAY if kind == "date" else self.seconds
        return by_width(points, float(width), 0.0, column, "ladder")

    def misfit(self, kind: Kind) -> str | None:
        """Say why a column of some kind has no such bands; None where it has."""
        if kind == "number" and self.unit:
            return "holds numbers, which have no days and years"
        if kind == "clock" and self.months is not None:
            return "holds times of day, which have no months"
        if kind == "date" and self.seconds is not None and self.seconds % DAY:
            return "holds dates, which have no hours"
        return None


def _times(narrow: Decimal, wide: Decimal) -> bool:
    return wide > narrow and wide % narrow == 0


def _by_months(points: Floats, width: int, start: int, day: int) -> IntervalGrid:
    """Number bands of months since the year 0; points count days, or seconds."""
    days = np.floor(points / day).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]").astype(np.int64) + 1970 * 12

    def edge(numbers: Longs) -> Floats:
        first = (numbers * width + start - 1970 * 12).astype("datetime64[M]")
        return first.astype("datetime64[D]").astype(np.int64).astype(np.float64) * day

    return IntervalGrid((months - start) // width, edge)


@cache
def rungs_of(widths: str) -> tuple[Rung, ...]:
    """Read the widths of a ladder; refuses what is no width, and a rung that does not divide.

    >>> [rung.unit for rung in rungs_of("month-quarter-5years")]
    ['month', 'quarter', 'year']
    """
    texts = widths.split("-")
    rungs = tuple(_rung(text.strip()) for text in texts)
    for place, (narrow, wide) in enumerate(pairwise(rungs)):
        if not narrow.divides(wide):
            raise RecipeError(
                f"widths of 'ladder': {texts[place]} does not divide {texts[place + 1]}, "
                "so that bands of one would lie across bands of the other",
                remedy=EXAMPLES,
            )
    return rungs


def _rung(text: str) -> Rung:
    matched = SHAPE.fullmatch(text)
    if not text or matched is None:
        raise RecipeError(f"'{text}' is no width of a 'ladder'", remedy=EXAMPLES)
    times = Decimal(matched[1] or 1)
    unit = matched[2] or ""
    if times <= 0 or (unit and times != times.to_integral_value()):
        raise RecipeError(f"'{text}' is no width of a 'ladder'", remedy=EXAMPLES)
    return Rung(times, unit)


def spelled(rungs: Sequence[Rung]) -> str:
    """Write the widths of a ladder as they are typed.

    >>> spelled(rungs_of("1month-12month-60month"))
    'month-12months-60months'
    """
    return "-".join(map(_spelled, rungs))


def _spelled(rung: Rung) -> str:
    number = f"{rung.times.normalize():f}"
    if not rung.unit:
        return number
    return rung.unit if number == "1" else f"{number}{rung.unit}s"
