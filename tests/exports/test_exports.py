"""Odd files by the conventions of real programs: understood alike through every door.

`files/` holds small tables as Excel (German, French, US, British settings), REDCap, OMOP, Eurostat,
a CRM and others write them; `understood.toml` says what must be understood of each column.
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
from shoal.errors import DataError

FOLDER = Path(__file__).parent
FILES = sorted(path.name for path in (FOLDER / "files").iterdir())
UNDERSTOOD = tomllib.loads((FOLDER / "understood.toml").read_text("utf-8"))


def rows_of(name: str, *, typed: bool) -> pa.Table:
    encoding = "latin-1" if "latin1" in name else None
    return read(FOLDER / "files" / name, encoding=encoding, typed=typed)


def doors(name: str) -> dict[str, Any]:
    """The table of a file as each door hands it in: typed by the reader, or all cells as texts."""
    texts = rows_of(name, typed=False)
    return {
        "path": rows_of(name, typed=True),
        "arrow": texts,
        "pandas": texts.to_pandas(),
        "polars": pl.from_arrow(texts),
    }


def test_there_are_forty_files_and_each_is_described() -> None:
    assert len(FILES) >= 40
    assert sorted(UNDERSTOOD) == FILES


@pytest.mark.parametrize("name", FILES)
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
