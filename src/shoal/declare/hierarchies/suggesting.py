"""Suggesting: choose a hierarchy for a column by its values alone.

| column | suggested |
|---|---|
| numbers, times of day | `intervals` of a round width, about twenty of them |
| dates, times, texts that all are ISO dates | `dates` |
| texts of one length, each with a digit, such as postcodes | `masks` |
| anything else, and columns of few values | `flat` |
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import Kind, is_text, points_of
from shoal.declare.hierarchies.dates import Dates
from shoal.declare.hierarchies.flat import Flat
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.intervals import Intervals
from shoal.declare.hierarchies.masks import LONGEST, Masks

FEW = 4  # different values that need no groups
WHOLE = 2**53  # beyond it, floats skip whole numbers
HOUR = 3_600.0  # seconds, in which times of day count
ABOUT = 20  # intervals at the lowest level
ISO_DAY = r"^\d{4}-\d\d-\d\d$"


def suggested(values: pa.Array, kind: Kind) -> Hierarchy:
    """Suggest a hierarchy for a column of these different values, none missing.

    >>> suggested(pa.array([18, 20, 23, 31, 95]), "number")
    Intervals(width=5.0, start=None, quantiles=None, edges=(), fanout=2)
    """
    if len(values) <= FEW:
        return Flat()
    if kind in ("date", "time") or _all_iso_days(values):
        return Dates()
    if kind == "clock":
        return Intervals(width=HOUR)
    if kind == "number" and _apart(values):
        return Intervals(width=round_width(values, kind))
    lengths = (
        pc.min_max(pc.utf8_length(values)).as_py() if is_text(values.type) else {"min": 0, "max": 0}
    )
    if 2 <= lengths["min"] == lengths["max"] <= LONGEST and _all_match(values, r"\d"):
        return Masks(lengths["max"])
    return Flat()


def round_width(values: pa.Array, kind: Kind) -> float:
    """Choose a width of 1, 2 or 5 times a power of ten that gives about twenty intervals.

    10 for values that are no points on a line.
    """
    points = points_of(values, kind) if kind != "category" else np.zeros(0)
    reach = float(np.ptp(points)) if len(points) else 0.0
    if not 0 < reach < math.inf:
        return 10.0
    ten = 10.0 ** math.floor(math.log10(reach / ABOUT))
    width = next((step * ten for step in (1, 2, 5) if step * ten >= reach / ABOUT), 10 * ten)
    if pa.types.is_integer(values.type) or kind == "date":
        return max(width, 2.0)
    return float(f"{width:.1g}")


def _apart(values: pa.Array) -> bool:
    """Tell if floats tell these whole numbers apart, so that intervals take them."""
    return not pa.types.is_integer(values.type) or bool(
        (np.abs(points_of(values, "number")) < WHOLE).all()
    )


def _all_iso_days(values: pa.Array) -> bool:
    try:
        return (
            is_text(values.type)
            and _all_match(values, ISO_DAY)
            and len(pc.cast(values, pa.date32())) > 0
        )
    except pa.ArrowInvalid:  # the thirteenth month
        return False


def _all_match(values: pa.Array, shape: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, shape)).as_py())
