"""Formulas: what a spreadsheet would run is counted, and kept out of CSV files."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.adapters import files
from shoal.adapters.formulas import formulas, refuse_formulas
from shoal.errors import DataError

RUN = [
    "=1+1",
    "=x",
    "=cmd()",
    '="x"',
    "@SUM(A1)",
    "@x",
    "+cmd|' /C calc'!A0",
    "+1+cmd|' /C calc'!A0",
    "-1+2",
    "-2-3",
    "--f(5)",
    "-A1",
    "+$B$2",
    "-r1c1",
    "-x!A1",
    "-a&b",
    "+x|y",
    "\t=1",
    "\r+f()",
    "\n@x",
    "\0=1",
    "\ufeff=1",
    "＝1+1",
    "＋f()",
    "=\nf()",
    "=-1",
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
    "x;;--f(5)",
    "a, b;=c",
    "x;-cmd|' /C calc'!A0",
    "-x;=f()",
]
SHOWN = [
    "",
    "-",
    "--",
    "---",
    "+",
    "=",
    "@",
    "==",
    "=>",
    "+/-",
    "- ",
    "--z",
    "-z",
    "-inf",
    "- none",
    "-keine Angabe-",
    "+ärztlich",
    "+49 30 1234567",
    "+49***",
    "-5*",
    "--5",
    "-5 %",
    "-5",
    "+5.5",
    "-.5",
    "-1e-5",
    "-1;-2",
    "-1,234.5",
    "1=1",
    " =1",
    "\tx",
    "\nx",
    "[-5, 3]",
    "*",
    "Oslo",
    '"=1"',
    "-0",
    "-5,5",
]
SHOWN += ["x;-5", "a, -b", "[-5, -3]", "x;+5.5|-1e-5", "x;", 'x;"-5', "a;b=c", "x; =1", "1,-2,3"]
SHOWN += ["x;-", "A-;-B", "C2H5OH", "a+b", "ward|-"]


@pytest.mark.parametrize("text", RUN)
def test_what_would_be_run(text):
    assert formulas(pa.table({"a": [text, None, "x"]})) == {"a": 1}


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown(text):
    assert formulas(pa.table({"a": [text, None, "x"]})) == {}


def test_every_cell_counts_and_so_does_a_name():
    chunks = pa.chunked_array([["=1", "=1"], ["=2", "x"]])
    assert formulas(
        pa.table(
            {"=a": chunks, "b": [-1, -2, -3, -4], "c": pa.array(["@x"] * 4, pa.large_string())}
        )
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


@given(
    st.text("+-=@xA1 .,;|(!*\t\n", max_size=8),
    st.sampled_from(["=f(1)", "@f(1)", "+f(1)", "-f(1)"]),
)
@settings(max_examples=40)
def test_a_call_is_found_behind_whatever_may_end_a_cell(before, call):
    for end in ("", ";", ",", "\t", "|", "\n", '";"'):
        text = f"{before}{end}{call}" if end else call
        assert formulas(pa.table({"a": [text]})) == {"a": 1}, text


def test_every_csv_file_is_refused_by_its_writer(tmp_path):
    table = pa.table({"note": ["fine", "=SECRET()"]})
    for name in ("out.csv", "out.tsv", "out.csv.gz", "out.txt", "out"):
        with pytest.raises(DataError, match="1 texts would be run"):
            files.write(table, tmp_path / name)
    assert not list(tmp_path.iterdir())
    for name in ("out.parquet", "out.arrow", "out.feather"):
        files.write(table, tmp_path / name)


def test_the_name_of_a_column_is_judged_too(tmp_path):
    with pytest.raises(DataError, match="would be run"):
        files.write(pa.table({"=f()": [1]}), tmp_path / "out.csv")
