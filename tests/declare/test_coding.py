"""Coding: values are rounded and capped in decimals, and what is odd is refused in one sentence."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.declare.coding import Coding, coded_table, codings_of
from shoal.declare.columns import text_of
from shoal.declare.open_ends import at_least, at_most, bare, bare_ends, bare_texts
from shoal.encode.profile import profile
from shoal.errors import DataError, RecipeError, ShoalError

STEPS = st.sampled_from(["0.01", "0.1", "0.3", "1", "7", "100"])
HUNDREDTHS = st.lists(st.integers(-200_000, 200_000), min_size=1, max_size=20)


def texts(column: pa.Array) -> list[str]:
    return text_of(column).to_pylist()


@given(HUNDREDTHS, STEPS)
def test_rounded_values_are_the_nearest_multiples_without_float_noise(hundredths, step):
    values = [number / 100 for number in hundredths]
    rounded = texts(Coding("c", step=step).coded(pa.array(values)))
    for value, text in zip(values, rounded, strict=True):
        assert (Fraction(text) / Fraction(step)).denominator == 1
        assert abs(Fraction(text) - Fraction(str(value))) <= Fraction(step) / 2


def test_halves_go_to_the_even_multiple():
    column = pa.array([50, 150, 250, -50, -150])
    assert texts(Coding("c", step="100").coded(column)) == ["0", "200", "200", "0", "-200"]
    tenths = pa.array([0.05, 0.15, 0.25, 0.35])
    assert texts(Coding("c", step="0.1").coded(tenths)) == ["0", "0.2", "0.2", "0.4"]


@given(HUNDREDTHS, STEPS, st.integers(-50, 50), st.integers(1, 50))
def test_coding_twice_changes_nothing_and_passes_no_end(hundredths, step, low, wide):
    bottom = str(low * Decimal(step))
    top = str((low + wide) * Decimal(step))
    coding = codings_of({"c": top}, {"c": bottom}, {"c": float(step)})["c"]
    once = coding.coded(pa.array([number / 100 for number in hundredths]))
    assert coding.coded(once).equals(once)
    assert all(Decimal(bottom) <= Decimal(text) <= Decimal(top) for text in texts(once))
    shown = coding.shown(once).to_pylist()
    assert all(coding.allows(text) for text in shown)
    assert [bare(text) for text in shown] == [
        f"{Decimal(text).normalize():f}" for text in texts(once)
    ]


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint16(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(21, 2)]
)
def test_every_type_of_number_keeps_its_type_and_missing_values(kind):
    column = pa.array([3, None, 44, 97], pa.int64()).cast(kind)
    coded = Coding("c", top="90", bottom="5", step="10").coded(column)
    assert coded.type == kind
    assert texts(coded) == ["5", None, "40", "90"]
    shown = Coding("c", top="90", bottom="5").shown(coded).to_pylist()
    assert shown == ["<=5", None, "40", "90+"]


def test_zero_is_one_value_and_nan_is_missing():
    coded = Coding("c", step="100", top="400").coded(pa.array([-30.0, 30.0, float("nan"), 900.0]))
    assert [str(value) for value in coded.to_pylist()] == ["0.0", "0.0", "None", "400.0"]


def test_whole_numbers_are_rounded_whatever_their_size():
    column = pa.array([2**62 + 51, -(2**62)])
    assert Coding("c", step="100").coded(column).to_pylist() == [
        (2**62 + 51 + 50) // 100 * 100,
        -((2**62 + 50) // 100 * 100),
    ]


def test_dates_are_capped_at_iso_dates():
    column = pa.array([dt.date(1931, 5, 1), dt.date(1999, 12, 31), dt.date(2004, 1, 2)])
    coding = Coding("born", top="2000-01-01", bottom="1940-01-01")
    shown = coding.shown(coding.coded(column)).to_pylist()
    assert shown == ["<=1940-01-01", "1999-12-31", "2000-01-01+"]


def test_a_coded_profile_counts_values_that_meet():
    column = profile(pa.array([91, 3, None, 95, 40, 3]), "age")
    coded = column.coded(Coding("age", top="90"))
    assert texts(coded.values) == ["3", "40", "90"]
    assert coded.counts.tolist() == [2, 1, 2]
    assert coded.codes.tolist() == [2, 0, 3, 2, 1, 0]
    assert coded.shown.to_pylist() == ["3", "40", "90+"]


@pytest.mark.parametrize(
    ("values", "asked", "settled"),
    [
        (range(1, 101), {"top": "p99"}, "100"),
        ([18, *range(18, 82), 97], {"top": "p95"}, "80"),
        (range(8124), {"top": "p99"}, "8500"),
        ([0.5, 0.25, 0.75, 0.1], {"top": "p75"}, "0.5"),
        (range(1, 101), {"top": "p90", "step": "30"}, "90"),
        ([7] * 9, {"top": "p99"}, "7"),
    ],
)
def test_a_percentile_is_settled_at_a_round_number_outward_of_it(values, asked, settled):
    column = profile(pa.array(list(values)), "c")
    coding = Coding("c", **asked).settled(column.values, column.counts)
    assert coding.top == settled
    assert not coding.unsettled
    ranked = np.sort(np.asarray(list(values), np.float64))
    share = float(asked["top"][1:]) / 100
    assert float(settled) >= ranked[int(np.ceil(share * len(ranked))) - 1]


def test_a_low_percentile_is_taken_downward():
    column = profile(pa.array(list(range(1, 1001))), "c")
    assert Coding("c", bottom="p1").settled(column.values, column.counts).bottom == "0"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"top": {"c": float("nan")}}, "top of 'c'"),
        ({"top": {"c": "inf"}}, "top of 'c'"),
        ({"top": {"c": "p101"}}, "top of 'c'"),
        ({"top": {"c": "p0"}}, "top of 'c'"),
        ({"top": {"c": "p1"}}, "top of 'c'"),
        ({"top": {"c": "old"}}, "top of 'c'"),
        ({"top": {"c": "2000-13-01"}}, "top of 'c'"),
        ({"bottom": {"c": "p99"}}, "bottom of 'c'"),
        ({"step": {"c": 0}}, "round of 'c'"),
        ({"step": {"c": -5}}, "round of 'c'"),
        ({"step": {"c": float("nan")}}, "round of 'c'"),
        ({"top": {"c": 5}, "bottom": {"c": 90}}, "above its bottom"),
        ({"top": {"c": 5}, "bottom": {"c": 5}}, "above its bottom"),
        ({"top": {"c": 5}, "bottom": {"c": "2000-01-01"}}, "above its bottom"),
        ({"top": {"c": 95}, "step": {"c": 10}}, "no multiple"),
        ({"top": {"c": "2000-01-01"}, "step": {"c": 10}}, "no multiple"),
    ],
)
def test_odd_ends_and_steps_are_one_error_each(asked, words):
    coding = codings_of(asked.get("top", {}), asked.get("bottom", {}), asked.get("step", {}))["c"]
    (error,) = coding.problems()
    assert words in str(error)
    assert error.exit_code == 2


@pytest.mark.parametrize(
    ("column", "coding", "error"),
    [
        (pa.array(["a", "b"]), Coding("c", top="90"), RecipeError),
        (pa.array([True]), Coding("c", step="2"), RecipeError),
        (pa.array([1, 2]), Coding("c", top="2000-01-01"), RecipeError),
        (pa.array([1, 2]), Coding("c", step="0.75"), RecipeError),
        (pa.array([1, 2]), Coding("c", top="1.5"), RecipeError),
        (pa.array([1], pa.uint8()), Coding("c", top="300"), RecipeError),
        (pa.array([dt.date(2000, 1, 1)]), Coding("c", top="90"), RecipeError),
        (pa.array([dt.date(2000, 1, 1)]), Coding("c", step="10"), RecipeError),
        (pa.array([dt.datetime(2000, 1, 1, 5)]), Coding("c", top="2000-01-01"), RecipeError),
        (pa.array([1e300]), Coding("c", step="0.01"), DataError),
        (pa.array([float("inf")]), Coding("c", top="90"), DataError),
        (pa.array([127], pa.int8()), Coding("c", step="10"), RecipeError),
        (pa.array([1, 2]), Coding("c", top="p99"), RecipeError),
    ],
)
def test_columns_that_do_not_fit_are_refused_without_their_values(column, coding, error):
    with pytest.raises(error) as refused:
        coding.coded(column)
    assert isinstance(refused.value, ShoalError)
    assert "'c'" in str(refused.value)


def test_a_table_is_coded_and_shown_by_column():
    table = pa.table({"age": [95, 20], "cost": [140, 160], "other": ["x", "y"]})
    codings = codings_of({"age": 90}, {}, {"cost": 100})
    coded = coded_table(table, codings)
    assert coded.to_pydict() == {"age": [90, 20], "cost": [100, 200], "other": ["x", "y"]}
    assert coded_table(table, codings, ("age",))["age"].to_pylist() == ["90+", "20"]


@given(st.integers().map(str) | st.floats(allow_nan=False, allow_infinity=False).map(repr))
def test_marks_come_off_as_they_were_put_on(text):
    assert bare(at_least(text)) == bare(at_most(text)) == bare(text) == text
    assert bare_ends(at_most(text), at_least(text)) == (text, text)
    assert bare_texts(pa.array([at_least(text), text, None])).to_pylist() == [text, text, None]


@pytest.mark.parametrize(
    ("lower", "upper", "allowed"),
    [
        ("80", "90+", True),
        ("<=5", "20", True),
        ("<=5", "90+", True),
        ("90", "90+", True),
        ("<=5", "5", True),
        ("20", "40", True),
        ("80", "90", False),
        ("80", "95", False),
        ("80", "95+", False),
        ("5", "20", False),
        ("0", "20", False),
        ("<=0", "20", False),
        ("90+", "95", False),
        ("40", "20", False),
        ("a", "b", False),
    ],
)
def test_ends_of_published_intervals_pass_no_coded_end(lower, upper, allowed):
    assert Coding("age", top="90", bottom="5").allows_ends(lower, upper) is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        *((text, True) for text in ("90+", "<=0", "50")),
        *((text, False) for text in ("55", "90", "0", "91", "-10", "80+", "<=10", "x", "")),
    ],
)
def test_published_values_lie_inside_and_on_the_step(text, allowed):
    assert Coding("age", top="90", bottom="0", step="10").allows(text) is allowed


@pytest.mark.parametrize("top", [90, "p90"])
def test_texts_that_are_no_numbers_are_refused_with_what_helps(top: Any) -> None:
    people = pa.table({"age": list(range(40)), "cost": ["4,5", "k.A."] * 20})
    asked = {"quasi": ["age"], "sensitive": ["cost"], "k": 5, "method": "mondrian"}
    with pytest.raises(RecipeError, match="neither numbers nor dates") as refused:
        shoal.anonymize(people, **asked, top={"cost": top})
    assert "na=" in str(refused.value) and "read_as=" in str(refused.value)
    assert shoal.anonymize(people, **asked, top={"cost": top}, na=["k.A."]).table.num_rows == 40


def test_a_percentile_of_dates_is_refused_with_a_date() -> None:
    days = pa.array(range(9_000, 9_040), pa.int32()).cast(pa.date32())
    with pytest.raises(RecipeError, match="give a date"):
        shoal.anonymize(pa.table({"born": days}), quasi=["born"], k=5, top={"born": "p90"})
