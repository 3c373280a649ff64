"""CSV in, CSV out: what comes with semicolons, a mark and decimal commas goes out so."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.adapters.csv.commas import with_commas, with_points
from shoal.adapters.csv.parts import LongCsv
from shoal.adapters.files import read, write
from shoal.adapters.manner import manner_of
from shoal.declare.columns import text_of
from terminal import shoal as typed

MARK = b"\xef\xbb\xbf"


def german(path: Path, rows: int = 300) -> Path:
    lines = ["Alter;PLZ;Gewicht;Diagnose;Größe;Notiz"]
    drawn = Random(1)
    for n in range(rows):
        weight = f"{50 + drawn.randrange(8)},{drawn.choice('05')}"
        rest = f"{drawn.choice('ab')};{150 + drawn.randrange(4)},5;1.234,50"
        lines.append(f"{20 + drawn.randrange(9)};0106{n % 3};{weight};{rest}")
    path.write_bytes(MARK + "\r\n".join(lines).encode() + b"\r\n")
    return path


ASKED = ["-q", "Alter,Gewicht", "-s", "Diagnose", "--keep", "Größe", "-k", "3", "--seed", "1"]


def test_a_german_file_goes_out_as_it_came_and_every_command_reads_it(tmp_path: Path) -> None:
    source = german(tmp_path / "a.csv")
    out = tmp_path / "out.csv"
    done = typed("anonymize", source, "-o", out, *ASKED, "--hierarchy", "Gewicht=flat")
    assert done.code == 0, done.err
    data = out.read_bytes()
    assert data.startswith(MARK + "Alter;Gewicht;Diagnose;Größe\r\n".encode())
    assert data.count(b"\r\n") == data.count(b"\n") == 301
    cells = [line.split(";") for line in data.decode("utf-8-sig").splitlines()[1:]]
    assert {cell[3] for cell in cells} == {"150,5", "151,5", "152,5", "153,5"}
    assert any(cell[1] == "52,5" for cell in cells)
    assert not any("." in cell[1] for cell in cells)
    certificate = tmp_path / "out.csv.certificate.json"
    said = typed("verify", out, certificate, "--original", source)
    assert said.code == 0, said.out
    assert typed("audit", out, "-q", "Alter,Gewicht", "--require", "k=3").code == 0
    assert typed("attack", out, "--certificate", certificate, "--original", source).code == 0
    mined = typed("mine", out, "--original", source, "--certificate", certificate)
    assert mined.code in (0, 2), mined.err


def test_intervals_keep_their_points_and_values_have_commas(tmp_path: Path) -> None:
    release = shoal.anonymize(
        german(tmp_path / "a.csv", 60), quasi=["Gewicht", "Alter"], k=3, seed=1, publish="tight"
    )
    release.write(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text("utf-8-sig").splitlines()[1:]
    cells = {line.split(";")[0] for line in lines}
    assert any(cell.startswith("[") and ".5" in cell for cell in cells)
    assert not any("." in cell for cell in cells if not cell.startswith("["))
    alone = shoal.anonymize(german(tmp_path / "a.csv"), quasi=["Gewicht"], k=3, seed=1)
    alone.write(tmp_path / "alone.csv")
    assert "52.5" in (tmp_path / "alone.csv").read_text("utf-8-sig").splitlines()


def test_python_keeps_the_manner_and_other_formats_do_not_care(tmp_path: Path) -> None:
    release = shoal.anonymize(german(tmp_path / "a.csv"), quasi=["Alter"], keep=["Größe"], k=3)
    release.write(tmp_path / "out.csv")
    release.write(tmp_path / "out.tsv")
    assert (tmp_path / "out.csv").read_bytes().startswith(MARK + b"Alter;")
    assert (tmp_path / "out.tsv").read_bytes().startswith(MARK + b"Alter\t")
    again = [read(tmp_path / name, typed=False) for name in ("out.csv", "out.tsv")]
    assert again[0].equals(again[1])


@pytest.mark.parametrize(
    ("data", "out"),
    [
        (b"age,zip\r\n1,a\r\n1,a\r\n", b"age,zip\r\n1,a\r\n1,a\r\n"),
        (MARK + b"age,zip\n1,a\n1,a\n", MARK + b"age,zip\n1,a\n1,a\n"),
        (b"age|zip\n1|a\n1|a\n", b"age|zip\n1|a\n1|a\n"),
        (b"age;zip\n1.5;a\n1.5;a\n", b"age;zip\n1.5;a\n1.5;a\n"),
        (b"age;zip\n1,5;a\n1,5;a\n", b"age;zip\n1,5;a\n1,5;a\n"),
    ],
)
def test_delimiter_mark_and_line_ends_are_kept(tmp_path: Path, data: bytes, out: bytes) -> None:
    (tmp_path / "a.csv").write_bytes(data)
    release = shoal.anonymize(tmp_path / "a.csv", quasi=["age", "zip"], k=2)
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == out


def test_a_file_in_another_encoding_goes_out_with_a_mark(tmp_path: Path) -> None:
    """Excel takes UTF-8 without a mark for the encoding of the machine."""
    (tmp_path / "a.csv").write_bytes("Größe;b\n1;2\n1;2\n".encode("latin-1"))
    release = shoal.anonymize(read(tmp_path / "a.csv", encoding="latin-1"), quasi=["Größe"], k=2)
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith(MARK)


def test_thousands_alone_are_not_read_as_decimals(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("rent;b\n1,234;1\n2,500;2\n")
    assert read(tmp_path / "a.csv")["rent"].to_pylist() == ["1,234", "2,500"]
    assert read(tmp_path / "a.csv", typed=False)["rent"].to_pylist() == ["1,234", "2,500"]


@pytest.mark.parametrize("delimiter", [";", "\t", ",", "|"])
def test_points_that_may_part_thousands_stay_texts_or_are_said(
    tmp_path: Path, delimiter: str
) -> None:
    rows = ["rent;b", *(f"{1 + n % 9}.{100 + n % 900};{n}" for n in range(2_000))]
    (tmp_path / "a.csv").write_text("\n".join(rows).replace(";", delimiter) + "\n")
    table = read(tmp_path / "a.csv")
    asked = delimiter in ";\t"
    assert table["rent"].type == (pa.string() if asked else pa.float64())
    said = " ".join(map(str, manner_of(table).notes_on(["rent"])))
    assert ("decimal point" in said) != asked
    typed = LongCsv.of(str(tmp_path / "a.csv"), "'a'").typed()
    assert typed.schema.field("rent").type == table["rent"].type
    (tmp_path / "a.csv").write_text("\n".join([*rows, "1.5;0"]).replace(";", delimiter) + "\n")
    assert read(tmp_path / "a.csv")["rent"].type == pa.float64()


def test_texts_that_would_be_misread_change_the_delimiter(tmp_path: Path) -> None:
    table = read(german(tmp_path / "a.csv"))
    manner = manner_of(table)
    texts = pa.table({"code": ["1,5", "2,5"], "n": [1.5, 2.5]})
    from shoal.adapters.files import write_table

    write_table(texts, tmp_path / "out.csv", manner=manner)
    assert read(tmp_path / "out.csv", typed=False)["code"].to_pylist() == ["1,5", "2,5"]
    write(texts, tmp_path / "plain.csv")
    assert read(tmp_path / "plain.csv", typed=False)["n"].to_pylist() == ["1.5", "2.5"]


CELLS = st.lists(
    st.none()
    | st.floats(allow_nan=False).map(lambda number: text_of(pa.array([number]))[0].as_py())
    | st.integers(-2000, 2000).map(str)
    | st.sampled_from(["*", "[1.5, 2.5]", "90+", "<=5.5", "1,5", "1,234", "a;b", "1.234,5", '"*"'])
    | st.text("0123456789.,;[]*-", max_size=6),
    min_size=1,
    max_size=6,
)


@given(CELLS, st.booleans())
def test_a_comma_never_changes_what_is_read(cells: list[str | None], numbers: bool) -> None:
    """Whatever a column holds: it is read back, or the file is not written so."""
    if numbers:
        column = pa.array([float(n) for n in range(len(cells))])
    else:
        column = pa.array(cells, pa.string())
    written = with_commas(pa.table({"a": column, "b": column}))
    if written is not None:
        assert with_points(text_of(written["a"].chunk(0))).equals(text_of(column))
