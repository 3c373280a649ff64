"""`snapped` (the default): widen every interval outward to round ends.

Ends are multiples of a step of 1, 2 or 5 times a power of ten, which `grid` chooses by the width of
the box, the range of the published rows and their unit; dates and times use calendar steps in the
same spirit (days, then months, then 1, 2, 5, 10 ... years), and end on the last day of a step. A
group of one single value publishes that value: at least k people share it. A column with a
hierarchy publishes nodes, which are a grid already.

Ends are computed in decimals from the values as they are spelled: 0.3 lies on a grid of 0.1, and
whole numbers beyond 2^53 lie inside their interval. A grid of floats has no more than 15 digits.

By hand: a group of 31, 34 and 39 beside one of 51, 54 and 59 is published as `[30, 40]`, the other
as `[50, 60]`.

When to use it: always, unless a reader needs exact ends or numbers: it is the default.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from shoal.arrays import Ints, Longs
from shoal.declare.columns import Kind, points_of, text_of
from shoal.encode.axes import Axis
from shoal.errors import DataError, RecipeError
from shoal.recode.cells import Cell, Interval
from shoal.recode.grid import DAYS, EXACT, MONTHS, STEPS, NumberGrid, calendar_steps
from shoal.recode.reading import ends, point
from shoal.recode.recoder import Boxes, Recoder, as_text
from shoal.wording import Remedy, Set

DIGITS = 15  # of a float that can be trusted
SECOND = 1_000_000  # times count in microseconds
DAY = 86_400 * SECOND
# The first day of the year 1, counted from 1970: calendars have no day before.
FIRST = -719_162


@dataclass(frozen=True)
class Snapped(Recoder):
    """Intervals widened to round numbers: the default, safe against reading values off the ends.

    No interval begins before `first` or ends after `last`: limits that everyone knows, such as the
    end of the year for births, never taken from the data. `end-of-2026` is a limit of dates and
    times alone.
    """

    name = "snapped"
    widens = True
    first: str = ""
    last: str = ""

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish intervals that end on the grid, inside the limits that are given."""
        if boxes.axis.points is None or not (self.first or self.last):
            return {boxes.axis.name: as_text(boxes, snapped_intervals)}
        return {boxes.axis.name: as_text(boxes, self._limited)}

    def _limited(self, axis: Axis, lo: Ints, hi: Ints) -> list[Cell]:
        lowest = _written_limit(self.first, axis.kind)
        highest = _written_limit(self.last, axis.kind)
        first = limit(axis, lowest or "-inf")
        last = limit(axis, highest or "inf")
        own = points_of(axis.values, axis.kind)
        if len(lo) and not first <= own[lo].min() <= own[hi].max() <= last:
            raise DataError(
                f"column '{axis.name}' holds values beyond the limits that its intervals are given",
                remedy=Remedy(Set("publish", {axis.name: self.name})),
            )
        cells = snapped_intervals(axis, lo, hi)
        low, high = ends(axis.kind, cells)
        for place in np.flatnonzero(low < first):
            cells[place] = Interval(lowest, cells[place].hi)
        for place in np.flatnonzero(high > last):
            cells[place] = Interval(cells[place].lo, highest)
        return list(cells)


def end_of_year(year: int) -> str:
    """Spell the limit that no date passes in a year, whatever the type of its column."""
    return f"end-of-{year}"


def _written_limit(limit: str, kind: Kind) -> str:
    """Write a limit as values of a column are written; empty where it does not concern them."""
    matched = re.fullmatch(r"end-of-(\d{4})", limit)
    if matched is None:
        return limit
    ends = {"date": "-12-31", "time": "-12-31T23:59:59"}
    return f"{matched[1]}{ends[kind]}" if kind in ends else ""


def limit(axis: Axis, text: str) -> float:
    """Convert a limit to a point of a column, `inf` being none; refuses texts that are no point."""
    if text in ("inf", "-inf"):
        return float(text)
    place = point(text, axis.kind)
    if math.isnan(place):
        raise RecipeError(
            f"'{text}' is no limit of column '{axis.name}', which holds a {axis.kind}",
            remedy=f"write first= and last= as a {axis.kind} of the column is written",
        )
    return place


def snapped_intervals(axis: Axis, lo: Ints, hi: Ints) -> list[Interval]:
    """Widen every box outward to the grid of its axis."""
    if types.is_decimal(axis.values.type):
        texts = [[_plainly(end) for end in ends] for ends in snap_numbers(axis, lo, hi)]
    else:
        texts = [text_of(ends).to_pylist() for ends in snap(axis, lo, hi)]
    return [Interval(a, b) for a, b in zip(*texts, strict=True)]


def snap(axis: Axis, lo: Ints, hi: Ints) -> tuple[pa.Array, pa.Array]:
    """Move the ends of each box outward to the grid, in the type of the column."""
    if axis.kind == "number":
        ends = snap_numbers(axis, lo, hi)
        return _typed(ends[0], axis.values.type), _typed(ends[1], axis.values.type)
    counted = _counted(axis.values, axis.kind)
    first, last = (
        _snap_days(counted, lo, hi) if axis.kind == "date" else _snap_times(counted, lo, hi)
    )
    return _as_times(first, axis.values.type), _as_times(last, axis.values.type)


def snap_numbers(axis: Axis, lo: Ints, hi: Ints) -> tuple[list[Decimal], list[Decimal]]:
    """Move the ends of each box outward to exact multiples of its step."""
    texts = text_of(axis.values)
    lows, highs = (
        [Decimal(text) for text in texts.take(pa.array(codes)).to_pylist()] for codes in (lo, hi)
    )
    boxes = list(zip(lows, highs, strict=True))
    grid = NumberGrid.of(boxes, _shortest({*lows, *highs}, axis.values.type))
    with localcontext(Context(prec=EXACT)):
        steps = [grid.step(high - low) for low, high in boxes]
    return _outward(lows, steps, ROUND_FLOOR), _outward(highs, steps, ROUND_CEILING)


def _outward(values: list[Decimal], steps: list[Decimal], rounding: str) -> list[Decimal]:
    with localcontext(Context(prec=EXACT, rounding=rounding)):
        return [
            (value / step).to_integral_value() * step or Decimal(0)
            for value, step in zip(values, steps, strict=True)
        ]


def _shortest(ends: set[Decimal], kind: pa.DataType) -> Decimal:
    """Find the shortest step that the type of a column can carry."""
    if types.is_integer(kind):
        return Decimal(1)
    largest = max(map(abs, ends), default=Decimal(0))
    if types.is_floating(kind) and largest:
        return Decimal((0, (1,), largest.adjusted() - DIGITS + 1))
    return Decimal(0)


def _typed(ends: list[Decimal], kind: pa.DataType) -> pa.Array:
    """Convert ends to whole numbers or floats, limited to the largest of them."""
    if types.is_integer(kind):
        wide = pa.uint64() if types.is_uint64(kind) else pa.int64()
        least, most = (0, 2**64 - 1) if types.is_uint64(kind) else (-(2**63), 2**63 - 1)
        return pa.array([min(max(int(end), least), most) for end in ends], wide)
    largest = sys.float_info.max
    return pa.array([min(max(float(end), -largest), largest) for end in ends], pa.float64())


def _plainly(end: Decimal) -> str:
    return f"{end.normalize(Context(prec=EXACT)):f}"


def _counted(values: pa.Array, kind: Kind) -> Longs:
    """Convert dates to days, and times to microseconds."""
    if kind == "date":
        return np.asarray(pc.cast(pc.cast(values, pa.date32()), pa.int32()), np.int64)
    wide = pa.timestamp("us", values.type.tz) if kind == "time" else pa.time64("us")
    return np.asarray(pc.cast(pc.cast(values, wide, safe=False), pa.int64()), np.int64)


def _as_times(ends: Longs, kind: pa.DataType) -> pa.Array:
    if types.is_date(kind):
        return pc.cast(pa.array(ends.astype(np.int32)), pa.date32())
    if types.is_timestamp(kind):
        return pc.cast(pa.array(ends), pa.timestamp("us", kind.tz))
    return pc.cast(pa.array(np.minimum(ends, DAY - 1)), pa.time64("us"))


def _snap_times(counted: Longs, lo: Ints, hi: Ints) -> tuple[Longs, Longs]:
    """Move ends of times outward; days and longer steps end with their last second.

    With their last microsecond where the column has fractions.
    """
    span = _span(counted, lo, hi)
    if span <= 2 * DAY:
        step = _clock_step(span / STEPS / SECOND) * SECOND
        return counted[lo] // step * step, -(-counted[hi] // step) * step
    first, last = _snap_days(counted // DAY, lo, hi)
    unit = SECOND if not (counted % SECOND).any() else 1
    return first * DAY, (last + 1) * DAY - unit


def _clock_step(least: float) -> int:
    """Find the smallest step in seconds that is at least `least`.

    Steps are 1, 2, 5, 10, 20 or 30 seconds, the same in minutes, then hours.
    """
    seconds = [1, 2, 5, 10, 20, 30]
    minutes = [60 * m for m in (1, 2, 5, 10, 20, 30)]
    hours = [3600 * h for h in (1, 2, 3, 6, 12)]
    steps = seconds + minutes + hours
    return next((step for step in steps if step >= least), 86_400)


def _snap_days(counted: Longs, lo: Ints, hi: Ints) -> tuple[Longs, Longs]:
    """Move the ends of boxes of days outward to the first and last day of their steps."""
    low = counted[lo]
    high = counted[hi]
    first = low.copy()
    last = high.copy()
    places = calendar_steps(low, high)
    for place in np.unique(places).tolist():
        here = places == place
        if place < len(DAYS):
            first[here], last[here] = _days(low[here], high[here], DAYS[place])
        else:
            months = MONTHS[place - len(DAYS)]
            first[here] = _first_day(_month_of(low[here]) // months * months)
            last[here] = _first_day((_month_of(high[here]) // months + 1) * months) - 1
    return first, last


def _days(low: Longs, high: Longs, step: int) -> tuple[Longs, Longs]:
    """Move ends to the first and last day of steps: of days, or of parts of a month.

    Parts begin on the 1st, 6th, 11th ... or on the 1st, 11th and 21st.
    """
    if step <= 2:
        return low // step * step, -(-(high + 1) // step) * step - 1
    parts = 30 // step
    begin = _first_day(_month_of(low))
    first = begin + np.minimum((low - begin) // step, parts - 1) * step
    begin = _first_day(_month_of(high))
    part = np.minimum((high - begin) // step, parts - 1)
    whole_month = _first_day(_month_of(high) + 1) - 1
    return first, np.where(part == parts - 1, whole_month, begin + (part + 1) * step - 1)


def _span(counted: Longs, lo: Ints, hi: Ints) -> int:
    """Compute the distance from the least to the largest value of the published rows.

    A withheld row must not show in the grid.
    """
    return int(counted[hi.max()] - counted[lo.min()]) if len(lo) else 0


def _month_of(days: Longs) -> Longs:
    """Count months since the year 0, so that a grid of years starts on round ones."""
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12


def _first_day(months: Longs) -> Longs:
    days = (months - 1970 * 12).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    return np.maximum(days, FIRST)
