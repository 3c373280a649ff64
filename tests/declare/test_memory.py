"""A table too large for memory is refused before the work; a limit of the process is a real one."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.adapters import files
from shoal.declare import memory
from shoal.errors import DataError

PEOPLE = pa.table(
    {"age": [31, 33, 52, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"], "ill": ["flu", "cold"] * 2}
)


def leave(monkeypatch: pytest.MonkeyPatch, there: int | None) -> None:
    monkeypatch.setattr(memory, "free", lambda: there)


def long_file(path: Path, rows: int) -> Path:
    """A file of few bytes that says it holds many rows."""
    some = rows // 10
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(some, np.int8)), pa.array(["Oslo"]))
    table = pa.table({"city": texts, "ward": texts})
    with pq.ParquetWriter(path, table.schema) as writer:
        for _ in range(10):
            writer.write_table(table)
    return path


def test_what_is_needed_follows_the_formula_of_the_page() -> None:
    table = pa.table({"a": np.zeros(1000, np.int64), "b": np.zeros(1000, np.int64)})
    assert memory.of_anonymizing(table, 2) == 128 * 2**20 + 16_000 + 1000 * (30 + 2 * 32)
    assert (
        memory.of_reading(1000, pa.schema({"a": pa.int32(), "b": pa.string(), "c": pa.bool_()}), 5)
        == 2 * 1000 * 21
    )
    assert memory.of_reading(1000, pa.schema({"b": pa.string()}), 10**6) == 2 * 10**6
    assert (
        memory.of_reading(1000, pa.schema({"b": pa.dictionary(pa.int8(), pa.string())}), 5)
        == 2 * 1000 * 16
    )


def test_frames_are_refused_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = memory.of_anonymizing(PEOPLE, 2)
    leave(monkeypatch, needed)
    assert (
        shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive=["ill"], k=2).certificate.public.k
        == 2
    )
    leave(monkeypatch, needed - 1)
    with pytest.raises(DataError, match="too large for the memory") as refused:
        shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive=["ill"], k=2)
    assert refused.value.facts["rows"] == 4
    assert refused.value.facts["memory needed"] == "about 0.1 GB"
    assert "a machine with about 0.3 GB, or fewer rows" in str(refused.value)


@pytest.mark.parametrize("name", ["people.parquet", "people.csv"])
def test_files_are_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    files.write(pa.concat_tables([PEOPLE] * 1000), tmp_path / name)
    size = (tmp_path / name).stat().st_size
    leave(monkeypatch, size)
    with pytest.raises(DataError, match=f"{name}' is too large for the memory"):
        files.read(tmp_path / name)
    assert (
        files.read(tmp_path / name, like="released").num_rows == 4000
    )  # staged: it was in memory a moment ago
    leave(monkeypatch, size - 1)
    with pytest.raises(DataError, match="too large for the memory"):
        files.read(tmp_path / name, like="released")


def test_nothing_is_refused_where_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.free(str(tmp_path / "absent"), str(tmp_path / "absent")) is None
    leave(monkeypatch, None)
    memory.refuse_beyond_memory(2**60, "the table", {})


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits of addresses bite on Linux"
)
def test_a_limit_of_the_process_is_seen(tmp_path: Path) -> None:
    source = long_file(tmp_path / "long.parquet", 60_000_000)
    target = tmp_path / "out.parquet"
    command = (
        f"from shoal.cli import main; main(['anonymize', {str(source)!r}, '-o', {str(target)!r}, "
        "'-q', 'city'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", command],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9)),
    )
    assert done.returncode == 3, done.stderr
    assert "rows: 60,000,000" in done.stderr
    assert "memory needed: about 3.8 GB" in done.stderr
    assert sorted(tmp_path.iterdir()) == [source]
