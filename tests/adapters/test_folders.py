"""Folders of Parquet files: parts of one table, read whole or part by part to the same rows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from on_disk import write_streamed
from shoal.adapters import files
from shoal.adapters.file_metadata import traces
from shoal.adapters.parts import parts_of, refuse_whole
from shoal.errors import DataError, RecipeError
from shoal.recipe import Recipe

PEOPLE = pa.table(
    {
        "age": [31, 33, 52, 58] * 10,
        "town": ["Oslo", None, "Rome", "a/b"] * 10,
        "ill": (["flu"] * 4 + ["cold"] * 4) * 5,
    }
)


def put(place: Path, table: pa.Table) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(table, place)


def both_ways(folder: Path, names: list[str] | None = None) -> pa.Table:
    """The table in a folder, which is the same at one go and part by part."""
    refuse_whole(str(folder))
    parts = parts_of(str(folder))
    whole = files.read(folder)
    read = pa.concat_tables(list(parts.read(names))).combine_chunks()
    assert parts.rows == whole.num_rows and parts.schema.equals(whole.schema)
    assert read.equals(whole if names is None else whole.select(names))
    return whole


def test_many_files_are_one_table_however_columns_are_ordered_and_numbers_wide(
    tmp_path: Path,
) -> None:
    for i in range(8):
        put(tmp_path / f"{i}.parquet", PEOPLE.slice(5 * i, 5))
    put(
        tmp_path / "8.parquet",
        PEOPLE.select(["ill", "age", "town"]).set_column(1, "age", PEOPLE["age"].cast(pa.int16())),
    )
    assert both_ways(tmp_path).equals(pa.concat_tables([PEOPLE, PEOPLE]).combine_chunks())


def test_folders_tell_columns(tmp_path: Path) -> None:
    """As clusters lay out a table that is partitioned; what begins with _ or . is their own."""
    put(tmp_path / "year=2023/to%3Dwn=a%2Fb/0.parquet", PEOPLE.slice(0, 4).drop_columns("town"))
    put(
        tmp_path / "year=2024/to%3Dwn=__HIVE_DEFAULT_PARTITION__/0.parquet",
        PEOPLE.slice(4, 4).drop_columns("town"),
    )
    put(tmp_path / "_temporary/0.parquet", PEOPLE)
    put(tmp_path / ".hidden.parquet", PEOPLE)
    found = both_ways(tmp_path)
    assert found.column_names == ["age", "ill", "year", "to=wn"]
    assert (
        found["year"].to_pylist() == [2023] * 4 + [2024] * 4
        and found["to=wn"].to_pylist() == ["a/b"] * 4 + [None] * 4
    )
    both_ways(tmp_path, ["year"])  # which no file holds


def test_every_file_that_a_cluster_would_read_is_read(tmp_path: Path) -> None:
    """By its first bytes where its name tells nothing; a folder may be called like a file, and a
    column begin with _.
    """
    for place in ("_a%20b=1/part-00000", "_a b=2/x.PARQUET", "_a b=2/deeper.parquet/0.parquet"):
        put(tmp_path / place, PEOPLE)
    (tmp_path / "_a b=2/READ.ME").write_text("hello")
    assert (
        both_ways(tmp_path)["_a b"].to_pylist() == [2] * 80 + [1] * 40
    )  # by place: a blank comes before a %


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (["year=1/0.parquet", "0.parquet"], "columns that some lack: year"),
        (["ill=1/0.parquet", "0.parquet"], "used more than once"),
        (["a=\udcff/0.parquet"], "names that are no text"),
    ],
)
def test_folders_that_tell_no_table_are_refused(
    tmp_path: Path, places: list[str], said: str
) -> None:
    for place in places:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        with (tmp_path / place).open("wb") as sink:
            parquet.write_table(PEOPLE, sink)
    for read in (files.read, parts_of):
        with pytest.raises(DataError, match=said):
            read(str(tmp_path))


def test_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", PEOPLE)
    (tmp_path / "b.parquet").symlink_to(tmp_path / "nothing")
    with pytest.raises(DataError, match="leads to no file"):
        files.read(tmp_path)


def test_folders_that_are_not_looked_into_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "people/a.parquet", PEOPLE)
    put(tmp_path / "people/closed/b.parquet", PEOPLE)
    (tmp_path / "people/link").symlink_to(tmp_path)
    with pytest.raises(DataError, match="link' is a link to a folder"):
        files.read(tmp_path / "people")
    (tmp_path / "people/link").unlink()
    look = os.scandir

    def closed(place: str) -> Any:
        if str(place).endswith("closed"):
            raise PermissionError(13, "Permission denied", place)
        return look(place)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(DataError, match=r"closed' can't be read\n.*Permission denied"):
        files.read(tmp_path / "people")


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (PEOPLE.drop_columns("town"), "columns that some lack: town"),
        (PEOPLE.set_column(0, "age", pa.array(["x"] * 40)), "columns of different types: age"),
        (PEOPLE.set_column(0, "age", pa.array([0.5] * 39 + [None])), "not all values fit"),
    ],
)
def test_files_of_different_tables_are_refused(tmp_path: Path, other: pa.Table, said: str) -> None:
    put(tmp_path / "a.parquet", PEOPLE.set_column(0, "age", pa.array([2**53 + 1] * 40)))
    put(tmp_path / "b.parquet", other)
    for read in (files.read, lambda place: list(parts_of(place).read())):
        with pytest.raises(DataError, match=said) as refused:
            read(str(tmp_path))
        assert str(2**53) not in str(refused.value)


@pytest.mark.parametrize("book", ["_delta_log/0.json", "metadata/v1.metadata.json", ".hoodie/x"])
def test_tables_of_which_not_all_files_count_are_refused(tmp_path: Path, book: str) -> None:
    put(tmp_path / "a.parquet", PEOPLE)
    (tmp_path / book).parent.mkdir()
    (tmp_path / book).touch()
    with pytest.raises(DataError, match="rows that were deleted"):
        files.read(tmp_path)


def test_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing more")
    for place in (tmp_path, tmp_path / "a.parquet"):
        with pytest.raises(DataError, match=r"a\.parquet' is a broken Parquet file"):
            parts_of(str(place))
    (tmp_path / "a.parquet").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(DataError, match=r"a\.parquet' is no Parquet file"):
        files.read(tmp_path)


def test_folder_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", PEOPLE)
    parts = parts_of(str(tmp_path))
    put(tmp_path / "b.parquet", PEOPLE)
    with pytest.raises(DataError, match="changed while it was read"):
        list(parts.read())


def test_output_in_the_folder_that_is_read_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "people/a.parquet", PEOPLE)
    release = shoal.anonymize(tmp_path / "people", quasi=["age"], k=2, memory="2GB")
    for place in ("people/released.parquet", "people/deeper/../x.csv"):
        with pytest.raises(RecipeError, match="is in the folder that is read"):
            release.write(tmp_path / place, inputs=[str(tmp_path / "people")])
    assert [path.name for path in (tmp_path / "people").iterdir()] == ["a.parquet"]


def test_release_of_a_folder_larger_than_memory_is_that_of_the_file(tmp_path: Path) -> None:
    recipe = Recipe.of(quasi=["age", "town"], sensitive=["ill"], k=4, seed=1)
    for i in range(4):
        put(tmp_path / f"people/{i}.parquet", PEOPLE.slice(10 * i, 10))
    put(tmp_path / "people.parquet", PEOPLE)
    for source in ("people", "people.parquet"):
        write_streamed(tmp_path / source, tmp_path / f"released {source}.csv", recipe)
    assert (tmp_path / "released people.csv").read_bytes() == (
        tmp_path / "released people.parquet.csv"
    ).read_bytes()


def test_folder_is_attacked_and_its_traces_counted(tmp_path: Path) -> None:
    put(tmp_path / "a.parquet", PEOPLE.replace_schema_metadata({"by": "me"}))
    put(tmp_path / "b.parquet", PEOPLE.replace_schema_metadata({"by": "me", "at": "noon"}))
    assert traces(tmp_path)["notes in the schema"] == 3
    assert shoal.attack(tmp_path, quasi=["age"], sensitive=["ill"], k=2).all
