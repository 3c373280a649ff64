"""Files: formats by first bytes, refusals that name the file, and nothing written that nobody
published.
"""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.adapters import files
from shoal.adapters.plain_arrow import plain
from shoal.errors import DataError, RecipeError
from terminal import PATIENCE

TABLE = pa.table({"age": [39, 50, None], "city": ["Oslo", "", None], "pay": [1.5, None, 3.0]})


@pytest.mark.parametrize(
    "name",
    ["t.csv", "t.tsv", "t.txt", "t.parquet", "t.arrow", "t.feather", "t.csv.gz", "T.PARQUET", "t"],
)
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    files.write(TABLE, tmp_path / name)
    assert files.read(tmp_path / name).equals(TABLE)
    texts = {"age": ["39", "50", None], "city": ["Oslo", "", None], "pay": ["1.5", None, "3"]}
    assert files.read(tmp_path / name, typed=False).to_pydict() == texts
    assert os.listdir(tmp_path) == [name]


def test_the_format_follows_the_name_and_is_found_by_the_first_bytes(tmp_path: Path) -> None:
    starts = {
        "a.parquet": b"PAR1",
        "a.arrow": b"ARROW1",
        "a.tsv": b"age\tcity",
        "a.csv": b"age,city",
        "a.csv.gz": b"\x1f\x8b",
    }
    for name, start in starts.items():
        files.write(TABLE, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
        (tmp_path / name).rename(tmp_path / "nameless")
        assert files.read(tmp_path / "nameless").equals(TABLE)


def test_arrow_streams_and_compressed_feather_are_read(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    (tmp_path / "stream").write_bytes(sink.getvalue())
    pyarrow.feather.write_feather(TABLE, tmp_path / "f", compression="zstd")
    assert files.read(tmp_path / "stream").equals(TABLE)
    assert files.read(tmp_path / "f").equals(TABLE)


def test_columns_travel_plain_and_without_metadata(tmp_path: Path) -> None:
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 0, None]), pa.array(["x", "unused level"]))
    ends = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["r", "s"]))
    table = pa.table(
        {"c": levels, "large": pa.array(["a", "b", None], pa.large_string())}
    ).replace_schema_metadata({"k": "v"})
    both = pa.concat_tables([table, table])
    pq.write_table(both, tmp_path / "p.parquet", row_group_size=2)
    pyarrow.feather.write_feather(both, tmp_path / "p.arrow")
    for name in ("p.parquet", "p.arrow"):
        read = files.read(tmp_path / name)
        assert (
            read.schema == pa.schema({"c": pa.string(), "large": pa.string()})
            and not read.schema.metadata
        )
        assert [column.num_chunks for column in read.columns] == [1, 1]
        assert read["c"].to_pylist() == ["x", "x", None] * 2
    assert plain(pa.table({"r": ends}), "it")["r"].to_pylist() == ["r", "r", "s"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow"])
def test_nothing_is_written_that_is_not_published(tmp_path: Path, name: str) -> None:
    hidden = pa.Array.from_buffers(
        pa.string(), 2, [pa.py_buffer(b"\x01"), *pa.array(["x", "HIDDENNAME"]).buffers()[1:]]
    )
    numbers = pa.array(np.array([1, 0x4845_4C4C_4F21_2121]), mask=np.array([False, True]))
    levels = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array(["x", "HIDDENNAME"]))
    table = pa.table({"a": hidden, "n": numbers, "l": levels})
    field = table.schema.field("a").with_metadata({"source": "HIDDENNAME"})
    table = table.cast(table.schema.set(0, field)).replace_schema_metadata({"pandas": "HIDDENNAME"})
    files.write(table, tmp_path / name)
    written = (tmp_path / name).read_bytes()
    assert files.read(tmp_path / name, typed=False).to_pydict() == {
        "a": ["x", None],
        "n": ["1", None],
        "l": ["x", None],
    }
    for secret in (b"HIDDENNAME", b"!!!OLLEH", b"pandas", str(tmp_path).encode(), b".part"):
        assert secret not in written


def test_a_compressed_file_tells_neither_time_nor_name(tmp_path: Path) -> None:
    files.write(TABLE, tmp_path / "t.csv.gz")
    assert (tmp_path / "t.csv.gz").read_bytes()[3:8] == b"\0" * 5  # no flags (so no name), no time


def broken_parquet(tmp_path: Path) -> bytes:
    files.write(TABLE, tmp_path / "whole.parquet")
    return (tmp_path / "whole.parquet").read_bytes()[:-30]


def no_utf8(tmp_path: Path, suffix: str) -> bytes:
    texts = pa.array([b"Oslo", b"\xff\xfe", None])
    files.write(
        pa.table({"city": pa.Array.from_buffers(pa.string(), 3, texts.buffers())}),
        tmp_path / f"whole{suffix}",
    )
    return (tmp_path / f"whole{suffix}").read_bytes()


def broken_arrow(tmp_path: Path) -> bytes:
    files.write(TABLE, tmp_path / "whole.arrow")
    return (tmp_path / "whole.arrow").read_bytes()[:-30]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", r"(?s)'.*x\.csv' is empty\n  bytes: 0"),
        (b"a,b\n", "a header but no rows"),
        (b"PAR1 and no more", "broken Parquet"),
        (broken_parquet, "broken Parquet"),
        (lambda folder: no_utf8(folder, ".parquet"), "broken Parquet"),
        (lambda folder: no_utf8(folder, ".arrow"), "broken Arrow"),
        (b"ARROW1\0\0", "broken Arrow"),
        (broken_arrow, "broken Arrow"),
        (b"\xff\xff\xff\xff\x10", "broken Arrow"),
        (gzip.compress(b"a,b\n1,2\n" * 90, mtime=0)[:-9], "broken gzip"),
        (b"PK\x03\x04rest", "spreadsheet"),
        (b"SQLite format 3\0", "SQLite"),
    ],
)
def test_broken_files_are_refused_by_name(tmp_path: Path, data: object, says: str) -> None:
    (tmp_path / "x.csv").write_bytes(data(tmp_path) if callable(data) else data)
    with pytest.raises(DataError, match=says) as refused:
        files.read(tmp_path / "x.csv")
    assert refused.value.exit_code == 3 and "x.csv" in str(refused.value)


def test_parquet_without_rows_or_with_a_name_twice_is_refused(tmp_path: Path) -> None:
    pq.write_table(TABLE.slice(0, 0), tmp_path / "none.parquet")
    pyarrow.feather.write_feather(TABLE, tmp_path / "t.arrow", version=2)
    sink = io.BytesIO()
    twice = pa.table([[1], [2]], names=["a", "a"])
    with pa.ipc.new_file(sink, twice.schema) as writer:
        writer.write_table(twice)
    (tmp_path / "twice.arrow").write_bytes(sink.getvalue())
    with pytest.raises(DataError, match="has no rows"):
        files.read(tmp_path / "none.parquet")
    with pytest.raises(DataError, match="columns: 1, 2"):
        files.read(tmp_path / "twice.arrow")


def test_folder_of_parquet_files_is_one_table(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]})
    for name, part in (("part-1.parquet", table.slice(2)), ("part-0.parquet", table.slice(0, 2))):
        pq.write_table(part, tmp_path / name)
    (tmp_path / "_SUCCESS").touch()
    assert files.read(tmp_path).equals(table)
    assert files.read(tmp_path, typed=False)["a"].to_pylist() == ["1", "2", "3"]
    pq.write_table(pa.table({"c": [1]}), tmp_path / "part-2.parquet")
    with pytest.raises(DataError, match="not parts of one table"):
        files.read(tmp_path)


def test_places_that_are_no_readable_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        files.read(tmp_path / "nowhere.csv")
    with pytest.raises(DataError, match="is a folder"):
        files.read(tmp_path)
    with pytest.raises(DataError, match=r"can't be read|there is no file"):
        files.read(tmp_path / ("x" * 300))


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    (tmp_path / "t.csv").chmod(0)
    with pytest.raises(DataError, match="no permission"):
        files.read(tmp_path / "t.csv")


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "t.csv"
    place.write_text("a\n1\n")
    honest = os.stat
    for change in (lambda: place.write_text("a\n1\n2\n"), lambda: replace(place, tmp_path)):

        def meanwhile(path: object, *, act: object = change) -> os.stat_result:
            act()  # type: ignore[operator]
            return honest(path)  # type: ignore[arg-type]

        with (
            monkeypatch.context() as patch,
            pytest.raises(DataError, match="changed while it was read"),
        ):
            patch.setattr(files.os, "stat", meanwhile)
            files.read(place)
    assert files.read(place).num_rows == 1


def replace(place: Path, folder: Path) -> None:
    (folder / "new").write_text("a\n9\n")
    (folder / "new").replace(place)


def test_standard_input_and_output(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("t.csv", "t.parquet"):
        data = io.BytesIO()
        if name == "t.csv":
            data.write(b"a;b\n1;x\n")
        else:
            pq.write_table(pa.table({"a": [1], "b": ["x"]}), data)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.getvalue())))
        assert files.read("-").to_pydict() == {"a": [1], "b": ["x"]}
    files.write(TABLE, "-")
    assert capfdbinary.readouterr().out == b'age,city,pay\n39,Oslo,1.5\n50,"",\n,,3\n'


def test_a_pipe_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", f"printf 'a,b\\n1,2\\n' > {tmp_path}/pipe"]):
        assert files.read(tmp_path / "pipe").to_pydict() == {"a": [1], "b": [2]}


def test_an_existing_output_needs_force(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("old")
    with pytest.raises(RecipeError, match="force=True"):
        files.write(TABLE, tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text() == "old"
    files.write(TABLE, tmp_path / "t.csv", force=True)
    assert files.read(tmp_path / "t.csv").equals(TABLE)


FULL = """
import resource, sys
import numpy as np, pyarrow as pa
from shoal.adapters import files
table = pa.table({"a": np.random.default_rng(0).random(50_000)})
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for place in sys.argv[1:]:
    try:
        files.write(table, place, force=True)
    except files.DataError as refused:
        print(refused)
"""


def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("t.csv", "t.parquet", "t.arrow", "t.csv.gz")]
    for place in places:
        place.write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, *places], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.stdout.count("disk is full") == done.stdout.count("written: nothing") == 4, (
        done.stderr
    )
    assert sorted(tmp_path.iterdir()) == sorted(places)
    assert {place.read_text() for place in places} == {"old"}


def test_real_tables_come_back_the_same(tmp_path: Path) -> None:
    adult = files.read(data_file("adult.parquet"))
    files.write(adult, tmp_path / "adult.csv")
    again = files.read(tmp_path / "adult.csv")
    assert again.column_names == adult.column_names
    texts = files.read(tmp_path / "adult.csv", typed=False)
    assert texts.equals(files.read(data_file("adult.parquet"), typed=False))
    assert again["age"].type == pa.int64()
