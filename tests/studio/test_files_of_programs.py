"""The studio's desk takes the files that people have, whatever the hidden name of an upload."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.adapters.manner import manner_of
from shoal.studio.work import reading

EXPORTS = Path(__file__).parents[1] / "exports" / "files"


def read(tmp_path: Path, name: str) -> pa.Table:
    hidden = tmp_path / "upload-1"
    shutil.copy(EXPORTS / name, hidden)
    reading.do(lambda *told, **more: None, str(hidden), str(tmp_path / "laid"), name)
    return pa.ipc.open_file(str(tmp_path / "laid")).read_all()


@pytest.mark.parametrize("name", ["excel-de-station.xlsx", "spss-survey.sav", "app-events.jsonl"])
def test_an_upload_is_read_by_its_content(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, name).num_rows == 30


def test_a_german_file_keeps_its_manner(tmp_path: Path) -> None:
    table = read(tmp_path, "excel-de-weights.csv")
    assert manner_of(table).delimiter == ";"
    release = shoal.anonymize(table, quasi=["Alter", "Gewicht"], k=3)
    release.write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbfAlter;Gewicht\r\n")
