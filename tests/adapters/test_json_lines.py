"""JSON lines: flat objects, one a line; never read as CSV, and no cell in a refusal."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.adapters.files import read, write
from shoal.errors import DataError
from terminal import shoal as typed

SECRET = "Erika"


def made(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_lines_become_columns_whatever_the_file_is_called(tmp_path: Path) -> None:
    lines = ['{"name": "a", "age": 3, "in": "2020-01-31"}', "", '{"age": 4.5, "ill": true}']
    for name in ("a.jsonl", "a.csv", "a.txt"):
        table = read(made(tmp_path / name, *lines))
        assert table.to_pydict() == {
            "name": ["a", None],
            "age": [3, 4.5],
            "in": [datetime.date(2020, 1, 31), None],
            "ill": [None, True],
        }


def test_texts_that_look_like_numbers_stay_texts(tmp_path: Path) -> None:
    table = read(made(tmp_path / "a.jsonl", '{"zip": "01067", "n": "7"}'))
    assert table.schema.types == [pa.string(), pa.string()]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (['{"a": 1}', f'{{"a": {{"name": "{SECRET}"}}}}'], "nested"),
        (['{"a": 1}', f'{{"a": ["{SECRET}"]}}'], "nested"),
        (['{"a": 1}', f'{{"a": "{SECRET}"'], "no whole object"),
        (['{"a": 1}', f'"{SECRET}"'], "no object"),
        (['{"a": 1}', f'{{"a": 1, "a": "{SECRET}"}}'], "stands twice"),
        (['{"a": 1}', '{"a": NaN}'], "not finite"),
    ],
)
def test_what_is_no_flat_object_is_refused_by_its_line(
    tmp_path: Path, lines: list[str], words: str
) -> None:
    with pytest.raises(DataError, match=words) as error:
        read(made(tmp_path / "a.jsonl", *lines))
    assert "line: 2" in str(error.value)
    assert SECRET not in str(error.value)


def test_a_json_document_is_no_csv(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="one JSON document"):
        read(made(tmp_path / "a.csv", '[{"a": 1},', '{"a": 2}]'))
    with pytest.raises(DataError, match="no whole object"):
        read(made(tmp_path / "b.csv", "{", '"a": 1', "}"))


def test_a_csv_header_in_brackets_is_csv(tmp_path: Path) -> None:
    assert read(made(tmp_path / "a.csv", "{a},b", "1,2")).column_names == ["{a}", "b"]


def test_standard_input_and_output_of_lines(tmp_path: Path) -> None:
    lines = "".join(f'{{"age": {n % 3}, "zip": "0{n % 2}"}}\n' for n in range(20))
    asked = ["anonymize", "-", "-o", tmp_path / "out.jsonl.gz", "-q", "age,zip", "-k", "3"]
    done = typed(*asked, stdin=lines.encode())
    assert done.code == 0, done.err
    assert read(tmp_path / "out.jsonl.gz").num_rows == 20
    certificate = tmp_path / "out.jsonl.gz.certificate.json"
    assert typed("verify", tmp_path / "out.jsonl.gz", certificate).code == 0


def test_a_release_called_json_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.jsonl", *['{"age": 1}'] * 9)
    said = typed("anonymize", path, "-o", tmp_path / "out.json", "-q", "age", "-k", "3")
    assert said.code == 2
    assert ".jsonl" in said.err


def test_the_disk_engine_says_that_it_can_not_read_or_write_them(tmp_path: Path) -> None:
    path = made(tmp_path / "a.jsonl", *['{"age": 1}'] * 9)
    asked = ["-q", "age", "-k", "3", "--memory", "1GB"]
    said = typed("anonymize", path, "-o", tmp_path / "out.csv", *asked)
    assert said.code == 3
    assert "part by part" in said.err
    write(read(path), tmp_path / "a.csv")
    for ending in ("jsonl", "xlsx", "sav"):
        said = typed("anonymize", tmp_path / "a.csv", "-o", tmp_path / f"out.{ending}", *asked)
        assert said.code == 2
        assert "--memory writes Parquet or CSV" in said.err
