"""Formulas: what a spreadsheet would run is counted, and kept out of CSV files."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.adapters.formulas import formulas, refuse_formulas
from shoal.errors import DataError

RUN = [
    "=1+1",
    "@SUM(A1)",
    "+cmd|' /C calc'!A0",
    "-1+2",
    "\tx",
    "\rx",
    "\nx",
    "--5",
    "+",
    "-",
    "-inf",
    "=",
    "+49***",
]
RUN += [
    "x;=1+cmd|calc",
    "x\t@SUM(A1)",
    "x|+1+1",
    "x,-1+2",
    'x;"=1"',
    "x\n=1",
    "x\r\n=1",
    "1;2;=3",
    "x;;--5",
    "a, b;=c",
]
SHOWN = [
    "",
    "-5",
    "+5.5",
    "-.5",
    "-1e-5",
    "1=1",
    " =1",
    "[-5, 3]",
    "*",
    "Oslo",
    '"=1"',
    "-0",
    "-5,5",
]
SHOWN += ["x;-5", "a, -b", "[-5, -3]", "x;+5.5|-1e-5", "x;", 'x;"-5', "a;b=c", "x; =1", "1,-2,3"]


@pytest.mark.parametrize("text", RUN)
def test_what_would_be_run(text):
    assert formulas(pa.table({"a": [text, None, "x"]})) == {"a": 1}


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown(text):
    assert formulas(pa.table({"a": [text, None, "x"]})) == {}


def test_every_cell_counts_and_so_does_a_name():
    chunks = pa.chunked_array([["=1", "=1"], ["=2", "x"]])
    assert formulas(
        pa.table({"=a": chunks, "b": [-1, -2, -3, -4], "c": pa.array(["@"] * 4, pa.large_string())})
    ) == {"=a": 4, "c": 4}


@given(st.lists(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers())))
def test_no_number_is_a_formula(numbers):
    assert (
        formulas(pa.table({"a": pa.array([repr(number) for number in numbers], pa.string())})) == {}
    )


def test_csv_is_refused_with_counts_and_without_cells():
    table = pa.table({"note": ["=SECRET()", "=SECRET()", "fine"]})
    for name in ("out.csv", "out.tsv", "out.csv.gz", "-"):
        with pytest.raises(DataError) as refused:
            refuse_formulas(table, name)
        assert (
            "SECRET" not in str(refused.value)
            and "'note': 2" in str(refused.value)
            and ".parquet" in str(refused.value)
        )
    for name in ("out.parquet", "OUT.ARROW", "out.feather"):
        refuse_formulas(table, name)
    refuse_formulas(pa.table({"note": ["fine"]}), "out.csv")
