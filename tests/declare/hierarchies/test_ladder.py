"""Ladder: known answers, nesting for any numbers and dates, open ends, and what is chosen."""

from __future__ import annotations

import datetime
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.coding import Coding
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.ladder import Ladder
from shoal.errors import DataError, RecipeError

DATE = datetime.date


def paths(hierarchy, values, kind="number"):
    return hierarchy.fit(pa.array(values), kind, "age").tree.paths()


def test_whole_numbers_in_nested_disjoint_bands():
    assert paths(Hierarchy.ladder("5-10-20-40"), [17, 29, 30, 44]) == [
        ("17", "[15, 19]", "[10, 19]", "[0, 19]", "[0, 39]", "*"),
        ("29", "[25, 29]", "[20, 29]", "[20, 39]", "[0, 39]", "*"),
        ("30", "[30, 34]", "[30, 39]", "[20, 39]", "[0, 39]", "*"),
        ("44", "[40, 44]", "[40, 49]", "[40, 59]", "[40, 79]", "*"),
    ]


def test_floats_touch_and_a_value_on_an_end_belongs_to_the_upper_band():
    found = paths(Hierarchy.ladder([0.1, 0.5]), [-0.2, 0.1, 0.3, 0.5])
    assert [path[1:3] for path in found] == [
        ("[-0.2, -0.1]", "[-0.5, 0]"),
        ("[0.1, 0.2]", "[0, 0.5]"),
        ("[0.3, 0.4]", "[0, 0.5]"),
        ("[0.5, 0.6]", "[0.5, 1]"),
    ]


def test_a_start_moves_every_rung():
    found = paths(Hierarchy.ladder("5-10", start=18), [17, 18, 27, 28])
    assert [path[1:3] for path in found] == [
        ("[13, 17]", "[8, 17]"),
        ("[18, 22]", "[18, 27]"),
        ("[23, 27]", "[18, 27]"),
        ("[28, 32]", "[28, 37]"),
    ]


def test_dates_by_the_calendar():
    ladder = Hierarchy.ladder("month-quarter-year-5years")
    assert paths(ladder, [DATE(1969, 12, 31), DATE(2020, 2, 29)], "date") == [
        (
            "1969-12-31",
            "[1969-12-01, 1969-12-31]",
            "[1969-10-01, 1969-12-31]",
            "[1969-01-01, 1969-12-31]",
            "[1965-01-01, 1969-12-31]",
            "*",
        ),
        (
            "2020-02-29",
            "[2020-02-01, 2020-02-29]",
            "[2020-01-01, 2020-03-31]",
            "[2020-01-01, 2020-12-31]",
            "[2020-01-01, 2024-12-31]",
            "*",
        ),
    ]


def test_years_begin_where_they_are_told():
    found = paths(Hierarchy.ladder("year-5years", start=1901), [DATE(1905, 5, 5)], "date")
    assert found[0][2] == "[1901-01-01, 1905-12-31]"


def test_times_end_with_their_last_second():
    found = paths(Hierarchy.ladder("hour-day-month"), [datetime.datetime(2021, 3, 5)], "time")
    assert found[0][1:4] == (
        "[2021-03-05T00:00:00, 2021-03-05T00:59:59]",
        "[2021-03-05T00:00:00, 2021-03-05T23:59:59]",
        "[2021-03-01T00:00:00, 2021-03-31T23:59:59]",
    )
    found = paths(Hierarchy.ladder("hour-6hours"), [datetime.time(23, 5)], "clock")
    assert found[0][1:3] == ("[23:00:00, 23:59:59]", "[18:00:00, 23:59:59]")


def test_the_last_bands_are_open_where_the_column_is_capped():
    ladder = Ladder("5-10-20").within(Coding("age", top="90", bottom="18"))
    assert paths(ladder, [18, 21, 79, 88, 90]) == [
        ("<=18", "[<=18, 19]", "[<=18, 19]", "[<=18, 19]", "*"),
        ("21", "[20, 24]", "[20, 29]", "[20, 39]", "*"),
        ("79", "[75, 79]", "[70, 79]", "[60, 79]", "*"),
        ("88", "[85, 89]", "[80, 89]", "[80, 90+]", "*"),
        ("90+", "90+", "90+", "[80, 90+]", "*"),
    ]


def test_a_ladder_that_does_not_cover_the_data_is_refused_with_counts_and_no_value():
    with pytest.raises(DataError, match="does not cover") as caught:
        paths(Ladder("5-10", top="90", bottom="10"), [7, 50, 91, 104])
    assert caught.value.facts == {"values above its top": 2, "values below its bottom": 1}
    assert "104" not in str(caught.value) and "91" not in str(caught.value)


@pytest.mark.parametrize(
    ("widths", "words"),
    [
        ("5-12", "does not divide"),
        ("10-5", "does not divide"),
        ("10-10", "does not divide"),
        ("2days-month", "does not divide"),
        ("month-day", "does not divide"),
        ("month-10", "does not divide"),
        ("0-5", "no width"),
        ("5--10", "no width"),
        ("1.5months", "no width"),
        ("fortnight", "no width"),
    ],
)
def test_widths_that_make_no_ladder_are_refused(widths, words):
    with pytest.raises(RecipeError, match=words):
        Ladder(widths)


def test_a_top_below_the_bottom_is_refused():
    with pytest.raises(RecipeError, match="must lie above its bottom"):
        Ladder("5", top="10", bottom="20")


@pytest.mark.parametrize(
    ("widths", "values", "kind"),
    [
        ("year", [1, 2], "number"),
        ("hour", [DATE(2020, 1, 1)], "date"),
        ("month", [datetime.time(1)], "clock"),
    ],
)
def test_widths_of_another_kind_are_refused(widths, values, kind):
    with pytest.raises(RecipeError, match="ladder of column 'age'"):
        paths(Ladder(widths), values, kind)


def test_text_is_refused():
    with pytest.raises(DataError, match="holds text"):
        paths(Ladder("5"), ["a"], "category")


@pytest.mark.parametrize(
    ("values", "kind", "widths"),
    [
        ([17, 90], "number", "5-10-20-40"),
        ([0, 99_999], "number", "500-1000-5000-10000-20000-40000"),
        ([0, 300], "number", "5-10-50-100-200"),
        ([1, 16], "number", "5-10"),
        ([1, 8], "number", "2-4"),
        ([3, 3], "number", "2"),
        ([0.0, 0.37], "number", "0.005-0.01-0.05-0.1-0.2"),
        (
            [DATE(1930, 1, 1), DATE(2010, 1, 1)],
            "date",
            "month-quarter-year-5years-10years-20years-40years",
        ),
        ([DATE(2020, 1, 1), DATE(2020, 1, 9)], "date", "month"),
        ([datetime.time(1), datetime.time(2)], "clock", "15minutes-hour-3hours-6hours-12hours"),
        (
            [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 6, 1)],
            "time",
            "day-month-quarter-year",
        ),
    ],
)
def test_widths_are_chosen_by_the_range(values, kind, widths):
    assert Ladder().chosen(pa.array(values), kind).widths == widths


def test_what_is_chosen_tells_the_magnitude_and_no_value():
    chosen = {
        Ladder().chosen(pa.array([low, high]), "number").widths
        for low in range(20)
        for high in range(82, 110)
    }
    assert chosen == {"5-10-20-40"}


NUMBERS = st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=30, unique=True)
WIDTHS = st.sampled_from(["5-10-20-40", "2-10-20-100", "5-25-50-100", "7-49", "1-1000"])


@given(NUMBERS, WIDTHS, st.integers(-50, 50))
@settings(max_examples=200, deadline=None)
def test_bands_hold_their_values_nest_and_do_not_overlap(values, widths, start):
    values = sorted(values)
    tree = Ladder(widths, float(start)).fit(pa.array(values), "number", "age").tree
    for level in tree.node[1:-1]:
        bands = []
        for value, node in zip(values, level.tolist(), strict=True):
            low, high = map(int, tree.ends.get(node, (str(value), str(value))))
            assert low <= value <= high
            bands.append((low, high))
        different = sorted(set(bands))
        assert all(one[1] < two[0] for one, two in pairwise(different))
    for lower, upper in pairwise(tree.node):  # equal below means equal above
        assert len(set(zip(lower.tolist(), upper.tolist(), strict=True))) == len(
            set(lower.tolist())
        )


@given(NUMBERS)
@settings(deadline=None)
def test_chosen_widths_divide_each_other_and_are_narrower_than_the_range(values):
    ladder = Ladder().chosen(pa.array(sorted(values)), "number")
    reach = max(values) - min(values)
    widths = [Decimal(width) for width in ladder.widths.split("-")]
    assert all(two % one == 0 for one, two in pairwise(widths))
    assert all(width <= max(reach, 2) for width in widths)


@given(
    st.lists(st.dates(DATE(1, 1, 1), DATE(9999, 12, 31)), min_size=1, max_size=20, unique=True),
    st.sampled_from(["month-quarter-year-10years", "year-5years-20years-40years", "day-month"]),
)
@settings(max_examples=100, deadline=None)
def test_bands_of_dates_hold_their_values(values, widths):
    values = sorted(values)
    tree = Ladder(widths).fit(pa.array(values), "date", "born").tree
    for level in tree.node[1:-1]:
        for value, node in zip(values, level.tolist(), strict=True):
            low, high = tree.ends.get(node, (str(value), str(value)))
            assert DATE.fromisoformat(low) <= value <= DATE.fromisoformat(high)
