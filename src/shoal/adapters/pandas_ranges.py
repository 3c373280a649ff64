"""Ranges of pandas: spell intervals and periods as every file would.

| pandas | becomes |
|---|---|
| interval `(10, 20]`, also as a category of `pd.cut` | text `(10, 20]` |
| interval `[10, 20]` | text `10-20` |
| interval `(65, inf]`, `[65, inf)` | text `>65`, `>=65` |
| interval `(-inf, 18]`, `(-inf, 18)` | text `<=18`, `<18` |
| period of a day | date |
| period of a month, a quarter | text `2024-03`, `2024-Q1` |
| period of a year | whole number |
| any other period | the time at which it begins |

What these are is then decided where every other column is (`declare/understanding`).
"""

from __future__ import annotations

import math
from typing import Any

MONTHS = "%Y-%m"
# Signs by whether an end belongs to an interval.
ABOVE = {True: ">=", False: ">"}
BELOW = {True: "<=", False: "<"}
OPENING = {True: "[", False: "("}
CLOSING = {True: "]", False: ")"}


def spelled_ranges(series: Any) -> Any:
    """Return a column without intervals and periods; any other column as it is."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        inner = dtype.categories.dtype
        if isinstance(inner, pd.IntervalDtype):
            return series.cat.rename_categories([_interval(each) for each in dtype.categories])
        if not isinstance(inner, pd.PeriodDtype):
            return series
        series = series.astype(inner)
        dtype = inner
    if isinstance(dtype, pd.IntervalDtype):
        texts = {each: _interval(each) for each in series.dropna().unique()}
        return series.map(texts, na_action="ignore").astype(object)
    if isinstance(dtype, pd.PeriodDtype):
        return _periods(series, str(dtype.freq.rule_code))
    return series


def _periods(series: Any, frequency: str) -> Any:
    """Return days, months, quarters and years as such, and other periods by their beginning."""
    unit = frequency.partition("-")[0].upper()
    if unit in ("Y", "A", "YE"):
        return series.dt.year.where(series.notna()).astype("Int64")
    if unit in ("Q", "QE"):
        quarters = series.dt.qyear.astype("string") + "-Q" + series.dt.quarter.astype("string")
        return quarters.where(series.notna())
    if unit in ("M", "ME"):
        return series.dt.strftime(MONTHS).where(series.notna())
    begins = series.dt.start_time
    return begins.dt.date if unit == "D" else begins


def _interval(each: Any) -> str:
    """Spell one interval; an open end by a sign."""
    left, right = _number(each.left), _number(each.right)
    if _is_infinite(each.right):
        return f"{ABOVE[each.closed_left]}{left}"
    if _is_infinite(each.left):
        return f"{BELOW[each.closed_right]}{right}"
    if each.closed_left and each.closed_right:
        between = {True: " to ", False: "-"}[left.startswith("-")]
        return f"{left}{between}{right}"
    return f"{OPENING[each.closed_left]}{left}, {right}{CLOSING[each.closed_right]}"


def _is_infinite(end: Any) -> bool:
    return isinstance(end, float) and math.isinf(end)


def _number(end: Any) -> str:
    """Write an end without a tail of `.0`; days in ISO form."""
    if isinstance(end, float) and end.is_integer():
        return str(int(end))
    return str(end).removesuffix(" 00:00:00")
