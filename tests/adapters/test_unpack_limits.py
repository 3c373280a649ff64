"""Unpacking: what is packed comes out whole; what would fill the memory is refused before it
does.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.adapters import files, unpack_limits
from shoal.declare import memory
from shoal.errors import DataError

GB = 10**9
SECRET = "xsecretx"
ZSTD = pa.ipc.IpcWriteOptions(compression="zstd")


@pytest.fixture(autouse=True)
def eight_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 8 * GB)


@given(
    st.lists(
        st.tuples(st.binary(max_size=300), st.integers(1, 900), st.integers(0, 9)),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_what_is_packed_comes_out_whole(
    parts: list[tuple[bytes, int, int]], data: st.DataObject
) -> None:
    packed = b""
    for (
        part,
        times,
        level,
    ) in parts:  # some of them longer than what is looked at, or unpacked, at a time
        packed += gzip.compress(part * times, level) + b"\0" * data.draw(
            st.sampled_from([0, 1, 70_000])
        )
    assert unpack_limits.unpacked(packed, "it") == b"".join(
        part * times for part, times, _ in parts
    )
    assert unpack_limits.unpacked(packed, "it") == gzip.decompress(packed)


@given(st.binary(min_size=1, max_size=100_000), st.data())
def test_what_breaks_off_or_goes_on_with_something_else_is_broken(
    part: bytes, data: st.DataObject
) -> None:
    packed = gzip.compress(part)
    cut = packed[: data.draw(st.integers(2, len(packed) - 1))]
    for wrong in (cut, packed + b"more", packed + cut):
        with pytest.raises(DataError, match="broken gzip"):
            unpack_limits.unpacked(wrong, "it")


def test_a_small_file_of_many_gigabytes_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack_limits, "SMALL", 1 << 22)
    row = gzip.compress(
        (SECRET + ",1\n").encode() * (1 << 20)
    )  # a part of 11 MB, a thousand times over
    (tmp_path / "bomb.csv.gz").write_bytes(row * 1_000)
    with pytest.raises(DataError, match="holds far more") as refused:
        files.read(tmp_path / "bomb.csv.gz")
    assert "bomb.csv.gz" in str(refused.value) and SECRET not in str(refused.value)


def test_what_is_packed_as_tables_are_is_refused_by_the_memory_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unpack_limits, "SMALL", 0)
    text = b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(40_000))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text))
    assert files.read(tmp_path / "t.csv.gz").num_rows == 40_000
    monkeypatch.setattr(memory, "free", lambda: 5 * len(text) - 1)
    with pytest.raises(DataError, match="memory"):
        files.read(tmp_path / "t.csv.gz")
    assert (
        files.read(tmp_path / "t.csv.gz", like="out.csv.gz").num_rows == 40_000
    )  # it was in memory a moment ago


def long_text(rows: int) -> pa.Table:
    """A text of a megabyte in every row, which takes a megabyte and the numbers of the rows."""
    text = pa.array([SECRET * 125_000])
    return pa.table({"a": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), text)})


def arrow_file(table: pa.Table, options: pa.ipc.IpcWriteOptions | None = None) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return sink.getvalue()


def arrow_stream(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=ZSTD) as writer:
        writer.write_table(table)
    return sink.getvalue()


def parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def plain_parquet(table: pa.Table) -> bytes:
    """Written by someone who tells nothing of dictionaries."""
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", store_schema=False)
    return sink.getvalue()


@pytest.mark.parametrize(
    "packed", [parquet, plain_parquet, lambda table: arrow_file(table, ZSTD), arrow_stream]
)
def test_a_text_in_a_million_rows_is_refused_before_it_is_spelled_out(
    packed: object, tmp_path: Path
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(packed(long_text(1_000_000)))  # type: ignore[operator]
    assert path.stat().st_size < 10_000_000
    before = pa.total_allocated_bytes()
    with pytest.raises(DataError, match="too large for the memory") as refused:
        files.read(path)
    assert pa.total_allocated_bytes() - before < 50_000_000
    assert SECRET not in str(refused.value)
    path.write_bytes(packed(long_text(20)))  # type: ignore[operator]
    assert files.read(path)["a"].to_pylist() == [SECRET * 125_000] * 20


def test_runs_that_say_they_are_long_are_refused(tmp_path: Path) -> None:
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2**31 - 1], pa.int32()), pa.array(["Oslo"]))
    (tmp_path / "runs.arrow").write_bytes(arrow_file(pa.table({"a": runs})))
    with pytest.raises(DataError, match="too large for the memory"):
        files.read(tmp_path / "runs.arrow")


def test_batches_are_refused_as_they_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = io.BytesIO()
    part = pa.table({"a": np.zeros(100_000, np.int64)})
    with pa.ipc.new_file(sink, part.schema, options=ZSTD) as writer:
        for _ in range(20):
            writer.write_table(part)
    (tmp_path / "zeros.arrow").write_bytes(sink.getvalue())
    assert files.read(tmp_path / "zeros.arrow").num_rows == 2_000_000
    monkeypatch.setattr(memory, "free", lambda: 10_000_000)
    with pytest.raises(DataError, match="too large for the memory") as refused:
        files.read(tmp_path / "zeros.arrow")
    rows = int(str(refused.value.facts["rows"]).removeprefix("more than ").replace(",", ""))
    assert rows == 1_300_000  # 16 bytes for each of these will be needed, of which 8 are held
