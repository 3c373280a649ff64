"""Dates: labels by the calendar, zones, text, refusals."""

from __future__ import annotations

from datetime import date, datetime

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError


def test_labels_of_all_levels():
    tree = (
        Hierarchy.dates("day", "month", "quarter", "year", "decade")
        .fit(pa.array([date(2021, 3, 5)]), "date", "born")
        .tree
    )
    assert tree.paths() == [
        ("2021-03-05", "2021-03-05", "2021-03", "2021-Q1", "2021", "2020s", "*")
    ]


@given(st.lists(st.dates(), min_size=1, max_size=20, unique=True))
@settings(deadline=None)
def test_labels_agree_with_the_calendar(days):
    fitted = Hierarchy.dates("year", "month", "decade", "quarter").fit(
        pa.array(days), "date", "born"
    )
    paths = fitted.tree.paths()
    for day, leaf in zip(days, fitted.leaf, strict=True):
        quarter = f"{day.year:04d}-Q{(day.month + 2) // 3}"
        expected = (
            f"{day.year:04d}-{day.month:02d}",
            quarter,
            f"{day.year:04d}",
            f"{day.year - day.year % 10:04d}s",
            "*",
        )
        assert paths[leaf] == (day.isoformat(), *expected)


def test_times_fall_on_their_day_in_utc():
    stamps = pa.array(
        [datetime(2020, 12, 31, 23, 30), datetime(1969, 12, 31, 23, 59)], pa.timestamp("us")
    )
    assert [
        p[1:] for p in Hierarchy.dates("day", "year").fit(stamps, "time", "seen").tree.paths()
    ] == [("2020-12-31", "2020", "*"), ("1969-12-31", "1969", "*")]
    zoned = pa.array([datetime(2020, 12, 31, 23, 30)], pa.timestamp("us", "America/New_York"))
    text, year, _ = Hierarchy.dates("year").fit(zoned, "time", "seen").tree.paths()[0]
    assert text[:4] == year


def test_iso_dates_in_text():
    tree = (
        Hierarchy.dates("month")
        .fit(pa.array(["2021-03-05", "2021-03-06"]), "category", "born")
        .tree
    )
    assert tree.written[tree.ancestor(0, 1)] == "2021-03"


@pytest.mark.parametrize(
    ("values", "kind"), [(["5.3.2021"], "category"), ([20210305], "number"), ([True], "category")]
)
def test_columns_without_dates_are_refused(values, kind):
    with pytest.raises(DataError, match="holds no dates") as caught:
        Hierarchy.dates().fit(pa.array(values), kind, "born")
    assert "2021" not in str(caught.value)


def test_bad_levels_are_refused():
    with pytest.raises(RecipeError, match="did you mean 'month'"):
        Hierarchy.dates("months")
    with pytest.raises(RecipeError, match="each once"):
        Hierarchy.dates("year", "year")
