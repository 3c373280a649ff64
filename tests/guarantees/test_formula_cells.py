"""Formulas: no door and no engine writes a cell that a spreadsheet would run into a CSV file."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as door
from shoal.errors import DataError
from terminal import shoal

ROWS = 40
FORMULA = "+1+cmd|' /C secret'!A0"
CALL = ("-q", "age", "-s", "note", "-k", "2")


def people(text: str = FORMULA, name: str = "note") -> pa.Table:
    notes = [text, "fine", "well", "good"] * (ROWS // 4)
    return pa.table({"age": [20 + row % 5 for row in range(ROWS)], name: notes})


@pytest.fixture
def source(tmp_path: Path) -> Path:
    pq.write_table(people(), tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


@pytest.mark.parametrize("memory", [(), ("--memory", "2GB")], ids=["local", "disk"])
@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.csv.gz"])
def test_a_release_as_csv_is_refused_at_the_terminal(source, memory, name):
    said = shoal("anonymize", source, "-o", source.parent / name, *CALL, *memory)
    assert said.code == 3 and "would be run as formulas" in said.err, said.err
    assert "secret" not in said.err and "'note'" in said.err and ".parquet" in said.err
    assert [path.name for path in source.parent.iterdir()] == ["in.parquet"]


def test_standard_output_is_refused_and_stays_empty(source):
    said = shoal("anonymize", source, "-o", "-", *CALL)
    assert said.code == 3 and said.out == "" and "secret" not in said.err


@pytest.mark.parametrize("memory", [(), ("--memory", "2GB")], ids=["local", "disk"])
def test_parquet_is_written(source, memory):
    out = source.parent / "out.parquet"
    said = shoal("anonymize", source, "-o", out, *CALL, *memory)
    assert said.code == 0, said.err
    assert FORMULA in pq.read_table(out)["note"].to_pylist()


def test_a_release_from_python_is_refused_in_another_format_too(source):
    for asked in ({}, {"memory": "2GB"}):
        made = door.anonymize(str(source), quasi="age", sensitive="note", k=2, **asked)
        with pytest.raises(DataError, match="would be run"):
            made.write(source.parent / "out.csv")
        assert [path.name for path in source.parent.iterdir()] == ["in.parquet"]


def test_a_distorted_table_is_refused(source):
    out = source.parent / "out.csv"
    said = shoal("distort", source, "-o", out, "--columns", "age", "--as-published")
    assert said.code == 3 and "would be run" in said.err, said.err
    assert not out.exists()


def test_names_and_labels_are_judged_and_signs_are_not(tmp_path):
    tree = tmp_path / "ward.csv"
    tree.write_text("a;=f();*\nb;=f();*\n")
    table = pa.table(
        {"ward": ["a", "b"] * 20, "note": ["-", "-", "--z", "--z", "-5", "-5", "+", "+"] * 5}
    )
    labelled = door.anonymize(table, quasi="ward", k=30, hierarchies={"ward": str(tree)})
    with pytest.raises(DataError, match="would be run"):
        labelled.write(tmp_path / "out.csv")
    named = door.anonymize(people("x", "=f()"), quasi="age", sensitive="=f()", k=2)
    with pytest.raises(DataError, match="would be run"):
        named.write(tmp_path / "out.csv")
    door.anonymize(table, quasi="ward", sensitive="note", k=2).write(tmp_path / "signs.csv")
    assert (tmp_path / "signs.csv").exists()
