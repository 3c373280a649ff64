"""Every engine understands columns alike: texts are read where rows lie."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.adapters.files import read, write
from shoal.engines.disk import DiskEngine
from shoal.engines.local import LocalEngine
from shoal.errors import DataError, RecipeError
from shoal.recipe import Recipe
from terminal import shoal as typed

FILES = Path(__file__).parent / "files"


def people() -> pa.Table:
    return read(FILES / "excel-de-salaries.csv")


def test_the_disk_engine_reads_texts_as_the_local_one(tmp_path: Path) -> None:
    asked = {"quasi": ["Gehalt", "Alter"], "sensitive": ["Abteilung"], "na": ["IT"], "k": 3}
    local = shoal.anonymize(people(), **asked, seed=1, engine=LocalEngine())
    disk = shoal.anonymize(people(), **asked, seed=1, engine=DiskEngine())
    assert disk.certificate.public.hash == local.certificate.public.hash
    assert disk.notices == local.notices
    assert [note.kind for note in local.notices] == ["dropped", "understood", "understood"]


def test_an_asked_reading_of_a_sensitive_column_is_published_as_read(tmp_path: Path) -> None:
    asked = {"quasi": ["Alter"], "sensitive": ["Gehalt"], "read_as": {"Gehalt": "number"}, "k": 3}
    local = shoal.anonymize(people(), **asked, seed=1)
    assert local.table["Gehalt"].type == pa.float64()
    disk = shoal.anonymize(people(), **asked, seed=1, engine=DiskEngine())
    assert disk.certificate.public.hash == local.certificate.public.hash


@pytest.mark.parametrize("engine", [LocalEngine(), DiskEngine()])
def test_dates_that_came_as_midnights_are_published_as_dates(
    tmp_path: Path, engine: LocalEngine | DiskEngine
) -> None:
    """A frame of pandas and most databases have no dates: they have times, all at midnight."""
    days = [dt.datetime(1979, 1 + n % 12, 1 + n % 28) for n in range(40)]
    table = pa.table({"born": pa.array(days, pa.timestamp("ns"))})
    release = shoal.anonymize(table, quasi=["born"], k=5, seed=1, engine=engine)
    release.write(tmp_path / "out.csv")
    cells = (tmp_path / "out.csv").read_text().split("\n", 1)[1]
    assert "1979-" in cells and "T" not in cells
    by_days = pa.table({"born": pa.array(days, pa.timestamp("us")).cast(pa.date32())})
    same = shoal.anonymize(by_days, quasi=["born"], k=5, seed=1, engine=engine)
    assert same.certificate.public.hash == release.certificate.public.hash


@pytest.mark.parametrize("engine", [LocalEngine(), DiskEngine()])
def test_unclear_columns_are_refused_everywhere(engine: LocalEngine | DiskEngine) -> None:
    unclear = read(FILES / "excel-unclear-days.csv")
    with pytest.raises(DataError, match="two ways"):
        shoal.anonymize(unclear, quasi=["Birth date"], k=3, engine=engine)


def test_readings_and_words_are_part_of_the_recipe(tmp_path: Path) -> None:
    recipe = Recipe.of(quasi=["age"], read_as={"age": "date:day-first"}, na=["NA", "age=99"])
    (tmp_path / "recipe.toml").write_text(recipe.to_toml(), "utf-8")
    assert Recipe.read(tmp_path / "recipe.toml") == recipe


def test_equal_releases_have_equal_certificates_however_cells_were_written() -> None:
    days = [f"{1 + n % 28:02}.{1 + n % 12:02}.{1960 + n % 4}" for n in range(40)]
    iso = ["-".join(reversed(day.split("."))) for day in days]
    public = [
        shoal.anonymize(pa.table({"born": cells}), quasi=["born"], k=5, seed=1).certificate.public
        for cells in (days, iso)
    ]
    assert public[0] == public[1]


def test_a_column_without_a_role_can_not_be_spoken_about() -> None:
    with pytest.raises(RecipeError, match="has no role"):
        shoal.anonymize(people(), quasi=["Alter"], read_as={"Gehalt": "number"}, k=3)


def test_the_terminal_takes_words_and_readings(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    write(read(FILES / "survey-missing.csv"), source)
    asked = ["anonymize", source, "-o", tmp_path / "out.csv", "-q", "age,job", "-k", "3"]
    assert typed(*asked).code == 3
    done = typed(*asked, "--na", "n/a,job=-", "--as", "job=text")
    assert done.code == 0, done.err
    assert "missing where it says" in done.err


def test_topcoded_numbers_are_not_refused() -> None:
    """`7+` in a column of numbers was refused after `inspect` had suggested the column."""
    path = FILES / "survey-topcodes.csv"
    release = shoal.anonymize(path, quasi=["household_size"], k=2, seed=1)
    assert "7+" in release.table["household_size"].to_pylist()


def test_words_may_be_given_by_column_and_columns_not_by_a_mapping() -> None:
    table = pa.table({"age": ["31", "x", "32", "x"] * 3, "job": ["x", "b", "b", "b"] * 3})
    asked = {"quasi": ["age", "job"], "k": 2, "seed": 1}
    by_column = shoal.anonymize(table, **asked, na={"age": ["x"]})
    assert by_column.table.equals(shoal.anonymize(table, **asked, na=["age=x"]).table)
    assert not by_column.table.equals(shoal.anonymize(table, **asked, na="x").table)
    with pytest.raises(RecipeError, match="given as a mapping"):
        shoal.anonymize(table, quasi={"age": 1, "job": 2}, k=2)
