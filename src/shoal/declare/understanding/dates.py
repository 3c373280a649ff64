"""Dates in text: day, month and year in any order, months, quarters.

| texts | read as | word |
|---|---|---|
| `25.10.1979`, `25/10/1979 14:05`, `25-10-1979` | the day, or a time | `date:day-first` |
| `10/25/1979`, `10/25/1979 2:05 PM` | the day, or a time | `date:month-first` |
| `1979/10/25`, `1979.10.25` | the day, or a time | `date` |
| `25 Oct 1979`, `25OCT1979`, `Oct 25, 1979`, `25. Oktober 1979` | the day | `date` |
| `19791025`, as a text or a number | the day | `date` |
| `1979-10`, `10/1979`, `10.1979`, `Okt 1979` | the first day of the month | `date:month` |
| `1979Q4`, `Q4 1979`, `4. Quartal 1979` | the first day of the quarter | `date:quarter` |

ISO dates are read in `spelled`. All texts of a column have one order and one separator. A year has
four digits: two could be of two centuries. Times that are midnight in every row are days.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Longs
from shoal.declare.columns import text_of
from shoal.declare.understanding.reading import Reading, parts_of

DAY = r"(?P<day>0?[1-9]|[12][0-9]|3[01])"
MONTH = r"(?P<month>0?[1-9]|1[0-2])"
YEAR = r"(?P<year>1[0-9]{3}|2[0-9]{3})"
NAMES = tuple(
    names.split()
    for names in (
        "jan january januar januari janvier janv enero ene gennaio gen",
        "feb february februar februari février fevrier févr fevr febrero febbraio",
        "mar march märz maerz mär mrz maart mrt mars marzo",
        "apr april avril avr abril abr aprile",
        "may mai mei mayo maggio mag",
        "jun june juni juin junio giugno giu",
        "jul july juli juillet juil julio luglio lug",
        "aug august augustus août aout agosto ago",
        "sep sept september septembre septiembre settembre set",
        "oct october okt oktober octobre octubre ottobre ott",
        "nov november novembre noviembre",
        "dec december dez dezember décembre decembre déc diciembre dic dicembre",
    )
)
"""Names of each month in English, German, French, Spanish, Italian and Dutch."""
MONTH_OF = {name: number for number, names in enumerate(NAMES, start=1) for name in names}
NAMED = rf"(?P<month>(?i:{'|'.join(sorted(MONTH_OF, key=len, reverse=True))}))"
CLOCK = (
    r"(?:(?:[T,] ?| )(?P<hour>[0-9]{1,2}):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9])"
    r"(?:\.[0-9]+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"
)
BETWEEN = "(?: de |[ -]?)"
WITH_NAME = "dates with the name of the month"
SEPARATORS = {".": r"\. ?", "/": "/", "-": "-"}
LETTERS = "ACEIOURVaceiourv"  # each month's name holds one of these letters
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
    """Read months that are numbers or names."""
    place = pc.fill_null(pc.index_in(pc.utf8_lower(texts), pa.array(list(MONTH_OF))), -1)
    named = np.asarray(place, np.int64)
    numbers = np.array([*MONTH_OF.values(), 0])[named]
    return np.where(named >= 0, numbers, _whole(texts, unless=named >= 0))


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


def are_compact(values: pa.Array) -> bool:
    """Tell whether whole numbers, or their texts, are days without a separator: `19791025`.

    Of other numbers of eight digits hardly one in a thousand is a day of these centuries.

    >>> are_compact(pa.array([19791025, 19800201])), are_compact(pa.array([19791025, 19801301]))
    (True, False)
    """
    if len(values) < 2:
        return False
    if pa.types.is_integer(values.type) and not _between_years(values):  # quicker than all texts
        return False
    return bool(COMPACT.fits(text_of(values)).all())


def _between_years(numbers: pa.Array) -> bool:
    ends = pc.min_max(numbers).as_py()
    return ends["min"] is not None and 1800_01_01 <= ends["min"] <= ends["max"] <= 2099_12_31


QUARTER = "[Qq](?P<quarter>[1-4])"
ORDERED = tuple((day_first(sign), month_first(sign)) for sign in SEPARATORS)
"""Both orders of day and month for each separator: one of them is taken, and never guessed."""
OTHERS = (
    _dated("date", "dates, written year/month/day", f"{YEAR}/{MONTH}/{DAY}", "/"),
    _dated("date", "dates, written year.month.day", rf"{YEAR}\.{MONTH}\.{DAY}", "."),
    _dated("date", WITH_NAME, rf"{DAY}\.?{BETWEEN}{NAMED}\.?{BETWEEN}{YEAR}", LETTERS),
    _dated("date", WITH_NAME, rf"{NAMED}\.? {DAY},? {YEAR}", LETTERS),
    _of_month(f"{YEAR}-{MONTH}", "-"),
    _of_month(f"{MONTH}/{YEAR}", "/"),
    _of_month(rf"{MONTH}\.{YEAR}", "."),
    _of_month(rf"{NAMED}\.?[ -]{YEAR}", LETTERS),
    _of_quarter(f"{YEAR}[ /-]?{QUARTER}"),
    _of_quarter(f"{QUARTER}[ /-]?{YEAR}"),
    _of_quarter(rf"(?P<quarter>[1-4])\. ?(?i:Quartal) {YEAR}"),
)
COMPACT = _dated(
    "date",
    "dates, written yearmonthday",
    "(?P<year>1[89][0-9]{2}|20[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12][0-9]|3[01])",
    "",
)
