"""CSV files read part by part: the same types, values and refusals as files that are read whole."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.adapters.csv import parts as csv_parts
from shoal.adapters.csv import table as csv_table
from shoal.adapters.csv.parts import LongCsv
from shoal.adapters.csv.table import read_csv
from shoal.errors import DataError, RecipeError

WORDS = [
    "",
    '""',
    "1",
    "-7",
    "007",
    "1.5",
    "nan",
    "inf",
    "1e999",
    "99999999999999999999",
    "2024-02-29",
    "2024-02-30",
    "12:30",
    "2024-02-29T12:30",
    "2024-02-29T12:30Z",
    "x",
    '"a,b"',
    '"a\nb"',
    "é",
    " ",
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch) -> None:
    """So that a few rows are many batches, and characters and line ends stand across blocks."""
    monkeypatch.setattr(csv_table, "BLOCK", 61)
    monkeypatch.setattr("shoal.adapters.csv.encodings.BLOCK", 7)


def typed(path, data: bytes, **options: str) -> pa.Table:
    path.write_bytes(data)
    found = LongCsv.of(str(path), "'file'", **options).typed()
    tables = list(found.tables())
    assert sum(table.num_rows for table in tables) == found.rows
    assert all(table.schema == found.schema for table in tables)
    return pa.concat_tables(tables)


def whole(data: bytes, **options: str) -> pa.Table:
    return read_csv(data, "'file'", **options)


@given(st.data())
def test_random_files_are_read_as_they_are_whole(tmp_path_factory, data: st.DataObject):
    columns = data.draw(st.integers(1, 3))
    kinds = [
        data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=2)) for _ in range(columns)
    ]
    runs = data.draw(
        st.lists(
            st.tuples(st.integers(1, 25), *map(st.sampled_from, kinds)), min_size=1, max_size=8
        )
    )
    rows = [
        row for times, *row in runs for _ in range(times)
    ]  # types may show in one batch and change in another
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    header = ",".join(f"c{i}" for i in range(columns))
    text = (
        end.join([header, *map(",".join, rows)]) + data.draw(st.sampled_from(["", end]))
    ).encode()
    path = tmp_path_factory.getbasetemp() / "random.csv"
    try:
        expected = whole(text)
    except DataError as refusal:
        with pytest.raises(DataError) as other:
            typed(path, text)
        assert str(other.value) == str(refusal)
    else:
        assert str(typed(path, text).to_pydict()) == str(expected.to_pydict())
        assert typed(path, text).schema == expected.schema


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-16-le"]
)
def test_encodings_and_packed_files(tmp_path, encoding):
    data = ("\n\nname;n\n" + "é;1\n\nöö;2\n" * 30 + "ß;3.5").encode(encoding)
    named = {} if encoding in ("utf-8-sig", "utf-16", "utf-32") else {"encoding": encoding}
    expected = whole(data, **named)
    assert typed(tmp_path / "a.csv", data, **named) == expected and expected.num_rows == 61
    assert typed(tmp_path / "a.gz", gzip.compress(data), **named) == expected


def test_some_columns_alone(tmp_path):
    typed(tmp_path / "a.csv", b"a,b,c\n" + b"1,x,2024-01-01\n" * 50)
    tables = list(LongCsv.of(str(tmp_path / "a.csv"), "'file'").typed().tables(["c", "a"]))
    assert len(tables) > 3 and tables[0].column_names == ["c", "a"]
    assert [str(kind) for kind in tables[0].schema.types] == ["date32[day]", "int64"]


@pytest.mark.parametrize(
    "text",
    [
        b"a,b\n" + b"1,2\n" * 40 + b"1\n" + b"1,2\n" * 40 + b"1,2,3\n",
        b"a,b\n" + b"1,2\n" * 40 + b'"1,2\n' + b"1,2\n" * 4,
        b"a,b\n" + b'"1\n",2\n' * 40 + b'1,"2\n' + b"1,2\n" * 4,
        b"a,b\n" + b"1,2\n" * 40 + b"\xe9,2\n" + b"1,2\n",
        b"a,b\n" + b"1,2\n" * 40 + b"1,\xc3",
        b"a,b\n",
        b"a,b\n\n\r\n\n",
        b"a,a\n1,2\n",
        b",a\n1,2\n",
        b'"a,b\n1,2\n',
        b"a,b\n" + b"1," + b"x" * 200 + b"\n",
        "a,b\n1,2\n".encode("utf-16")[:-1],
    ],
)
def test_refusals_are_those_of_files_that_are_read_whole(tmp_path, text):
    with pytest.raises(DataError) as expected:
        whole(text)
    with pytest.raises(DataError) as refusal:
        typed(tmp_path / "a.csv", text)
    assert str(refusal.value) == str(expected.value)


def test_a_broken_packed_file_and_an_unknown_encoding(tmp_path):
    with pytest.raises(DataError, match="broken gzip"):
        typed(tmp_path / "a.gz", gzip.compress(b"a\n" + b"1\n" * 9)[:-4])
    with pytest.raises(RecipeError, match="unknown encoding"):
        typed(tmp_path / "a.csv", b"a\n1\n", encoding="utf-1")
    assert gzip.compress(b"")[:2] == csv_parts.GZIP
