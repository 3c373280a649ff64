"""Suggestions: each kind of column gets the hierarchy that suits it, and every suggestion fits its
column.
"""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.columns import kind_of
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.suggesting import round_width, suggested
from shoal.encode.profile import profile

DAYS = [datetime.date(1990 + i, 1 + i, 3) for i in range(9)]


@pytest.mark.parametrize(
    ("values", "hierarchy"),
    [
        ([18, 20, 23, 31, 95], Hierarchy.intervals(5)),
        ([0.1, 0.2, 0.3, 0.4, 0.5], Hierarchy.intervals(0.02)),
        ([1, 2, 3, 4, 5, 6], Hierarchy.intervals(2)),
        ([0, 1], Hierarchy.flat()),
        (DAYS, Hierarchy.dates()),
        ([str(day) for day in DAYS], Hierarchy.dates()),
        ([f"2021-13-0{i}" for i in range(9)], Hierarchy.masks(10)),
        (["0150", "0151", "0250", "3010", "5003"], Hierarchy.masks(4)),
        (["Oslo", "Rome", "Bonn", "Bern", "Kyiv"], Hierarchy.flat()),
        (["a1", "b22", "c333", "d4", "e5"], Hierarchy.flat()),
        ([datetime.time(h, 30) for h in range(9)], Hierarchy.intervals(3600)),
        ([*range(9), 2**53], Hierarchy.flat()),
    ],
)
def test_what_suits_a_column(values, hierarchy):
    array = pa.array(values)
    assert suggested(array, kind_of(array.type, "c")) == hierarchy


@given(
    st.one_of(
        st.lists(st.integers(-(2**53), 2**53)),
        st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32)),
        st.lists(st.dates()),
        st.lists(st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))),
        st.lists(st.times()),
        st.lists(st.text(max_size=5)),
        st.lists(st.from_regex(r"\d{4}", fullmatch=True)),
        st.lists(st.booleans()),
    )
)
def test_every_suggestion_fits_its_column(values):
    column = profile(pa.array(values), "c")
    fitted = suggested(column.values, column.kind).fit(
        column.values, column.kind, "c", column.counts
    )
    assert len(fitted.tree.leaves) == len(column.values)
    assert round_width(column.values, column.kind) > 0


def test_midnight_is_a_time_of_day():
    column = profile(pa.array([datetime.time(hour) for hour in range(24)]), "c")
    fitted = suggested(column.values, column.kind).fit(
        column.values, column.kind, "c", column.counts
    )
    assert len(fitted.tree.leaves) == 24 and fitted.tree.labels[fitted.tree.root] == "*"
