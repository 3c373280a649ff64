"""Snapped ends: on a round grid, never inside the values, the same for everyone."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.cli.options import ways
from shoal.declare.columns import text_of
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.errors import ShoalError
from shoal.recode.cells import Interval
from shoal.recode.snapped import snap_numbers, snapped_intervals
from shoal.review.certificate import SNAPPED


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
        ([17, 37], "16", "38"),
        ([3, 11], "3", "11"),
        ([3, 13], "2", "14"),
        ([-3, 3], "-3", "3"),
        ([-1, 199], "-10", "200"),
        ([0.1, 0.3], "0.1", "0.3"),
        ([0.3, 2.3], "0.2", "2.4"),
        ([0.31, 2.3], "0.3", "2.3"),
        ([1.25, 7.75], "1", "8"),
        ([0.0, 1e-9], "0", "1e-9"),
        ([5e300, 9e300], "5e+300", "9e+300"),
        ([2**53 + 1, 2**53 + 3], "9007199254740993", "9007199254740995"),
        ([-(2**63), 2**63 - 1], "-9223372036854775808", "9223372036854775807"),
        ([day("2024-02-03"), day("2024-02-05")], "2024-02-03", "2024-02-05"),
        ([day("2024-02-03"), day("2024-05-05")], "2024-02-01", "2024-05-05"),
        ([day("2024-01-31"), day("2024-06-28")], "2024-01-21", "2024-06-30"),
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
            "2024-02-14T23:59:59.999999",
        ),
        (
            [time("2024-02-03T10:00"), time("2024-02-13T10:00")],
            "2024-02-03T00:00:00",
            "2024-02-14T23:59:59",
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


@given(st.lists(st.integers(0, 10_000), min_size=4, max_size=30, unique=True), st.data())
def test_the_grid_does_not_follow_single_rows(values, data):
    """Whoever stands between the least and the largest may come and go: other ends stay."""
    values = sorted(10 * value + 1 + value % 9 for value in values)  # no multiples of ten
    box = sorted(data.draw(st.permutations(values))[:2])
    others = data.draw(st.lists(st.sampled_from(values), max_size=10))
    ends = []
    for some in (values, [values[0], values[-1], *box, *others]):
        line = axis(pa.array(some))
        codes = np.arange(line.size, dtype=np.int32)
        places = np.searchsorted(np.asarray(line.values), box)
        lo = np.append(codes, places[0]).astype(np.int32)
        hi = np.append(codes, places[1]).astype(np.int32)
        first, last = snap_numbers(line, lo, hi)
        ends.append((first[-1], last[-1]))
    assert ends[0] == ends[1]


def test_nobody_far_outside_makes_the_intervals_of_others_wide():
    pay = [1_203, 1_377, 1_411, 1_684, 1_893, 2_048]
    boxes = [(0, 1), (2, 3), (4, 5)]
    cells = []
    for values in (pay, [*pay, 9_999_999]):
        line = axis(pa.array(values))
        lo, hi = (np.array(ends, np.int32) for ends in zip(*boxes, strict=True))
        top = np.array([line.size - 1], np.int32)
        snapped = snapped_intervals(line, np.append(lo, top), np.append(hi, top))
        cells.append(snapped[:3])
    assert cells[1] == [
        Interval("1200", "1380"),
        Interval("1400", "1700"),
        Interval("1880", "2060"),
    ]
    widths = [[float(cell.hi) - float(cell.lo) for cell in some] for some in cells]
    tight = [pay[b] - pay[a] for a, b in boxes]
    assert all(
        wide <= 1.5 * least for some in widths for wide, least in zip(some, tight, strict=True)
    )


def test_ends_in_a_small_range_tell_no_value():
    """Each end of an interval on even numbers may stand for two values."""
    line = axis(pa.array(range(1, 17)))
    pairs = [(a, b) for a in range(16) for b in range(a + 1, 16)]
    lo, hi = (np.array(ends, np.int32) for ends in zip(*pairs, strict=True))
    meant: dict[Interval, set[tuple[int, int]]] = {}
    for pair, cell in zip(pairs, snapped_intervals(line, lo, hi), strict=True):
        assert isinstance(cell, Interval)
        meant.setdefault(cell, set()).add(pair)
    inside = [pairs for cell, pairs in meant.items() if cell.lo != "0"]
    assert all(len({a for a, _ in some}) > 1 and len({b for _, b in some}) > 1 for some in inside)


@given(st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=30, unique=True))
def test_an_end_never_passes_zero(values):
    line = axis(pa.array(values))
    codes = np.arange(line.size, dtype=np.int32)
    lo = np.minimum(codes, codes[::-1])
    hi = np.maximum(codes, codes[::-1])
    for codes, ends in zip((lo, hi), snap_numbers(line, lo, hi), strict=True):
        for value, end in zip(np.asarray(line.values)[codes].tolist(), ends, strict=True):
            assert value * end >= 0


def test_values_on_a_coarse_lattice_move_by_more_than_one_of_its_steps():
    line = axis(pa.array([10_000 * n for n in range(1, 100)]))
    cell = snapped_intervals(line, np.arange(99, dtype=np.int32), np.arange(99, dtype=np.int32))
    assert len(cell) == 99
    lo, hi = np.arange(0, 98, dtype=np.int32), np.arange(1, 99, dtype=np.int32)
    for found in snapped_intervals(line, lo, hi):
        assert isinstance(found, Interval)
        assert int(found.lo) % 20_000 == 0 and int(found.hi) % 20_000 == 0


def test_ends_stay_inside_limits_that_everyone_knows(tmp_path):
    born = [day(f"{year}-03-0{n}") for year in range(1941, 2027, 5) for n in (1, 3)]
    table = pa.table({"born": born, "age": range(len(born))})
    asked = {"quasi": ["born", "age"], "k": 18, "seed": 1}
    free = shoal.anonymize(table, publish={"born": "snapped"}, **asked)
    assert max(text[-11:-1] for text in free.table["born"].to_pylist()) > "2026-12-31"
    limits = {"born": "snapped(last=2026-12-31)", "age": "snapped(first=0, last=36)"}
    kept = shoal.anonymize(table, publish=limits, **asked)
    assert max(text[-11:-1] for text in kept.table["born"].to_pylist()) == "2026-12-31"
    assert kept.certificate.public.recipe["publish"] == limits
    assert SNAPPED in kept.certificate.public.not_promised
    kept.write(tmp_path / "out.csv")
    assert shoal.verify(tmp_path / "out.csv", tmp_path / "out.csv.certificate.json").holds


@pytest.mark.parametrize(
    ("limits", "why"),
    [("last=1999-12-31", "beyond the limits"), ("first=soon", "'soon' is no limit of column")],
)
def test_limits_that_are_none_are_refused(limits: str, why: str):
    table = pa.table({"born": [day(f"{year}-03-01") for year in range(1941, 2027)]})
    with pytest.raises(ShoalError, match=why):
        shoal.anonymize(table, quasi="born", k=5, publish={"born": f"snapped({limits})"})


def test_the_terminal_takes_a_limit_of_one_column():
    typed = ["tight", "born=snapped:last=2026-12-31", "a=b=bounds"]
    assert ways(typed, ["born", "sex", "a=b"], "snapped") == {
        "born": "snapped:last=2026-12-31",
        "sex": "tight",
        "a=b": "bounds",
    }
