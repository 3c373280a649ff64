"""`snapped` (the default): widen every interval to a grid that does not follow single rows.

The step is the smallest of 1, 2 or 5 times a power of ten that is at least a twentieth of the range
of the published rows; dates and times use calendar steps in the same spirit (days, then months,
then 1, 2, 5, 10 ... years), and end on the last day of a step. A group of one single value
publishes that value: at least k people share it. A column with a hierarchy publishes nodes, which
are a grid already.

Ends are computed in decimals from the values as they are spelled: 0.3 lies on a grid of 0.1, and
whole numbers beyond 2^53 lie inside their interval. A grid of floats has no more than 15 digits.
"""

from __future__ import annotations

import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from shoal.arrays import Ints, Longs
from shoal.declare.columns import Kind, text_of
from shoal.encode.axes import Axis
from shoal.recode.cells import Cell, Interval
from shoal.recode.recoder import Boxes, Recoder, as_text

STEPS = 20  # the grid has about this many steps over the range
DIGITS = 15  # of a float that can be trusted
EXACT = 120  # digits in which ends are computed: more than a value on a grid has
SECOND = 1_000_000  # times count in microseconds
DAY = 86_400 * SECOND
# The first day of the year 1, counted from 1970: calendars have no day before.
FIRST = -719_162
MONTH = 30.4375  # days, to choose a step; the grid itself follows the calendar


class Snapped(Recoder):
    """Intervals widened to round numbers: the default, safe against reading values off the ends."""

    name = "snapped"
    widens = True

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish intervals that end on the grid."""
        return {boxes.axis.name: as_text(boxes, snapped_intervals)}


def snapped_intervals(axis: Axis, lo: Ints, hi: Ints) -> list[Cell]:
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
    """Move the ends of each box outward to exact multiples of the step."""
    texts = text_of(axis.values)
    step = Decimal(1)
    if len(lo):
        first = Decimal(texts[int(lo.min())].as_py())
        last = Decimal(texts[int(hi.max())].as_py())
        step = _number_step(first, last, axis.values.type)
    ends = []
    for codes, outward in ((lo, ROUND_FLOOR), (hi, ROUND_CEILING)):
        with localcontext(Context(prec=EXACT, rounding=outward)):
            values = texts.take(pa.array(codes)).to_pylist()
            ends.append(
                [
                    (Decimal(value) / step).to_integral_value() * step or Decimal(0)
                    for value in values
                ]
            )
    return ends[0], ends[1]


def _number_step(first: Decimal, last: Decimal, kind: pa.DataType) -> Decimal:
    with localcontext(Context(prec=EXACT)):
        step = _round_step((last - first) / STEPS)
    if types.is_integer(kind):
        return max(step, Decimal(1))
    largest = max(abs(first), abs(last))
    if types.is_floating(kind) and largest:
        step = max(step, Decimal((0, (1,), largest.adjusted() - DIGITS + 1)))
    return step


def _round_step(least: Decimal) -> Decimal:
    """Find the smallest of 1, 2, 5 times a power of ten that is at least `least`.

    A tolerance of 1e-12 allows for floats such as 0.3 - 0.1.
    """
    if least <= 0:
        return Decimal(1)
    power = least.adjusted()
    steps = (Decimal((0, (m,), power + ten)) for ten in (0, 1) for m in (1, 2, 5))
    return next(step for step in steps if step >= least * (1 - Decimal("1e-12")))


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
    low = counted[lo]
    high = counted[hi]
    least = _span(counted, lo, hi) / STEPS
    if least <= 10:
        step = int(_round_step(Decimal(max(least, 1.0))))
        return low // step * step, -(-(high + 1) // step) * step - 1
    years = int(_round_step(Decimal(max(least / (12 * MONTH), 1.0))))
    months = next((m for m in (1, 2, 3, 6) if m * MONTH >= least), 12 * years)
    return _first_day(_month_of(low) // months * months), _first_day(
        (_month_of(high) // months + 1) * months
    ) - 1


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
