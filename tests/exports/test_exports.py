"""Odd files by the conventions of real programs: understood alike through every door.

`files/` holds small tables as Excel (German, French, US, British settings), REDCap, OMOP, Eurostat,
a CRM and others write them; `understood.toml` says what must be understood of each column, and
`refused.toml` which files are refused. `make_files.py` makes those that are no plain texts.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.adapters.files import read
from shoal.adapters.manner import manner_of
from shoal.errors import DataError, ShoalError

FOLDER = Path(__file__).parent
FILES = sorted(path.name for path in (FOLDER / "files").iterdir())
UNDERSTOOD = tomllib.loads((FOLDER / "understood.toml").read_text("utf-8"))
REFUSED = tomllib.loads((FOLDER / "refused.toml").read_text("utf-8"))
TEXTS = (".csv", ".tsv", ".txt")  # of which doors hand in all cells as texts


def rows_of(name: str, *, typed: bool) -> pa.Table:
    encoding = "latin-1" if "latin1" in name else None
    return read(FOLDER / "files" / name, encoding=encoding, typed=typed)


def doors(name: str) -> dict[str, Any]:
    """The table of a file as each door hands it in: typed by the reader, or all cells as texts."""
    texts = rows_of(name, typed=not name.endswith(TEXTS) or name.startswith("lines"))
    return {
        "path": rows_of(name, typed=True),
        "arrow": texts,
        "pandas": texts.to_pandas(),
        "polars": pl.from_arrow(texts),
    }


def test_there_are_forty_files_and_each_is_described() -> None:
    assert len(FILES) >= 40
    assert sorted([*UNDERSTOOD, *REFUSED]) == FILES


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_files_without_a_table_in_plain_sight_are_refused(name: str) -> None:
    with pytest.raises(ShoalError) as refused:
        rows_of(name, typed=True)
    assert REFUSED[name] in str(refused.value)
    assert "Entlassungen" not in str(refused.value)


def test_labels_and_declared_missing_values_of_spss() -> None:
    table = rows_of("spss-survey.sav", typed=True)
    assert set(table["health"].to_pylist()) >= {"very good", "poor", None}
    assert "no answer" not in table["health"].to_pylist()
    assert -9 not in table["income"].to_pylist()
    assert [column for column, _ in manner_of(table).notices] == ["health", "income"]


def test_cells_that_failed_are_counted_by_column() -> None:
    table = rows_of("excel-failed-cells.xlsx", typed=True)
    assert manner_of(table).error_cells == {"age": {"#N/A": 2}}


@pytest.mark.parametrize("name", sorted(UNDERSTOOD))
def test_every_door_understands_what_is_written_down(name: str) -> None:
    for door, people in doors(name).items():
        columns = shoal.inspect(people).columns
        assert {column.name: column.understood for column in columns} == UNDERSTOOD[name], door


@pytest.mark.parametrize(
    ("name", "quasi"),
    [
        ("excel-de-patients.csv", ["Geburtsdatum", "Geschlecht"]),
        ("excel-fr-amounts.csv", ["Salaire", "Ville"]),
        ("excel-us-times.csv", ["Admitted"]),
        ("pediatrics-ages.csv", ["age", "weight"]),
        ("eurostat-quarters.csv", ["quarter", "income"]),
        ("survey-topcodes.csv", ["household_size"]),
        ("survey-codes.csv", ["roof", "age"]),
        ("excel-de-station.xlsx", ["Geburtsdatum", "PLZ", "Raucher"]),
        ("excel-us-intake.xlsx", ["DOB", "Household"]),
        ("spss-survey.sav", ["age", "sex", "interview"]),
        ("app-events.jsonl", ["born", "country"]),
    ],
)
def test_every_door_publishes_the_same(name: str, quasi: list[str]) -> None:
    public = [
        shoal.anonymize(people, quasi=quasi, k=3, seed=1).certificate.public
        for people in doors(name).values()
    ]
    assert all(one == public[0] for one in public)


def test_a_path_and_pandas_read_the_same_file_alike() -> None:
    """Birth dates of `pd.read_csv` are texts, and were `*` in every row."""
    path = FOLDER / "files" / "redcap-visits.csv"
    release = shoal.anonymize(pd.read_csv(path), quasi=["dob"], k=3, seed=1)
    assert "*" not in release.table["dob"].tolist()
    by_path = shoal.anonymize(path, quasi=["dob"], k=3, seed=1)
    assert by_path.certificate.public == release.certificate.public


def test_german_dates_are_not_lost() -> None:
    """`25.10.1979` was `*` in every row."""
    path = FOLDER / "files" / "excel-de-patients.csv"
    release = shoal.anonymize(path, quasi=["Geburtsdatum"], k=3, seed=1)
    assert all(cell.startswith("[19") for cell in release.table["Geburtsdatum"].to_pylist())
    assert [str(note) for note in release.notices if note.kind == "understood"] == [
        "'Geburtsdatum': dates, written day.month.year"
    ]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("excel-unclear-days.csv", "Birth date"),
        ("excel-us-unclear-thousands.csv", "Rent"),
        ("excel-de-short-years.csv", "Geburtsdatum"),
    ],
)
def test_nothing_is_guessed_and_no_cell_is_told(name: str, column: str) -> None:
    for people in doors(name).values():
        with pytest.raises(DataError) as refused:
            shoal.anonymize(people, quasi=[column], k=3)
        assert f'read_as={{"{column}": "' in str(refused.value)
        reasons = {each.name: str(each.reason) for each in shoal.inspect(people).columns}
        assert f'read_as={{"{column}": "' in reasons[column]
        cells = rows_of(name, typed=False)[column].to_pylist()
        assert not any(cell in str(refused.value) for cell in cells)


def test_both_readings_of_an_unclear_column_can_be_asked_for() -> None:
    path = FOLDER / "files" / "excel-unclear-days.csv"
    words = ("date:day-first", "date:month-first")
    releases = [
        shoal.anonymize(path, quasi=["Birth date"], k=3, seed=1, read_as={"Birth date": word})
        for word in words
    ]
    for release, word in zip(releases, words, strict=True):
        assert release.certificate.public.recipe["read_as"] == {"Birth date": word}
    assert releases[0].certificate.public.hash is not None
