"""Intervals: known answers, containment for any numbers, and how they are published."""

from __future__ import annotations

import datetime
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.errors import DataError, RecipeError
from shoal.groups import Groups
from shoal.recode.cells import Interval, read
from shoal.recode.recoder import Boxes
from shoal.recode.snapped import Snapped


def paths(hierarchy, values, kind="number", counts=None):
    return hierarchy.fit(pa.array(values), kind, "age", counts).tree.paths()


def test_whole_numbers_in_disjoint_tens():
    assert paths(Hierarchy.intervals(10), [17, 25, 39, 40]) == [
        ("17", "[10, 19]", "[0, 19]", "[0, 39]", "*"),
        ("25", "[20, 29]", "[20, 39]", "[0, 39]", "*"),
        ("39", "[30, 39]", "[20, 39]", "[0, 39]", "*"),
        ("40", "[40, 49]", "[40, 59]", "[40, 79]", "*"),
    ]


def test_floats_in_touching_tenths_without_tails():
    found = paths(Hierarchy.intervals(0.1), [0.1, 0.2, 0.3, 0.7])
    assert [p[1] for p in found] == ["[0.1, 0.2]", "[0.2, 0.3]", "[0.3, 0.4]", "[0.7, 0.8]"]


def test_a_start_moves_the_grid():
    assert [p[1] for p in paths(Hierarchy.intervals(10, start=18), [17, 18, 27, 28])] == [
        "[8, 17]",
        "[18, 27]",
        "[18, 27]",
        "[28, 37]",
    ]


def test_given_edges_include_the_last():
    found = paths(Hierarchy.intervals(edges=[0, 18, 65, 120]), [0, 17, 18, 64, 65, 120])
    assert [p[1:] for p in found] == [("[0, 17]", "[0, 64]", "*")] * 2 + [
        ("[18, 64]", "[0, 64]", "*")
    ] * 2 + [("[65, 120]", "[65, 120]", "*")] * 2
    assert paths(Hierarchy.intervals(edges=[0, 18, 65]), [18.0, 65.0])[0][1] == "[18, 65]"


def test_values_outside_the_edges_are_counted():
    with pytest.raises(DataError) as caught:
        Hierarchy.intervals(edges=[0, 10]).fit(
            pa.array([-71, 5, 93]), "number", "age", np.array([2, 1, 3])
        )
    assert caught.value.facts == {"values concerned": 2, "rows concerned": 5}
    assert "71" not in str(caught.value) and "93" not in str(caught.value)


def test_quantiles_halve_level_by_level():
    tree = Hierarchy.intervals(quantiles=8).fit(pa.array(range(800)), "number", "age").tree
    assert [len(set(nodes.tolist())) for nodes in tree.node[1:]] == [8, 4, 2, 1]
    assert set(tree.leaf_count[tree.node[1]].tolist()) == {100}


def test_quantiles_follow_rows_and_round_their_ends():
    found = paths(
        Hierarchy.intervals(quantiles=2), [1234, 2345, 3456, 7891], counts=np.array([1, 1, 1, 997])
    )
    assert [p[1] for p in found] == [
        "[1000, 8000]"
    ] * 4  # all but three rows hold one value: no cut halves them
    found = paths(Hierarchy.intervals(quantiles=2), [1234, 2345, 3456, 7891])
    assert [p[1] for p in found] == ["[1000, 2999]"] * 2 + ["[3000, 8000]"] * 2


def test_a_quantile_of_the_largest_value_alone():
    found = paths(Hierarchy.intervals(quantiles=2), [1, 2, 100], counts=np.array([1, 1, 2]))
    assert [p[1] for p in found] == ["[0, 99]", "[0, 99]", "100"]


def test_an_interval_of_one_number_is_that_number():
    tree = Hierarchy.intervals(1).fit(pa.array([1, 2, 3]), "number", "age").tree
    assert tree.height[tree.root] == 2 and tree.written[tree.node[1, 0]] == "1"


def test_dates_and_times():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 8), datetime.date(2020, 1, 9)]
    assert [p[1] for p in paths(Hierarchy.intervals(7), days, "date")] == [
        "[2019-12-26, 2020-01-01]",
        "[2020-01-02, 2020-01-08]",
        "[2020-01-09, 2020-01-15]",
    ]
    times = [datetime.time(9, 30), datetime.time(23, 30)]
    assert [p[1] for p in paths(Hierarchy.intervals(3600), times, "clock")] == [
        "[09:00:00, 10:00:00]",
        "[23:00:00, 23:59:59.999999]",
    ]
    stamp = pa.array([datetime.datetime(2020, 1, 1, 9, 30)], pa.timestamp("us", "UTC"))
    tree = Hierarchy.intervals(86400).fit(stamp, "time", "seen").tree
    assert tree.paths()[0][1] == "[2020-01-01T00:00:00Z, 2020-01-02T00:00:00Z]"


numbers = st.one_of(
    st.lists(st.integers(-(2**45), 2**45), min_size=1, max_size=30, unique=True),
    st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=30, unique=True),
    st.lists(st.integers(-500, 500).map(lambda n: n / 10), min_size=1, max_size=30, unique=True),
)
kinds = st.one_of(
    st.sampled_from([0.1, 0.25, 1, 3, 10, 1e6, 1e18]).map(lambda width: {"width": width}),
    st.integers(2, 9).map(lambda q: {"quantiles": q}),
    st.just({"edges": (-1e16, -12.5, 0, 7, 1e3, 1e16)}),
    st.tuples(st.sampled_from([0.3, 7]), st.floats(-100, 100)).map(
        lambda t: {"width": t[0], "start": t[1]}
    ),
)


@given(numbers, kinds, st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_every_interval_contains_its_values_and_lies_in_the_next(values, given_, fanout):
    array = pa.array(sorted({v + 0 for v in values}))
    tree = Hierarchy.intervals(**given_, fanout=fanout).fit(array, "number", "age").tree
    whole = pa.types.is_integer(array.type)
    for leaf, column in enumerate(tree.node.T):
        low = high = float(tree.leaves[leaf])
        for node in dict.fromkeys(column[1:].tolist()):
            if node in tree.ends:
                lo, hi = map(float, tree.ends[node])
                assert lo <= low and high <= hi
                low = lo
                high = hi
    if whole:
        lowest = sorted(
            {tuple(map(int, tree.ends[n])) for n in set(tree.node[1].tolist()) if n in tree.ends}
        )
        assert all(a[1] < b[0] for a, b in pairwise(lowest))
    leaves = [float(text) for text in tree.leaves]
    assert leaves == sorted(leaves)


def test_intervals_are_published_as_intervals_and_not_quoted():
    ages = profile(pa.array([17, 19, 25, 90]), "age")
    axis, codes = axis_of(ages, Hierarchy.intervals(10))
    groups = Groups.of(np.array([0, 0, 1, 1]))
    boxes = Boxes(axis, codes, groups, np.array([0, 2], np.int32), np.array([1, 3], np.int32))
    cells = Snapped().publish(boxes)["age"].to_pylist()
    assert cells == ["[10, 19]", "*"] and read(cells[0]) == Interval("10", "19")


def test_a_label_that_only_looks_like_an_interval_is_quoted():
    column = profile(pa.array(["a", "b", "c"]), "code")
    axis, codes = axis_of(column, Hierarchy.nested({"[1, 2]": ["a", "b"], "x": ["c"]}))
    boxes = Boxes(
        axis,
        codes,
        Groups.of(np.array([0, 0, 1])),
        np.array([0, 2], np.int32),
        np.array([1, 2], np.int32),
    )
    assert Snapped().publish(boxes)["code"].to_pylist() == ['"[1, 2]"', "c"]


def test_only_quantiles_follow_the_data():
    assert Hierarchy.intervals(quantiles=4).from_data
    assert not Hierarchy.intervals(5).from_data and not Hierarchy.intervals(edges=[1, 2]).from_data


@pytest.mark.parametrize(
    "given_",
    [
        {},
        {"width": 0},
        {"width": -1},
        {"width": float("nan")},
        {"width": 1, "quantiles": 4},
        {"quantiles": 1},
        {"edges": [1]},
        {"edges": [2, 1]},
        {"edges": [0, float("inf")]},
        {"edges": [0, 1], "start": 3},
        {"width": 1, "fanout": 1},
    ],
)
def test_bad_parameters_are_refused(given_):
    with pytest.raises(RecipeError):
        Hierarchy.intervals(**given_)


def test_columns_that_have_no_intervals_are_refused():
    with pytest.raises(DataError, match="holds text"):
        Hierarchy.intervals(10).fit(pa.array(["a"]), "category", "age")
    with pytest.raises(DataError, match="too large"):
        Hierarchy.intervals(10).fit(pa.array([2**60]), "number", "age")
    with pytest.raises(RecipeError, match="too narrow"):
        Hierarchy.intervals(1e-300).fit(pa.array([1e10]), "number", "age")
