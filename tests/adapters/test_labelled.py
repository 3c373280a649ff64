"""Files of SPSS, Stata and SAS: labels are categories, and come back with the release."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import shoal
from shoal.adapters.files import read, write
from shoal.adapters.manner import manner_of
from shoal.errors import DataError, RecipeError
from terminal import shoal as typed

LABELS = {
    "sex": {1: "male", 2: "female"},
    "dx": {1: "flu", 2: "asthma", 3: "none", 4: "cancer"},
    "income": {999: "refused"},
}
WRITE = {"sav": "write_sav", "dta": "write_dta", "xpt": "write_xport"}
READ = {"sav": "read_sav", "dta": "read_dta", "xpt": "read_xport"}


def people() -> pl.DataFrame:
    rows = range(60)
    return pl.DataFrame(
        {
            "age": [20 + n % 30 for n in rows],
            "sex": [1 + n % 2 for n in rows],
            "income": [999 if n % 20 == 0 else 1000 + 50 * (n % 3) for n in rows],
            "dx": [1 + n % 3 for n in rows],
            "born": [datetime.date(1950 + n % 30, 1, 1) for n in rows],
            "zip": [None if n == 7 else f"0106{n % 3}" for n in rows],
        }
    )


def made(path: Path, **asked: Any) -> Path:
    ending = path.suffix[1:]
    if ending != "xpt":
        asked = {"variable_value_labels": LABELS} | asked
    labels = {"age": "Age in years", "dx": "Main diagnosis"}
    getattr(pyreadstat, WRITE[ending])(people(), str(path), column_labels=labels, **asked)
    return path


def test_labels_are_cells_and_declared_missing_values_are_missing(tmp_path: Path) -> None:
    table = read(made(tmp_path / "a.sav", missing_ranges={"income": [999]}))
    assert table["sex"].to_pylist()[:2] == ["male", "female"]
    assert table["income"].null_count == 3
    assert table["zip"].null_count == 1
    assert table.schema.field("born").type == pa.date32()
    assert manner_of(table).notices == (
        ("income", "3 rows hold values that the file declares as missing"),
    )


def test_labels_of_variables_tell_roles(tmp_path: Path) -> None:
    """A survey calls its columns v12 and q7: only their labels say what they are."""
    path = tmp_path / "a.sav"
    frame = people().rename({"age": "v12", "dx": "q7"})
    labels = {"v12": "Geburtsjahr", "q7": "Main diagnosis"}
    pyreadstat.write_sav(frame, str(path), column_labels=labels)
    columns = {column.name: column for column in shoal.inspect(path).columns}
    assert columns["v12"].role == "quasi"
    for name, said in (("v12", "when or how old"), ("q7", "that it is about health")):
        assert str(columns[name].reason).startswith(f"its label says {said}")
    pyreadstat.write_sav(frame, str(path))
    columns = {column.name: column for column in shoal.inspect(path).columns}
    assert not any("label" in str(column.reason) for column in columns.values())


def test_few_labels_leave_a_column_of_numbers(tmp_path: Path) -> None:
    """A label for 999 alone makes no categories of incomes."""
    labels = {"age": {20: "twenty"}}
    table = read(made(tmp_path / "a.dta", variable_value_labels=labels))
    assert table.schema.field("age").type == pa.int64()
    ((column, words),) = manner_of(table).notices
    assert column == "age"
    assert "1 of its 30 values have labels" in words


def test_missing_values_of_stata_with_a_letter_are_counted(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [1, "a", 3]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", missing_user_values={"age": ["a"]})
    table = read(tmp_path / "a.dta")
    assert table["age"].to_pylist() == [1, None, 3]
    assert "1 row hold" in manner_of(table).notices[0][1]


def test_equal_labels_of_two_values_stay_apart(tmp_path: Path) -> None:
    labels = {"dx": {1: "other", 2: "flu", 3: "other"}}
    table = read(made(tmp_path / "a.sav", variable_value_labels=labels))
    assert set(table["dx"].to_pylist()) == {"other (1)", "flu", "other (3)"}


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_a_release_has_its_labels_back_and_verifies(tmp_path: Path, ending: str) -> None:
    source = made(tmp_path / f"a.{ending}")
    out = tmp_path / f"out.{ending}"
    asked = ["-q", "age,sex,born", "-s", "dx", "-k", "3", "--seed", "1"]
    done = typed("anonymize", source, "-o", out, *asked)
    assert done.code == 0, done.err
    certificate = tmp_path / f"out.{ending}.certificate.json"
    said = typed("verify", out, certificate, "--original", source)
    assert said.code == 0, said.out
    frame, about = getattr(pyreadstat, READ[ending])(str(out))
    assert about.column_names_to_labels["dx"] == "Main diagnosis"
    assert frame["age"].str.startswith("[").all()
    assert about.creation_time == datetime.datetime(1970, 1, 1)
    if ending != "xpt":
        # a label that no row has is not handed over
        assert about.variable_value_labels["dx"] == {1: "flu", 2: "asthma", 3: "none"}
        assert set(frame["dx"]) == {1, 2, 3}


def test_python_keeps_the_labels_too(tmp_path: Path) -> None:
    release = shoal.anonymize(made(tmp_path / "a.sav"), quasi=["age"], keep=["sex"], k=3)
    assert set(release.table["sex"].to_pylist()) == {"male", "female"}
    release.write(tmp_path / "out.zsav")
    assert pyreadstat.read_sav(tmp_path / "out.zsav")[1].variable_value_labels == {
        "sex": {1: "male", 2: "female"}
    }


@pytest.mark.parametrize("ending", ["sav", "dta", "xpt"])
def test_names_and_texts_that_a_program_does_not_know_are_refused(
    tmp_path: Path, ending: str
) -> None:
    with pytest.raises(DataError, match="names of columns"):
        write(pa.table({"two words": [1, 2]}), tmp_path / f"a.{ending}")
    with pytest.raises(DataError, match="in 'note': 1"):
        write(pa.table({"note": ["", "x"]}), tmp_path / f"a.{ending}")
    if ending != "dta":  # Stata keeps both
        with pytest.raises(DataError, match="can't hold"):
            write(pa.table({"note": ["ends in a blank ", "x" * 5000]}), tmp_path / f"a.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "begin", [b"$FL2", b"<stata_dta>", b"HEADER RECORD*******LIB", b"s\x02\x01\0"]
)
def test_broken_files_are_refused_without_what_they_hold(tmp_path: Path, begin: bytes) -> None:
    (tmp_path / "a.sav").write_bytes(begin + b"Erika Mustermann" * 100)
    with pytest.raises(DataError, match="broken") as error:
        read(tmp_path / "a.sav")
    assert "Erika" not in str(error.value)


def test_without_the_extra_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = made(tmp_path / "a.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(RecipeError, match=r"pip install 'shoal\[files\]'"):
        read(source)
    (tmp_path / "a.csv").write_text("age\n" + "1\n" * 9)
    for out in ("out.sav", "out.xlsx"):
        said = typed("anonymize", tmp_path / "a.csv", "-o", tmp_path / out, "-q", "age", "-k", "3")
        assert said.code == 2
        assert "pip install 'shoal[files]'" in said.err


def test_labels_that_say_missing_are_told_with_their_codes(tmp_path: Path) -> None:
    """`999: refused` among incomes was a label left out, and 999 an income."""
    path = made(tmp_path / "a.sav")
    manner = manner_of(read(path))
    notes = list(map(str, manner.notes_on(["income"])))
    assert notes == [
        "'income': 1 of its 4 values have labels, which are left out: a column of numbers",
        "'income': missing by label: na=[\"income=999\"]",
    ]
    assert len(manner.notes_on(["income"], na=["999"])) == 1
    assert not any("999" in note for note in manner.notes_on(["age"]))
    labels = {"age": {20: "twenty", 21: "Don't know", 22: "Refusal"}}
    path = made(tmp_path / "b.dta", variable_value_labels=labels)
    note = manner_of(read(path)).notes_on(["age"], na=["age=21"])[-1]
    assert str(note) == '\'age\': missing by label: na=["age=21", "age=22"]'
    done = typed("anonymize", path, "-o", tmp_path / "o.dta", "-q", "age", "--na", "age=21,age=22")
    assert done.code == 0, done.err


def test_an_inspection_of_a_survey_ends_in_few_notes(tmp_path: Path) -> None:
    questions = {f"q{n}": [n % 7 for n in range(60)] for n in range(30)}
    labels = {name: {0: "never", 6: "always"} for name in questions}
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(pd.DataFrame(questions), path, variable_value_labels=labels)
    shown = typed("inspect", path).out
    assert shown.count("note: ") <= 8 and "23 more notes (--verbose)" in shown
    assert typed("inspect", path, "--verbose").out.count("note: ") == 30
