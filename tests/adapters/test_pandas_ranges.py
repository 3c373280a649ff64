"""Columns of pandas and Polars that are no plain numbers, dates or texts."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.adapters.frames import to_arrow
from shoal.errors import DataError

AGES = [n % 80 for n in range(160)]


def column(values: Any) -> pa.Array:
    return to_arrow(pd.DataFrame({"a": values}))[0]["a"].chunk(0)


def test_categories_of_cut_are_spelled_as_bands() -> None:
    bins = pd.cut(pd.Series(AGES), [-np.inf, 18, 40, 65, np.inf])
    assert set(column(bins).to_pylist()) == {"<=18", "(18, 40]", "(40, 65]", ">65"}
    bins = pd.cut(pd.Series(AGES), [0, 18, 40, 65, np.inf], right=False)
    assert set(column(bins).to_pylist()) == {"[0, 18)", "[18, 40)", "[40, 65)", ">=65"}
    assert set(column(pd.qcut(pd.Series(AGES), 4)).to_pylist()) >= {"(19.75, 39.5]"}


def test_missing_and_unused_categories_of_cut() -> None:
    bins = pd.cut(pd.Series([1.0, None, 50.0]), [0, 10, 20, 60])
    assert column(bins).to_pylist() == ["(0, 10]", None, "(20, 60]"]


def test_bands_of_cut_are_released() -> None:
    bins = pd.cut(pd.Series(AGES), [0, 18, 40, 65, 99], right=False)
    frame = pd.DataFrame({"age": bins, "ill": AGES})
    release = shoal.anonymize(frame, quasi=["age"], k=5, seed=1)
    assert isinstance(release.table, pd.DataFrame)
    assert not release.table["age"].eq("*").any()
    assert shoal.inspect(frame).columns[0].understood.startswith("ranges of numbers")


def test_intervals_with_both_ends() -> None:
    both = pd.arrays.IntervalArray.from_tuples([(10, 19), (-5, 0)], closed="both")
    assert column(pd.Series(both)).to_pylist() == ["10-19", "-5 to 0"]


@pytest.mark.parametrize(
    ("frequency", "first"),
    [
        ("D", datetime.date(2024, 1, 31)),
        ("M", "2024-01"),
        ("Q", "2024-Q1"),
        ("Y", 2024),
        ("W", datetime.datetime(2024, 1, 29)),
    ],
)
def test_periods_are_dates_or_numbers(frequency: str, first: object) -> None:
    days = pd.Series(pd.to_datetime(["2024-01-31", None]))
    assert column(days.dt.to_period(frequency)).to_pylist() == [first, None]


def test_periods_are_understood_as_dates() -> None:
    days = pd.Series(pd.date_range("2020-01-01", periods=60, freq="MS"))
    for frequency, said in (("M", "months"), ("Q", "quarters"), ("D", "dates")):
        frame = pd.DataFrame({"seen": days.dt.to_period(frequency)})
        assert shoal.inspect(frame).columns[0].understood.startswith(said)
        release = shoal.anonymize(frame, quasi=["seen"], k=3, seed=1)
        assert not release.table["seen"].eq("*").any()


def test_spans_of_time_are_refused_by_what_they_are() -> None:
    spans = pd.to_timedelta(range(20), unit="h")
    for frame in (pd.DataFrame({"stay": spans}), pl.DataFrame({"stay": list(spans)})):
        with pytest.raises(DataError, match="spans of time"):
            shoal.anonymize(frame, quasi=["stay"], k=3)


def test_mixed_columns_are_refused_without_a_cell() -> None:
    for values in ([1, "Erika"], [datetime.date(2020, 1, 1), "Erika"], [[1], {"Erika": 2}]):
        with pytest.raises(DataError, match="different types") as error:
            column(pd.Series(values, dtype=object))
        assert "Erika" not in str(error.value)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([20, 30, None] * 5, dtype="Int64"),
        pd.Series([20, 30, None] * 5, dtype="int64[pyarrow]"),
        pd.Series(["a", "b", None] * 5, dtype="string"),
        pd.Series(pd.Categorical(["low", "high", None] * 5, ["low", "high"], ordered=True)),
        pd.Series(pd.to_datetime(["2020-01-01", "2020-05-05", None] * 5)).dt.tz_localize("UTC"),
        pl.Series(["low", "high", None] * 5, dtype=pl.Enum(["low", "high", "unused"])),
        pl.Series(["low", "high", None] * 5, dtype=pl.Categorical),
        pl.Series([datetime.date(2020, 1, 1), datetime.date(2020, 2, 1), None] * 5),
    ],
)
def test_other_columns_are_released_as_they_are(values: Any) -> None:
    library = pl if isinstance(values, pl.Series) else pd
    release = shoal.anonymize(library.DataFrame({"a": values}), quasi=["a"], k=5)
    assert len(release.table) == 15
    assert isinstance(release.table, library.DataFrame)
    assert release.table.shape == (15, 1)
