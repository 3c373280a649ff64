"""Open ends: every recoder writes them, they read back, and nothing beyond them is published."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.coding import Coding
from shoal.declare.columns import text_of
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.groups import Groups
from shoal.kernels.costs import boxes as boxes_of
from shoal.recode.cells import Interval, Value, ends_of, is_open, read, write
from shoal.recode.reading import printed, runs
from shoal.recode.recoder import Boxes, Recoder
from shoal.registry import names
from shoal.review.coded_ends import is_as_coded
from shoal.review.coverage import refuse_untrue

RECODERS = names(Recoder)
KINDS = [pa.int64(), pa.float64(), pa.decimal128(21, 2), pa.date32()]
DAY_ZERO = dt.date(1970, 1, 1)


def end_of(number: int, kind: pa.DataType) -> str:
    if pa.types.is_date(kind):
        return (DAY_ZERO + dt.timedelta(days=number)).isoformat()
    return str(number)


def published(
    values: list[int | None], kind: pa.DataType, coding: Coding, recoder: Recoder, k: int
) -> tuple[Boxes, pa.Table]:
    wholes = pa.array(values, pa.int32())
    column = profile(wholes.cast(kind), "age").coded(coding)
    axis, codes = axis_of(column, None)
    groups = Groups.of(np.arange(len(values)) // k)
    lo, hi = boxes_of(codes[None], groups.labels, groups.count)
    box = Boxes(axis, codes, groups, lo[0], hi[0])
    return box, pa.table(recoder.publish(box))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.none() | st.integers(0, 120), min_size=3, max_size=24),
    st.sampled_from(KINDS),
    st.sampled_from(sorted(RECODERS)),
    st.integers(0, 50),
    st.integers(1, 70),
    st.integers(1, 4),
)
def test_no_recoder_publishes_what_lies_beyond_the_ends(values, kind, name, low, wide, k):
    coding = Coding("age", top=end_of(low + wide, kind), bottom=end_of(low, kind))
    recoder = RECODERS[name]()
    box, table = published(values, kind, coding, recoder, k)
    assert is_as_coded(table, coding, quasi=True, centre=not recoder.covers)
    if not recoder.covers:
        return
    refuse_untrue(box, {name: table[name].combine_chunks() for name in table.column_names}, name)
    # read on the uncoded values, every cell covers the people of its group
    raw, codes = axis_of(profile(pa.array(values, pa.int32()).cast(kind), "age"), None)
    column = printed(table, "age")
    covered = runs(raw, column.cells)
    cell = column.cell[box.groups.labels]
    assert not covered.unread.any()
    assert (covered.first[cell] <= codes).all() and (codes <= covered.last[cell]).all()


@given(st.integers(-99, 99), st.integers(1, 99))
def test_what_is_printed_reads_back(low, wide):
    for cell in (
        Value(f"{low}+"),
        Value(f"<={low}"),
        Interval(str(low), f"{low + wide}+"),
        Interval(f"<={low}", str(low + wide)),
        Interval(f"<={low}", f"{low + wide}+"),
    ):
        assert read(write(cell)) == cell
        assert {bool(mark) for mark in is_open(cell)} <= {True, False} and any(is_open(cell))
        assert all(float(end) in (low, low + wide) for end in ends_of(cell))


def test_snapped_intervals_end_at_the_top_and_the_bottom():
    ages = [3, 8, 30, 41, 83, 89, 97, 104]
    coding = Coding("age", top="90", bottom="5")
    _, table = published(ages, pa.int64(), coding, RECODERS["snapped"](), 2)
    assert table["age"].to_pylist() == ["[<=5, 8]", "[30, 42]", "[82, 90+]", "90+"]
    _, bounds = published(ages, pa.int64(), coding, RECODERS["bounds"](), 2)
    assert bounds["age_lo"].to_pylist() == ["<=5", "30", "82", "90"]
    assert bounds["age_hi"].to_pylist() == ["8", "42", "90+", "90+"]
    _, centres = published(ages, pa.int64(), coding, RECODERS["centre"](), 2)
    assert centres["age"].to_pylist() == [6.5, 35.5, 86.0, 90.0]


def test_bounds_keep_their_type_on_the_side_without_an_end():
    _, table = published(
        [3, 8, 95, 97], pa.int64(), Coding("age", top="90"), RECODERS["bounds"](), 2
    )
    assert table.schema.types == [pa.int64(), pa.string()]
    assert text_of(table["age_lo"].combine_chunks()).to_pylist() == ["2", "90"]


def test_an_open_end_covers_all_codes_beyond_it():
    axis, _ = axis_of(profile(pa.array([1, 5, 50, 90, 97, 101]), "age"), None)
    covered = runs(axis, [Value("90+"), Value("<=5"), Interval("40", "90+"), Interval("<=5", "60")])
    assert covered.first.tolist() == [3, 0, 2, 0]
    assert covered.last.tolist() == [5, 1, 5, 2]
    assert covered.high.tolist()[:1] == [90.0]


@pytest.mark.parametrize("text", ["[90+, 95]", "[5, <=20]", "<=5+", "+", "<="])
def test_marks_on_the_wrong_side_can_not_be_read(text):
    axis, _ = axis_of(profile(pa.array([1, 5, 50, 90, 97]), "age"), None)
    assert runs(axis, [read(text)]).unread.all()
