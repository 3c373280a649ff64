"""Snapped ends: on a round grid, never inside the values, the same for everyone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.columns import text_of
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.recode.cells import Interval
from shoal.recode.snapped import snap_numbers, snapped_intervals


def axis(values: pa.Array) -> Axis:
    return axis_of(profile(values, "x"), None)[0]


def whole_range(values: pa.Array) -> Interval:
    found = snapped_intervals(axis(values), np.array([0]), np.array([axis(values).size - 1]))[0]
    assert isinstance(found, Interval)
    return found


def day(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


def time(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("values", "lo", "hi"),
    [
        ([17, 90], "15", "90"),
        ([17, 37], "17", "37"),
        ([-3, 3], "-3", "3"),
        ([-1, 199], "-10", "200"),
        ([0.1, 0.3], "0.1", "0.3"),
        ([0.3, 2.3], "0.3", "2.3"),
        ([0.31, 2.3], "0.3", "2.3"),
        ([1.25, 7.75], "1", "8"),
        ([0.0, 1e-9], "0", "1e-9"),
        ([5e300, 9e300], "5e+300", "9e+300"),
        ([2**53 + 1, 2**53 + 3], "9007199254740993", "9007199254740995"),
        ([-(2**63), 2**63 - 1], "-9223372036854775808", "9223372036854775807"),
        ([day("2024-02-03"), day("2024-02-05")], "2024-02-03", "2024-02-05"),
        ([day("2024-02-03"), day("2024-05-05")], "2024-02-02", "2024-05-06"),
        ([day("2020-02-29"), day("2024-02-29")], "2020-01-01", "2024-03-31"),
        ([day("1969-12-31"), day("1970-01-01")], "1969-12-31", "1970-01-01"),
        ([day("1931-05-05"), day("1968-01-01")], "1930-01-01", "1969-12-31"),
        (
            [time("2024-02-03T10:11:12"), time("2024-02-03T10:11:50")],
            "2024-02-03T10:11:12",
            "2024-02-03T10:11:50",
        ),
        (
            [time("2024-02-03T10:11:12.5"), time("2024-02-03T23:00:01")],
            "2024-02-03T10:00:00",
            "2024-02-04T00:00:00",
        ),
        (
            [time("2024-02-03T23:59:59.5"), time("2024-02-13T23:59:59.5")],
            "2024-02-03T00:00:00",
            "2024-02-13T23:59:59.999999",
        ),
        (
            [time("2024-02-03T10:00"), time("2024-02-13T10:00")],
            "2024-02-03T00:00:00",
            "2024-02-13T23:59:59",
        ),
        ([dt.time(0, 1), dt.time(23, 59, 59, 999999)], "00:00:00", "23:59:59.999999"),
        ([dt.time(8, 10), dt.time(8, 50)], "08:10:00", "08:50:00"),
        ([Decimal("1.10"), Decimal("2.45")], "1.1", "2.5"),
        (
            [Decimal("1" + "0" * 36 + "1"), Decimal("1" + "0" * 36 + "3")],
            "1" + "0" * 36 + "1",
            "1" + "0" * 36 + "3",
        ),
    ],
)
def test_by_hand(values, lo, hi):
    assert whole_range(pa.array(values)) == Interval(lo, hi)


NUMBERS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.int8(): st.integers(-128, 127),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
    pa.float32(): st.floats(width=32, allow_nan=False, allow_infinity=False),
    pa.decimal128(20, 4): st.integers(-(10**19), 10**19).map(lambda n: Decimal(n).scaleb(-4)),
}
COLUMNS = st.sampled_from(list(NUMBERS)).flatmap(
    lambda kind: st.lists(NUMBERS[kind], min_size=2, max_size=12).map(
        lambda values: pa.array(values, kind)
    )
)


@given(COLUMNS, st.randoms())
def test_ends_lie_outside_and_on_a_grid_of_the_whole_range(values, random):
    line = axis(values)
    pairs = [[0, line.size - 1], *(sorted(random.choices(range(line.size), k=2)) for _ in range(5))]
    lo, hi = (np.array(ends, np.int32) for ends in zip(*pairs, strict=True))
    spelled = [Decimal(str(text)) for text in axis_texts(line)]
    first, last = snap_numbers(line, lo, hi)
    for code, end in zip(lo, first, strict=True):
        assert end <= spelled[code]
    for code, end in zip(hi, last, strict=True):
        assert end >= spelled[code]
    step = largest_step(spelled[0], spelled[-1], values.type)
    for codes, ends in ((lo, first), (hi, last)):
        assert all(abs(end - spelled[code]) < step for code, end in zip(codes, ends, strict=True))


def largest_step(least: Decimal, most: Decimal, kind: pa.DataType) -> Decimal:
    """No step of 1, 2 or 5 is 2.5 times as long as it has to be; whole numbers step by 1, floats in
    their 15th digit.
    """
    shortest = [Decimal(1)] if pa.types.is_integer(kind) or least == most else []
    if pa.types.is_floating(kind) and (least or most):
        shortest.append(Decimal(10) ** (max(abs(least), abs(most)).adjusted() - 14))
    return max(Decimal("2.5") * (most - least) / 20, *shortest, Decimal("1e-400")) * Decimal(
        "1.001"
    )


def axis_texts(line: Axis) -> list[str]:
    return text_of(line.values).to_pylist()


@given(st.lists(st.integers(0, 10_000), min_size=3, max_size=30, unique=True), st.data())
def test_the_grid_does_not_follow_single_rows(values, data):
    """Whoever stands between the least and the largest may come and go: ends stay multiples of one
    step.
    """
    ends = [min(values), max(values)]
    fewer = [*ends, *data.draw(st.lists(st.sampled_from(values), max_size=10))]
    steps = set()
    for some in (values, fewer):
        line = axis(pa.array(some))
        lo = np.arange(line.size - 1, dtype=np.int32)
        hi = np.arange(1, line.size, dtype=np.int32)
        step = step_of(max(some) - min(some))
        steps.add(step)
        assert all(end % step == 0 for ends in snap_numbers(line, lo, hi) for end in ends)
    assert len(steps) == 1


def step_of(span: int) -> int:
    """The rule of the page, for whole numbers."""
    return next(m * 10**p for p in range(20) for m in (1, 2, 5) if 20 * m * 10**p >= span)
