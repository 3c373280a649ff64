"""Excel files: one sheet is read, odd ones are refused, and nothing runs in what is written."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.adapters.files import read, write
from shoal.adapters.manner import manner_of
from shoal.adapters.workbooks import archive
from shoal.declare import memory
from shoal.errors import DataError, RecipeError, ShoalError
from terminal import shoal as typed

SECRET = "Erika Mustermann"


def book(
    path: Path, *fills: Callable[[Any, Any], None], titles: tuple[str, ...] = ("A", "B")
) -> Path:
    with xlsxwriter.Workbook(str(path)) as made:
        for title, fill in zip(titles, fills, strict=False):
            fill(made.add_worksheet(title), made)
    return path


def people(sheet: Any, made: Any, top: int = 0, left: int = 0) -> None:
    day = made.add_format({"num_format": "dd.mm.yyyy"})
    percent = made.add_format({"num_format": "0 %"})
    sheet.write_row(top, left, ["name", "age", "born", "share", "zip", "seen"])
    for row in range(1, 31):
        sheet.write_string(top + row, left, SECRET)
        sheet.write_number(top + row, left + 1, 20 + row % 5)
        sheet.write_datetime(top + row, left + 2, datetime.date(1980, 1, row % 9 + 1), day)
        sheet.write_number(top + row, left + 3, row % 4 / 10, percent)
        sheet.write_string(top + row, left + 4, f"0106{row % 4}")
        sheet.write_boolean(top + row, left + 5, row % 2 == 0)


def refused(path: Path | str, kind: type[ShoalError] = DataError) -> str:
    with pytest.raises(kind) as error:
        read(path)
    assert SECRET not in str(error.value)
    return str(error.value)


def test_cells_have_the_types_that_excel_shows(tmp_path: Path) -> None:
    table = read(book(tmp_path / "a.xlsx", people))
    kinds = [pa.string(), pa.int64(), pa.date32(), pa.float64(), pa.string(), pa.bool_()]
    assert table.schema.types == kinds
    assert table["zip"][0].as_py() == "01061"
    assert table["born"][0].as_py() == datetime.date(1980, 1, 2)


def test_several_sheets_are_never_guessed_between(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", people, people, titles=("May", "June 24"))
    said = refused(path, RecipeError)
    assert "May, June 24" in said
    assert 'table="May"' in said
    assert read(f"{path}#June 24").num_rows == 30
    assert "has no sheet 'July'" in refused(f"{path}#July", RecipeError)


def test_the_terminal_takes_a_sheet_by_option_and_behind_the_name(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", people, people, titles=("May", "June"))
    asked = ["-q", "age,born", "-k", "3", "--force", "-o", tmp_path / "out.xlsx"]
    asked.append("--rows-are-persons")
    assert typed("anonymize", path, *asked).code == 2
    for source in ([path, "--table", "May"], [f"{path}#May"]):
        done = typed("anonymize", *source, *asked)
        assert done.code == 0, done.err
    told = typed("inspect", f"{path}#May")
    assert told.code == 0, told.err
    assert f"--table May -o {tmp_path / 'a.released.xlsx'}" in told.out
    assert typed("audit", tmp_path / "a.xlsx", "--table", "May", "-q", "age").code == 0


def test_a_sheet_of_a_file_without_sheets_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n")
    assert "no workbook" in typed("inspect", tmp_path / "a.csv", "--table", "May").err


def test_empty_and_hidden_sheets_stand_in_nobodys_way(tmp_path: Path) -> None:
    def hidden(sheet: Any, made: Any) -> None:
        people(sheet, made)
        sheet.hide()

    path = book(tmp_path / "a.xlsx", people, hidden, lambda s, w: None, titles=("a", "b", "c"))
    assert read(path).num_rows == 30
    assert read(f"{path}#b").num_rows == 30


def test_a_title_above_the_header_is_refused_by_its_row(tmp_path: Path) -> None:
    def titled(sheet: Any, made: Any) -> None:
        sheet.write(0, 0, SECRET)
        people(sheet, made, top=3)

    said = refused(book(tmp_path / "a.xlsx", titled))
    assert "row: 1" in said
    assert "delete the rows above row 4" in said


def test_merged_cells_are_refused_by_their_place(tmp_path: Path) -> None:
    def merged(sheet: Any, made: Any) -> None:
        sheet.merge_range(0, 0, 0, 2, SECRET)
        people(sheet, made, top=1)

    def merged_below(sheet: Any, made: Any) -> None:
        people(sheet, made)
        sheet.merge_range(40, 0, 41, 0, SECRET)

    said = refused(book(tmp_path / "a.xlsx", merged))
    assert "in its header" in said
    assert "A1:C1" in said
    assert "A41:A42" in refused(book(tmp_path / "b.xlsx", merged_below))


def test_a_column_without_a_name_is_refused(tmp_path: Path) -> None:
    def nameless(sheet: Any, made: Any) -> None:
        people(sheet, made)
        sheet.write(5, 7, SECRET)

    assert "columns without a name: H" in refused(book(tmp_path / "a.xlsx", nameless))


def test_empty_rows_and_columns_are_left_out_and_counted(tmp_path: Path) -> None:
    def padded(sheet: Any, made: Any) -> None:
        people(sheet, made, top=2, left=1)
        sheet.write_string(50, 3, "  ")

    table = read(book(tmp_path / "a.xlsx", padded))
    assert (table.num_rows, table.num_columns) == (30, 6)
    words = [words for _, words in manner_of(table).notices]
    assert words == ["20 empty rows of sheet 'A' left out", "1 empty column of sheet 'A' left out"]


def with_failure(sheet: Any, made: Any) -> None:
    people(sheet, made)
    sheet.write_formula(4, 1, "=NA()", None, "#N/A")
    sheet.write_formula(5, 1, "=1/0", None, "#DIV/0!")


def test_failed_cells_are_refused_until_they_are_called_missing(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", with_failure)
    assert manner_of(read(path)).error_cells == {"age": {"#DIV/0!": 1, "#N/A": 1}}
    with pytest.raises(DataError, match=r"in 'age': 2(.|\n)*na="):
        shoal.anonymize(path, quasi=["age"], k=3)
    with pytest.raises(DataError, match="in 'age': 1"):
        shoal.anonymize(path, quasi=["age"], k=3, na=["#N/A"])
    alone = {"k": 2, "rows_are_persons": True, "seed": 1}
    release = shoal.anonymize(path, quasi=["age"], na=["#N/A", "#DIV/0!"], **alone)
    assert release.table["age"].null_count == 2
    shoal.anonymize(path, quasi=["born"], **alone)  # the column is not published


def test_numbers_beside_texts_are_texts_as_in_csv(tmp_path: Path) -> None:
    def mixed(sheet: Any, made: Any) -> None:
        sheet.write_column(0, 0, ["size", 1, 2, 3.5])
        sheet.write_string(4, 0, "7+")

    assert read(book(tmp_path / "a.xlsx", mixed))["size"].to_pylist() == ["1", "2", "3.5", "7+"]


def test_what_is_written_runs_nothing_and_tells_nobody(tmp_path: Path) -> None:
    cells = ["=1+1", "01067", "+49", "@x", None]
    table = pa.table({"note": cells, "age": [1, 2, None, 4, 5]})
    write(table, tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx").equals(table)
    parts = zipfile.ZipFile(tmp_path / "a.xlsx")
    sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert 'state="frozen"' in sheet
    core = parts.read("docProps/core.xml").decode()
    assert re.findall(r"\d{4}-\d\d-\d\d", core) == ["2000-01-01", "2000-01-01"]
    assert "<dc:creator></dc:creator>" in core


def test_empty_texts_are_refused_since_excel_has_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="in 'note': 1"):
        write(pa.table({"note": ["", "a"]}), tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


VALUES = st.one_of(
    st.lists(st.none() | st.floats(), min_size=1, max_size=8),
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8),
    st.lists(st.none() | st.dates(), min_size=1, max_size=8),
    st.lists(
        st.none() | st.datetimes(datetime.datetime(1800, 1, 1), datetime.datetime(9000, 1, 1)),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.none() | st.booleans(), min_size=1, max_size=8),
    st.lists(st.none() | st.text("abc 0=_xÄ\n\t;,'\"", min_size=1), min_size=1, max_size=8),
)


@pytest.mark.parametrize("ending", ["xlsx", "jsonl", "sav", "dta", "xpt", "csv", "parquet"])
@given(values=VALUES)
@settings(max_examples=25, deadline=None)
def test_a_file_holds_the_cells_or_is_refused(
    ending: str, values: list[object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("made") / f"a.{ending}"
    table = pa.table({"age": pa.array(values), "row": range(len(values))})
    try:
        write(table, path)
    except DataError:
        assert not path.exists()
        return
    from shoal.review.fingerprint import fingerprint

    assert fingerprint(read(path, typed=False)) == fingerprint(table)


def packed(parts: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in parts.items():
            made.writestr(name, data)
    return held.getvalue()


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(archive, "SMALL", 1 << 20)
    data = packed({"xl/workbook.xml": b"<workbook/>", "xl/x.xml": bytes(1 << 24)})
    (tmp_path / "a.xlsx").write_bytes(data)
    assert "far more than it is long" in refused(tmp_path / "a.xlsx")


def test_a_directory_that_lies_about_sizes_is_refused(tmp_path: Path) -> None:
    data = bytearray(packed({"xl/workbook.xml": b"<workbook/>" * 1000}))
    place = data.rindex(b"PK\x01\x02") + 24
    data[place : place + 4] = (11).to_bytes(4, "little")
    (tmp_path / "a.xlsx").write_bytes(data)
    assert "broken" in refused(tmp_path / "a.xlsx")


def test_one_distant_cell_does_not_burst_the_memory(tmp_path: Path, monkeypatch: Any) -> None:
    def distant(sheet: Any, made: Any) -> None:
        people(sheet, made)
        sheet.write(1_048_575, 16_383, "x")

    path = book(tmp_path / "a.xlsx", distant)
    monkeypatch.setattr(memory, "free", lambda: 2**34)
    assert "too large for the memory" in refused(path)


def test_a_long_text_in_many_cells_does_not_burst_the_memory(
    tmp_path: Path, monkeypatch: Any
) -> None:
    def repeated(sheet: Any, made: Any) -> None:
        sheet.write_column(0, 0, ["note", *(["y" * 30_000] * 3000)])

    path = book(tmp_path / "a.xlsx", repeated)
    assert read(path).num_rows == 3000
    monkeypatch.setattr(memory, "free", lambda: 2**26)
    assert "too large for the memory" in refused(path)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"content.xml": b"x", "mimetype": b"x"}, "OpenDocument"),
        ({"xl/workbook.bin": b"x"}, "binary Excel"),
        ({"letter.txt": b"x"}, "zip archive"),
        ({"xl/workbook.xml": b"no xml"}, "broken"),
    ],
)
def test_other_archives_are_refused_by_what_they_are(
    tmp_path: Path, parts: dict[str, bytes], words: str
) -> None:
    (tmp_path / "a.xlsx").write_bytes(packed(parts))
    assert words in refused(tmp_path / "a.xlsx")


OLD = Path(__file__).parent / "old"  # as xlwt 1.3 writes them


def test_old_workbooks_are_read() -> None:
    table = read(OLD / "people.xls")
    assert table.schema.types == [pa.int64(), pa.date32(), pa.string(), pa.float64()]
    assert table["zip"][0].as_py() == "01060"


def test_old_workbooks_with_failed_cells_are_refused() -> None:
    """Their reader calls such cells empty."""
    assert "save it as .xlsx" in refused(OLD / "failed.xls")


def test_old_workbooks_are_named_broken_or_failing(tmp_path: Path) -> None:
    (tmp_path / "a.xls").write_bytes(b"\xd0\xcf\x11\xe0 and more")
    assert "broken" in refused(tmp_path / "a.xls")
