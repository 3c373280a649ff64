"""Reading: an Arrow file that can be mapped, columns as they were asked for, refusals in the
owner's words.
"""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.errors import DataError
from shoal.studio.work import reading
from shoal.studio.work.telling import Tell

ZSTD = pa.ipc.IpcWriteOptions(compression="zstd")
TEXT = "code,day,pay,town\n01,2024-02-29,1.5,Oslo\n02,2024-03-01,2.0,secret-place\n"


def read(folder: Path, data: bytes | str = TEXT, **asked: Any) -> tuple[dict[str, Any], pa.Table]:
    place = folder / "0a1b2c"
    target = folder / "target.arrow"
    place.write_bytes(data.encode() if isinstance(data, str) else data)
    asked = {"name": "ward.csv", **asked}
    result = reading.do(Tell(io.StringIO()), str(place), str(target), **asked)
    return result, pa.ipc.open_file(pa.memory_map(str(target))).read_all()


def test_kinds_are_recognised_and_the_table_is_one_piece(tmp_path: Path) -> None:
    result, table = read(tmp_path)
    assert result == {
        "rows": 2,
        "kinds": {"code": "category", "day": "date", "pay": "number", "town": "category"},
    }
    assert all(column.num_chunks == 1 for column in table.columns)


def test_refusals_call_the_file_as_its_owner_does(tmp_path: Path) -> None:
    for data in (b"", b"a,b\n1\n", b"PAR1 and no more", "a\nü\n".encode("latin-1")):
        with pytest.raises(DataError) as refused:
            read(tmp_path, data)
        assert "'ward.csv'" in str(refused.value) and "0a1b2c" not in str(refused.value)
        assert str(tmp_path) not in str(refused.value)


def test_a_file_is_read_as_it_is_said_to_be_written(tmp_path: Path) -> None:
    _, table = read(tmp_path, "town;pay\nMünchen;1,5\n".encode("cp1252"), encoding="cp1252")
    assert table.to_pydict() == {"town": ["München"], "pay": [1.5]}
    _, table = read(tmp_path, "town|pay;x\nOslo|1;2\n", delimiter="|")
    assert table.column_names == ["town", "pay;x"]


ALONE = """
import io, resource, sys
from shoal.errors import DataError
from shoal.studio.work import reading
from shoal.studio.work.telling import Tell

reading.SPARE, reading.free = 0, lambda: 300_000_000
before = resource.getrlimit(resource.RLIMIT_DATA)
try:
    reading.do(Tell(io.StringIO()), sys.argv[1], sys.argv[2], "ward.arrow")
except DataError as refusal:
    print(refusal, resource.getrlimit(resource.RLIMIT_DATA) == before)
"""


def test_reading_takes_no_more_memory_than_there_is(tmp_path: Path) -> None:
    # in one piece
    place = tmp_path / "bomb"
    zeros = pa.table({"a": np.zeros(100_000_000, np.int64)})
    with (
        pa.OSFile(str(place), "wb") as file,
        pa.ipc.new_file(file, zeros.schema, options=ZSTD) as writer,
    ):
        writer.write_table(zeros)
    assert place.stat().st_size < 100_000
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(place), str(tmp_path / "target")],
        capture_output=True,
        text=True,
    )
    assert (
        "'ward.arrow' is too large for the memory of this machine" in done.stdout
        and done.stdout.endswith("True\n")
    )
