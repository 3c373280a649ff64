"""CSV: what is written is what is read, and what can't be read is refused without showing a
cell.
"""

from __future__ import annotations

import io
from datetime import UTC

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.adapters.csv.table import read_csv, write_csv
from shoal.errors import DataError, RecipeError

SECRET = "Zweig-Secret"
HOSTILE = st.text(st.sampled_from('",;\t|\r\n \ufeffäß💧a0*\0\u2028\x85\\'), max_size=6) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=6
)
NAMES = st.lists(
    HOSTILE.filter(lambda name: name.strip() and "\0" not in name),
    min_size=1,
    max_size=4,
    unique=True,
)


def texts(data: bytes, **options: object) -> dict[str, list[str | None]]:
    return read_csv(data, "'file'", typed=False, **options).to_pydict()


def written(table: pa.Table, delimiter: str = ",") -> bytes:
    sink = io.BytesIO()
    write_csv(table, sink, delimiter)
    return sink.getvalue()


@st.composite
def hostile_tables(draw: st.DrawFn) -> pa.Table:
    names = draw(NAMES)
    rows = draw(st.integers(1, 5))
    cells = st.lists(st.none() | HOSTILE, min_size=rows, max_size=rows)
    return pa.table({name: pa.array(draw(cells), pa.string()) for name in names})


@settings(max_examples=300, deadline=None)
@given(hostile_tables(), st.sampled_from([",", "\t"]))
def test_any_texts_come_back_as_they_were(table: pa.Table, delimiter: str) -> None:
    assert read_csv(written(table, delimiter), "'file'", typed=False).equals(table)


VALUES = [
    (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    (pa.date32(), st.dates()),
    (pa.timestamp("us"), st.datetimes()),
    (pa.timestamp("us", "UTC"), st.datetimes(timezones=st.just(UTC))),
    (pa.time64("us"), st.times()),
]


@pytest.mark.parametrize(("kind", "values"), VALUES, ids=lambda value: str(value)[:20])
def test_typed_values_come_back_as_values(
    kind: pa.DataType, values: st.SearchStrategy[object]
) -> None:
    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.none() | values, min_size=1, max_size=8))
    def comes_back(column: list[object]) -> None:
        table = pa.table({"a": pa.array(column, kind), "b": pa.array(["x"] * len(column))})
        assert read_csv(written(table), "'file'")["a"].to_pylist() == table["a"].to_pylist()

    comes_back()


def test_the_written_form_is_this_and_no_other() -> None:
    table = pa.table(
        {
            "plain": pa.array(["a b", None, "", "it's"]),
            "odd": pa.array([" x", "a,b", 'say "hi"', "two\nlines"]),
            "n": pa.array([1.0, 2.5, None, -0.0]),
            "a;b": pa.array(["x;y", "x", "x", "x"]),
        }
    )
    assert written(table).decode() == (
        'plain,odd,n,"a;b"\na b," x",1,x;y\n,"a,b",2.5,x\n"","say '
        '""hi""",,x\nit\'s,"two\nlines",0,x\n'
    )


def test_more_rows_than_one_block_of_lines_keep_their_order() -> None:
    table = pa.table({"a": pa.array(range(70_000)), "b": pa.array([None, "x"] * 35_000)})
    assert read_csv(written(table), "'file'").equals(table)


def test_missing_and_empty_are_two_things() -> None:
    assert texts(b'a,b\n,""\nNA,null\n') == {"a": [None, "NA"], "b": ["", "null"]}
    assert texts(b"a\n\nx\n") == {"a": [None, "x"]}
    assert texts(b"a,b\n\n1,2\n\n\n") == {"a": ["1"], "b": ["2"]}


@pytest.mark.parametrize(
    ("data", "columns"),
    [
        (b"a;b\n1,5;2,5\n", ["a", "b"]),
        (b"a\tb\n1\t2\n", ["a", "b"]),
        (b"a|b|c\n1|2|3\n", ["a", "b", "c"]),
        (b"name, first;age;zip\nX, Y;1;2\nZ;3;4\n", ["name, first", "age", "zip"]),
        (b'a,"b;c;d"\n1,"x;y;z"\n', ["a", "b;c;d"]),
        (b"only\nx\ny\n", ["only"]),
        (b"only\nx;y\nz;w\n", ["only"]),
        (b"\n\r\na,b\r\n1,2\r\n", ["a", "b"]),
        (b"a,b\r1,2\r", ["a", "b"]),
        (b'"a\nb",c\n1,2\n', ["a\nb", "c"]),
    ],
)
def test_the_delimiter_is_found(data: bytes, columns: list[str]) -> None:
    table = read_csv(data, "'file'")
    assert table.column_names == columns
    assert table.num_rows == len(
        data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").strip().split(b"\n")
    ) - 1 - (b'"a\n' in data)


def test_a_given_delimiter_wins() -> None:
    assert texts(b"a,b:c\n1,2:3\n", delimiter=":") == {"a,b": ["1,2"], "c": ["3"]}
    with pytest.raises(RecipeError):
        texts(b"a\n1\n", delimiter="::")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_encodings_are_found(encoding: str) -> None:
    assert texts("näme,b\nÅse,x\n".encode(encoding)) == {"näme": ["Åse"], "b": ["x"]}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-8", "UTF-16"])
def test_given_encodings_are_used(encoding: str) -> None:
    assert texts("näme,b\nÅse,x\n".encode(encoding), encoding=encoding) == {
        "näme": ["Åse"],
        "b": ["x"],
    }


def test_other_encodings_are_refused_and_never_guessed() -> None:
    with pytest.raises(
        DataError, match=r"(?s)is not UTF-8.*line: 3.*encoding=\"latin-1\""
    ) as refused:
        texts(f"name,b\nx,y\n{SECRET}é,z\n".encode("latin-1"))
    assert SECRET not in str(refused.value)
    with pytest.raises(DataError, match="utf-16-le"):
        texts("name,b\nx,y\n".encode("utf-16-le"))
    with pytest.raises(DataError, match="is not ASCII"):
        texts("näme\nx\n".encode(), encoding="ascii")
    with pytest.raises(RecipeError, match="unknown encoding 'latin-99'"):
        texts(b"a\n1\n", encoding="latin-99")


def test_a_multibyte_character_across_blocks_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.adapters.csv.encodings.BLOCK", 4)
    assert texts("abc💧,b\n💧💧é,x\n".encode())["abc💧"] == ["💧💧é"]
    with pytest.raises(DataError, match="line: 2"):
        texts("abc💧,b\n💧".encode()[:-1])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"a,b\n", "a header but no rows"),
        (b"a,b\n\n\r\n", "a header but no rows"),
        (b"a", "a header but no rows"),
        (b"a,b,a\n1,2,3\n", "(?s)more than once.*columns: 1, 3"),
        (b",b\n1,2\n", "(?s)without a name.*columns: 1.*index=False"),
        (b"a, \n1,2\n", "(?s)without a name.*columns: 2"),
        (
            b"a,b\n1,2\nZweig-Secret\n3,4\n5,Zweig-Secret,7\n",
            "(?s)rows: 2, 4\n.*expected: 2\n.*found: 1, 3\n",
        ),
        (b"a,b\n" + b"Zweig-Secret,2,3\n" * 9, r"(?s)rows: 1, 2, 3, 4, 5 \.\.\.\n"),
        (b'a,b\n1,"Zweig-Secret\n2,x\n3,y\n', "not closed"),
        (b'a,b\n1,"Zweig-Secret\r2,x\r3,"y"', "not closed"),
        (b'a,b\n1,"Zweig-Secret\n2,"x"\n3,y\n', "not closed"),
        (b'a,"b\n1,2\n', "not closed"),
    ],
)
def test_what_is_no_table_is_refused_without_showing_a_cell(data: bytes, says: str) -> None:
    for typed in (True, False):
        with pytest.raises(DataError, match=says) as refused:
            read_csv(data, "'file'", typed=typed)
        assert SECRET not in str(refused.value)
        assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_a_quote_open_over_more_than_a_block_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.adapters.csv.table.BLOCK", 256)
    with pytest.raises(DataError, match="not closed") as refused:
        texts(b'a,b\n1,"Zweig-Secret\n' + b"2,x\n" * 500)
    assert SECRET not in str(refused.value)


def test_many_lines_in_the_last_cell_are_no_fault() -> None:
    assert texts(b'a,b\n1,"x\ny"\n')["b"] == ["x\ny"]
    assert texts(b'a\n"x\ny"')["a"] == ["x\ny"]


TITLES = "Zweig-Secret\n\nErstellt am 01.02.2023\nAlter;Ort\n" + "30;Bonn\n" * 9


def test_titles_above_the_header_are_refused_with_their_lines() -> None:
    """Such a file was a table of one column with the title as its name."""
    with pytest.raises(DataError, match="delete the lines above line 4") as refused:
        read_csv(TITLES.encode(), "'file'")
    assert SECRET not in str(refused.value) and 'delimiter=","' in str(refused.value)
    assert read_csv(TITLES.encode(), "'file'", delimiter="|").num_columns == 1
    with pytest.raises(DataError, match="titles above the header"):
        read_csv(b"Zweig-Secret;;\nAlter;Ort;Jahr\n1;2;3\n", "'file'")
