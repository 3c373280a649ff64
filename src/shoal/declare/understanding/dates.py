"""Dates in text: day, month and year in any order, months, quarters.

| texts | read as | word |
|---|---|---|
| `25.10.1979`, `25/10/1979 14:05`, `25-10-1979` | the day, or a time | `date:day-first` |
| `10/25/1979`, `10/25/1979 2:05 PM` | the day, or a time | `date:month-first` |
| `1979/10/25`, `1979.10.25` | the day, or a time | `date` |
| `25 Oct 1979`, `25OCT1979`, `Oct 25, 1979` | the day | `date` |
| `1979-10`, `10/1979` | the first day of the month | `date:month` |
| `1979Q4`, `1979-Q4`, `Q4 1979` | the first day of the quarter | `date:quarter` |

ISO dates are read in `spelled`. All texts of a column have one order and one separator. A year has
four digits: two could be of two centuries. Times that are midnight in every row are days.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Longs
from shoal.declare.understanding.reading import Reading, parts_of

DAY = r"(?P<day>0?[1-9]|[12][0-9]|3[01])"
MONTH = r"(?P<month>0?[1-9]|1[0-2])"
YEAR = r"(?P<year>1[0-9]{3}|2[0-9]{3})"
NAMED = (
    "(?P<month>(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    "sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))"
)
CLOCK = (
    r"(?:(?:[T,] ?| )(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])"
    r"(?:\.[0-9]+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SEPARATORS = {".": r"\. ?", "/": "/", "-": "-"}
VOWELS = "AEOUaeou"  # each month's name holds one of these letters
TWO_DIGITS = r"[0-3]?[0-9](?:\. ?|/|-)[0-3]?[0-9](?:\. ?|/|-)[0-9]{2}(?: [0-9]{1,2}:.*)?"
"""Dates whose year has two digits: no century can be told."""
MICROS = 1_000_000


def day_first(separator: str) -> Reading:
    """Read dates that begin with the day."""
    cut = SEPARATORS[separator]
    said = f"dates, written day{separator}month{separator}year"
    return _dated("date:day-first", said, f"{DAY}{cut}{MONTH}{cut}{YEAR}", separator)


def month_first(separator: str) -> Reading:
    """Read dates that begin with the month."""
    cut = SEPARATORS[separator]
    said = f"dates, written month{separator}day{separator}year"
    return _dated("date:month-first", said, f"{MONTH}{cut}{DAY}{cut}{YEAR}", separator)


def _dated(word: str, said: str, pattern: str, signs: str) -> Reading:
    whole = f"{pattern}{CLOCK}"
    return Reading(word, said, whole, partial(_moments, pattern=f"^{whole}$"), signs=signs)


def _moments(texts: pa.Array, pattern: str) -> pa.Array:
    """Read days, or times where one of them is not midnight."""
    parts = parts_of(texts, pattern)
    days = _days(parts)
    clock = _micros(parts)
    there = pa.array((days > _NONE) & (clock >= 0))
    if not clock.any():
        return pc.if_else(there, pa.array(days.astype(np.int32)).cast(pa.date32()), None)
    moments = days * 86_400 * MICROS + clock
    return pc.if_else(there, pa.array(moments).cast(pa.timestamp("us")), None)


_NONE = np.iinfo(np.int32).min


def _days(parts: dict[str, pa.Array]) -> Longs:
    """Count days since 1970; the least number where a month has no such day."""
    year = _whole(parts["year"])
    month = _months(parts["month"])
    day = _whole(parts["day"]) if "day" in parts else np.ones(len(year), np.int64)
    months = (year - 1970) * 12 + month - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    after = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    days = first + day - 1
    return np.where((day >= 1) & (days < after), days, _NONE)


def _months(texts: pa.Array) -> Longs:
    """Read months that are numbers or English names."""
    short = pc.utf8_lower(pc.utf8_slice_codeunits(texts, 0, 3))
    named = np.asarray(pc.fill_null(pc.index_in(short, pa.array(NAMES)), -1), np.int64)
    return np.where(named >= 0, named + 1, _whole(texts, unless=named >= 0))


def _whole(texts: pa.Array, unless: Flags | None = None) -> Longs:
    """Read whole numbers; 0 where there is no text."""
    left_out = pc.equal(texts, "") if unless is None else pa.array(unless)
    return np.asarray(pc.if_else(left_out, "0", texts).cast(pa.int64()), np.int64)


def _micros(parts: dict[str, pa.Array]) -> Longs:
    """Read times of day in microseconds; 0 without one, below 0 where a day has no such hour."""
    hour = _whole(parts["hour"])
    halves = pc.utf8_lower(parts["half"])
    named = np.asarray(pc.not_equal(halves, ""), np.bool_)
    afternoon = np.asarray(pc.equal(halves, "p"), np.bool_)
    wrong = np.where(named, (hour < 1) | (hour > 12), hour > 23)
    hour = np.where(named, hour % 12 + 12 * afternoon, hour)
    seconds = hour * 3600 + _whole(parts["minute"]) * 60 + _whole(parts["second"])
    return np.where(wrong, -1, seconds * MICROS)


def are_midnights(times: pa.Array) -> bool:
    """Tell whether all times of a column are midnights of no time zone: dates, as pandas has them.

    >>> from datetime import datetime
    >>> are_midnights(pa.array([datetime(1979, 10, 25)])), are_midnights(pa.array(["1979-10-25"]))
    (True, False)
    """
    if not pa.types.is_timestamp(times.type) or times.type.tz is not None:
        return False
    there = times.drop_null()
    return len(there) > 0 and bool(pc.all(pc.equal(there, pc.floor_temporal(there))).as_py())


def _first_ten(texts: pa.Array) -> pa.Array:
    """Read the days of ISO times."""
    return pc.utf8_slice_codeunits(texts, 0, 10).cast(pa.date32())


MIDNIGHTS = Reading(
    "date", "dates", rf"{YEAR}-{MONTH}-{DAY}[T ]00:00(?::00(?:\.0+)?)?", _first_ten, plain=True
)
"""Times that are dates: what came as times, all of them at midnight."""


def _first_days(texts: pa.Array, pattern: str) -> pa.Array:
    """Read months as their first day."""
    days = _days(parts_of(texts, pattern))
    return pa.array(days.astype(np.int32)).cast(pa.date32())


def _first_of_quarters(texts: pa.Array, pattern: str) -> pa.Array:
    """Read quarters as their first day."""
    parts = parts_of(texts, pattern)
    months = (_whole(parts["year"]) - 1970) * 12 + 3 * (_whole(parts["quarter"]) - 1)
    return pa.array(months.astype("datetime64[M]").astype("datetime64[D]")).cast(pa.date32())


def _of_month(pattern: str, separator: str) -> Reading:
    said = "months, read as their first day"
    values = partial(_first_days, pattern=f"^{pattern}$")
    return Reading("date:month", said, pattern, values, signs=separator)


def _of_quarter(pattern: str) -> Reading:
    values = partial(_first_of_quarters, pattern=f"^{pattern}$")
    said = "quarters, read as their first day"
    return Reading("date:quarter", said, pattern, values, signs="Qq")


QUARTER = "[Qq](?P<quarter>[1-4])"
ORDERED = tuple((day_first(sign), month_first(sign)) for sign in SEPARATORS)
"""Both orders of day and month for each separator: one of them is taken, and never guessed."""
OTHERS = (
    _dated("date", "dates, written year/month/day", f"{YEAR}/{MONTH}/{DAY}", "/"),
    _dated("date", "dates, written year.month.day", rf"{YEAR}\.{MONTH}\.{DAY}", "."),
    _dated("date", "dates with the name of the month", rf"{DAY}\.?[ -]?{NAMED}[ -]?{YEAR}", VOWELS),
    _dated("date", "dates with the name of the month", rf"{NAMED} {DAY},? {YEAR}", VOWELS),
    _of_month(f"{YEAR}-{MONTH}", "-"),
    _of_month(f"{MONTH}/{YEAR}", "/"),
    _of_quarter(f"{YEAR} ?-?{QUARTER}"),
    _of_quarter(f"{QUARTER}[ /-]?{YEAR}"),
)
