"""Columns: the kind of each column, its points on a line, and its values as text.

A number, a date and a time of day have points (numbers, days, seconds) and so an order and a range;
everything else is a category. Text made here is the one spelling of a value: hierarchies match it,
cells print it, CSV files hold it, certificates hash it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats
from shoal.errors import DataError, row_numbers

Kind = Literal["number", "date", "time", "clock", "category"]
FIRST_DAY = np.datetime64("0001-01-01")
LAST_DAY = np.datetime64("9999-12-31")


def kind_of(kind: pa.DataType, name: str) -> Kind:
    """Return the kind of a column; refuses types that hold no single value."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_date(kind):
        return "date"
    if pa.types.is_timestamp(kind):
        return "time"
    if pa.types.is_time(kind):
        return "clock"
    if is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return "category"
    if pa.types.is_duration(kind):
        raise DataError(
            f"column '{name}' holds spans of time, which have no unit of their own",
            remedy="turn them into a number of days, hours or minutes, or leave the column out",
        )
    raise DataError(
        f"column '{name}' holds {kind}, which is no single value",
        remedy="turn it into numbers, dates or text, or leave the column out",
    )


def is_text(kind: pa.DataType) -> bool:
    """Tell if values of this type are text."""
    return (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def refuse_distant_days(column: pa.Array, name: str) -> None:
    """Refuse dates and times before the year 1 or after the year 9999, which have no ISO form."""
    if not (pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)):
        return
    unit = "D" if pa.types.is_date32(column.type) else getattr(column.type, "unit", "ms")
    if unit == "ns":  # 64 bits of nanoseconds end in the year 2262
        return
    numbers = column.view(pa.int64()) if unit != "D" else column.view(pa.int32())
    first = int(FIRST_DAY.astype(f"datetime64[{unit}]").astype(np.int64))
    beyond = int((LAST_DAY + 1).astype(f"datetime64[{unit}]").astype(np.int64))
    distant = pc.or_(pc.less(numbers, first), pc.greater_equal(numbers, beyond))
    if pc.any(distant).as_py():
        where = np.flatnonzero(np.asarray(pc.fill_null(distant, False)))
        raise DataError(
            f"column '{name}' holds dates before the year 1 or after the year 9999",
            {"rows concerned": len(where), "first rows": row_numbers(where[:6])},
            "leave them empty, or turn the column into text",
        )


def whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece, copied only where it is in several."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def points_of(values: pa.Array, kind: Kind) -> Floats:
    """Convert values without missing ones to points: numbers, days since 1970, seconds."""
    if kind == "number":
        return _floats_of(values)
    if kind == "date":
        return np.asarray(pc.cast(pc.cast(values, pa.date32()), pa.int32()), np.float64)
    if kind == "time":
        moments = pc.cast(values, pa.timestamp("us", values.type.tz), safe=False)
        return np.asarray(pc.cast(moments, pa.int64())) / 1e6
    return np.asarray(pc.cast(pc.cast(values, pa.time64("us")), pa.int64())) / 1e6


def _floats_of(numbers: pa.Array) -> Floats:
    """Convert numbers of any type to floats, without a negative zero."""
    exact = pa.types.is_integer(numbers.type) or pa.types.is_float64(numbers.type)
    # Other numbers are read from their text: a float32 of 0.1 is then 0.1, and decimals are
    # rounded once, where Arrow would round twice.
    read = numbers if exact else text_of(numbers)
    return np.asarray(pc.cast(read, pa.float64(), safe=False), np.float64) + 0.0


def text_of(values: pa.Array) -> pa.Array:
    """Convert every value to text; missing ones stay missing.

    Floats have no tail of `.0`, decimals no trailing zeros.
    """
    kind = values.type
    if is_text(kind):
        return pc.cast(values, pa.string())
    if pa.types.is_floating(kind):
        return pc.cast(pc.if_else(pc.equal(values, 0.0), pa.scalar(0.0, kind), values), pa.string())
    if pa.types.is_decimal(kind):
        return _text_of_decimals(values)
    if pa.types.is_timestamp(kind):
        return _text_of_times(values)
    if pa.types.is_time(kind):
        return pc.replace_substring_regex(
            pc.cast(pc.cast(values, pa.time64("us"), safe=False), pa.string()), r"\.?0+$", ""
        )
    return pc.cast(values, pa.string())


def text_of_points(points: Floats, kind: Kind, *, whole: bool, zone: bool = False) -> list[str]:
    """Write points that need not be anyone's value as text: ends of grid intervals."""
    if kind == "number":
        numbers = pa.array(np.round(points).astype(np.int64)) if whole else pa.array(points)
        return list(text_of(numbers).to_pylist())
    if kind == "date":
        return [str(day) for day in points.astype(np.int64).astype("datetime64[D]")]
    micros = pa.array(np.round(points * 1e6).astype(np.int64))
    if kind == "clock":
        return list(
            text_of(
                pc.cast(pc.min_element_wise(micros, 86_399_999_999), pa.time64("us"))
            ).to_pylist()
        )
    return list(text_of(pc.cast(micros, pa.timestamp("us", "UTC" if zone else None))).to_pylist())


def _text_of_times(values: pa.Array) -> pa.Array:
    """Write times in ISO form with a T, without a fraction of zero.

    In UTC and with a Z where the column has a time zone.
    """
    plain = pc.cast(
        pc.cast(values, pa.timestamp("us", values.type.tz), safe=False), pa.timestamp("us")
    )
    text = pc.strftime(plain, format="%Y-%m-%dT%H:%M:%S")
    text = pc.replace_substring_regex(text, r"\.?0*$", "") if _has_fraction(text) else text
    return pc.binary_join_element_wise(text, "Z", "") if values.type.tz else text


def _has_fraction(text: pa.Array) -> bool:
    """Tell if times are spelled with a fraction of a second.

    Arrow writes all times of a column alike.
    """
    return bool(pc.any(pc.match_substring(text, ".")).as_py())


def _text_of_decimals(values: pa.Array) -> pa.Array:
    """Write decimals in full: 0.0000000001, without exponents and trailing zeros.

    Only different values are converted.
    """
    encoded = pc.dictionary_encode(values)
    plain = [f"{value:f}" for value in encoded.dictionary.to_pylist()]
    plain = [text.rstrip("0").rstrip(".") if "." in text else text for text in plain]
    return pa.array(["0" if text == "-0" else text for text in plain], pa.string()).take(
        encoded.indices
    )
