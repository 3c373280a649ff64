"""Cell columns: make columns of values that came one by one, from workbooks and JSON lines.

A column of one type gets that type; whole numbers are such, however they were stored. Where types
are mixed, every value is spelled as a CSV file would hold it, and the column is text: what it is
then is decided where every other column of texts is (`declare/understanding`).
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import text_of

WHOLE = 2**53  # up to here a float tells whole numbers apart
NUMBERS = frozenset({int, float})
DAYS = frozenset({datetime.date, datetime.datetime})


def column_of(values: Sequence[object]) -> pa.Array:
    """Build a column; None is a missing value.

    >>> column_of([3.0, None, 4]).to_pylist(), column_of([3.0, "7+"]).to_pylist()
    ([3, None, 4], ['3', '7+'])
    """
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.array(values, pa.string())
    if kinds <= NUMBERS:
        return _numbers(values)
    if kinds == {datetime.date}:
        return pa.array(values, pa.date32())
    if kinds <= DAYS:
        return pa.array([_moment(value) for value in values], pa.timestamp("us"))
    if kinds == {datetime.time}:
        return pa.array(values, pa.time64("us"))
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    return pa.array([_spelled(value) for value in values], pa.string())


def _numbers(values: Sequence[object]) -> pa.Array:
    try:
        numbers = pa.array(values, pa.float64())
        if all(not isinstance(value, float) for value in values):
            return pa.array(values, pa.int64())
    except (pa.ArrowInvalid, OverflowError):  # whole numbers too long for 64 bits are codes
        return pa.array([_spelled(value) for value in values], pa.string())
    whole = pc.and_(pc.equal(numbers, pc.floor(numbers)), pc.less(pc.abs(numbers), WHOLE))
    return numbers.cast(pa.int64()) if pc.all(whole).as_py() else numbers


def _moment(value: object) -> object:
    """Return the midnight of a day that stands beside times."""
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime.combine(value, datetime.time())
    return value


def _spelled(value: object) -> str | None:
    """Write one value as every other cell is written."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE:
        return str(int(value))
    return str(text_of(pa.array([value]))[0])
