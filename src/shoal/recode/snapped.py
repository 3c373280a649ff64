"""`snapped` (the default): every interval is widened outward to a grid that does not follow the data row by row.

The step is the smallest of 1, 2 or 5 times a power of ten that is at least a twentieth of the range; dates and times
use calendar steps in the same spirit (days, then months, then 1, 2, 5, 10 ... years), and end on the last day of a
step. A group of one single value publishes that value: at least k people share it. A column with a hierarchy publishes
nodes, which are a grid already.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as types

from shoal.arrays import Floats, Ints
from shoal.declare.columns import text_of_points
from shoal.encode.axes import Axis
from shoal.recode.cells import Cell, Interval
from shoal.recode.recoder import Boxes, Recoder, as_text

STEPS = 20  # the grid has about this many steps over the range
DAY = 86_400.0
MONTH = 30.4375  # days, to choose a step; the grid itself follows the calendar


class Snapped(Recoder):
    """Intervals widened to round numbers: the default, safe against reading people's values off the ends."""

    name = "snapped"

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Intervals that end on the grid."""
        return {boxes.axis.name: as_text(boxes, snapped_intervals)}


def snapped_intervals(axis: Axis, lo: Ints, hi: Ints) -> list[Cell]:
    """Every box widened outward to the grid of its axis."""
    assert axis.points is not None
    low, high = snap(axis, axis.points[lo], axis.points[hi])
    kind = axis.values.type
    zone = types.is_timestamp(kind) and kind.tz is not None
    whole = axis.kind == "number" and types.is_integer(kind)
    texts = (text_of_points(ends, axis.kind, whole=whole, zone=zone) for ends in (low, high))
    return [Interval(a, b) for a, b in zip(*texts, strict=True)]


def snap(axis: Axis, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Ends moved outward to the grid."""
    if axis.kind == "date":
        return _snap_days(axis.range, low, high)
    if axis.kind in ("time", "clock") and axis.range > 2 * DAY:
        first, last = _snap_days(axis.range / DAY, np.floor(low / DAY), np.floor(high / DAY))
        return first * DAY, last * DAY + DAY - 1
    step = _clock_step(axis.range / STEPS) if axis.kind != "number" else _round_step(axis.range / STEPS)
    if axis.kind == "number" and types.is_integer(axis.values.type):
        step = max(step, 1.0)
    # rounding to 15 digits keeps 0.1 * 3 from printing as 0.30000000000000004; never past the value itself
    first = np.minimum(_fifteen_digits(np.floor(low / step) * step), low)
    last = np.maximum(_fifteen_digits(np.ceil(high / step) * step), high)
    return first, last


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    if least <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(least))
    return float(next((m * power for m in (1, 2, 5) if m * power >= least * (1 - 1e-12)), 10 * power))


def _clock_step(least: float) -> float:
    """The same for seconds: 1, 2, 5, 10, 20, 30 of them, then of minutes, then hours."""
    steps = [*(1, 2, 5, 10, 20, 30), *(60 * m for m in (1, 2, 5, 10, 20, 30)), *(3600 * m for m in (1, 2, 3, 6, 12))]
    return float(next((step for step in steps if step >= least), DAY))


def _snap_days(days: float, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    least = days / STEPS
    if least <= 10:
        step = _round_step(max(least, 1.0))
        return np.floor(low / step) * step, np.ceil((high + 1) / step) * step - 1
    months = next((m for m in (1, 2, 3, 6) if m * MONTH >= least), 12 * int(_round_step(max(least / (12 * MONTH), 1.0))))
    first, last = _month_of(low) // months * months, (_month_of(high) // months + 1) * months
    return _first_day(first), _first_day(last) - 1


def _month_of(days: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Months since the year 0, so that a grid of years starts on round ones."""
    return days.astype(np.int64).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12


def _first_day(months: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
    return (months - 1970 * 12).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64).astype(np.float64)


def _fifteen_digits(numbers: Floats) -> Floats:
    return np.array([float(f"{number:.15g}") for number in numbers], np.float64)
