"""Spark: columns of any type and name, those that are published and those that only go along with
their rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
import terminal
from clusters import ADDRESSES, PEOPLE
from shoal.adapters import files, folders
from shoal.engines.spark import engine, reading
from shoal.engines.spark import fingerprint as marking
from shoal.errors import DataError
from shoal.review.fingerprint import fingerprint

FEW = PEOPLE.slice(0, 60)
ASKED: dict[str, Any] = {"quasi": ["age"], "k": 5, "effort": "low", "seed": 1}
ODD = {
    "moment": "timestamp '2020-01-01 10:00:00'",
    "clock": "timestamp_ntz '2020-01-01 10:00:00'",
    "list": "array(1, 2)",
    "inner": "named_struct('a b', 1, 'c`:d', map('x', age))",
    "nothing": "cast(null as void)",
    "exact": "cast(1.5 as decimal(38, 18))",
    "bytes": "cast('x' as binary)",
    "small": "cast(age as tinyint)",
}


def test_rows_of_any_type_get_their_label(sail: Any) -> None:
    frame = sail.createDataFrame(FEW.select(["age", "name"])).selectExpr(
        "age", "name", *(f"{spelled} as `{name}`" for name, spelled in ODD.items())
    )
    release = shoal.anonymize(frame, **ASKED, keep=["moment", "nothing"], force_keep=["moment"])
    labelled = release.groups.toArrow()
    assert labelled.column_names == ["age", "name", *ODD, "group"]
    rows = {name: row for row in frame.toArrow().to_pylist() if (name := row["name"])}
    found = labelled.drop_columns(["group"]).to_pylist()
    assert len(found) == 60 and all(str(row) == str(rows[row["name"]]) for row in found)
    published = release.table.toArrow()
    assert published["moment"].to_pylist() == [next(iter(rows.values()))["moment"]] * 60
    assert published["nothing"].null_count == 60


def test_names_that_differ_in_capitals_alone_are_refused(sail: Any) -> None:
    twins = sail.createDataFrame(FEW).selectExpr("age", "name as AGE")
    for door in (shoal.anonymize, shoal.audit):
        with pytest.raises(DataError, match="capitals alone") as refused:
            door(twins, quasi=["age"])
        assert "'age', 'AGE'" in str(refused.value)


def test_terminal_says_what_is_wrong_with_a_folder(
    sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no table").write_text("hunter2\n")
    (tmp_path / "released").mkdir()
    asked = ("--engine", "spark", "--remote", ADDRESSES[sail.session_id])
    for place in ("nowhere", "no table"):
        for command in (
            ("anonymize", place, "-o", "new", "-q", "age"),
            ("audit", place, "-q", "age"),
        ):
            said = terminal.shoal(*command, *asked)
            assert (
                said.code == 3
                and f"finds no Parquet files in '{place}'" in said.err
                and "hunter2" not in said.err
            )
    said = terminal.shoal("anonymize", "people", "-o", "released", "-q", "age", "--force", *asked)
    assert said.code == 2 and "'released' exists" in said.err and "never replaced" in said.err
    (tmp_path / "delta/_delta_log").mkdir(parents=True)
    (tmp_path / "delta/_delta_log/0.json").touch()
    assert "table of Delta" in terminal.shoal("audit", "delta", "-q", "age", *asked).err
    assert folders.members("released") == ()


def test_columns_that_folders_tell_are_those_of_the_same_table_in_memory(
    session: Any, tmp_path: Path
) -> None:
    """Servers differ: Spark takes `01` for 1, Sail takes every year for a text and a missing value
    for its spelling.
    """
    for year, month, day in (
        ("2023", "01", "1.5"),
        ("__HIVE_DEFAULT_PARTITION__", "12", "2"),
        ("2024", "x%2Fy", "2"),
    ):
        place = tmp_path / f"year={year}/month={month}/width={day}/0.parquet"
        place.parent.mkdir(parents=True)
        parquet.write_table(FEW.select(["age"]), place)
    there = reading.read(str(tmp_path), ADDRESSES[session.session_id]).toArrow()
    here = files.read(tmp_path)
    keys = [(name, "ascending") for name in here.column_names]
    assert there.sort_by(keys).to_pydict() == here.sort_by(keys).to_pydict()
    assert (
        there.schema.types[1:] == [pa.int64(), pa.string(), pa.float64()]
        and there["year"].null_count
    )


def test_labels_of_moments_in_any_zone_are_taken_back() -> None:
    """What Spark hands out bears the zone of the session, and what it takes bears UTC."""
    from shoal.engines.spark.batches import in_utc

    moments = pa.array([0, None, 10**15], pa.timestamp("us", "Europe/Oslo"))
    found = in_utc(
        pa.table({"at": moments, "clock": moments.cast(pa.timestamp("us")), "n": [1, 2, 3]})
    )
    assert [str(kind) for kind in found.schema.types] == [
        "timestamp[us, tz=UTC]",
        "timestamp[us]",
        "int64",
    ]
    assert found["at"].cast(pa.int64()).equals(pa.chunked_array([moments.cast(pa.int64())]))


def test_what_is_cached_is_let_go(sail: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows as codes when all is done; boxes, from which the release is computed, only where it is
    refused.
    """
    frame = sail.createDataFrame(FEW)
    done = list[str]()
    for name in ("persist", "unpersist"):
        monkeypatch.setattr(type(frame), name, lambda self, name=name: (done.append(name), self)[1])
    shoal.anonymize(frame, **ASKED)
    assert done == ["persist", "persist", "unpersist"]
    done.clear()
    shoal.audit(frame, quasi=["age"])
    assert done == ["persist", "unpersist"]
    done.clear()
    monkeypatch.setattr(engine, "recounted", lambda *given: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        shoal.anonymize(frame, **ASKED)
    assert done == ["persist", "persist", "unpersist", "unpersist"]


def test_hash_of_rows_sorted_in_several_buckets_is_that_of_the_table(
    sail: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marking, "BUCKET", 7)
    release = shoal.anonymize(sail.createDataFrame(FEW).repartition(3), **ASKED, sensitive=["ill"])
    assert release.certificate.public.hash == fingerprint(release.table.toArrow())


def test_texts_are_understood_where_rows_lie(sail: Any) -> None:
    rows = 60
    people = pa.table(
        {
            "born": [f"{1 + n % 28:02}.{1 + n % 12:02}.{1950 + n}" for n in range(rows)],
            "size": [f"1,{50 + n % 40}" for n in range(rows)],
            "cost": [f"{n % 20},50" for n in range(rows)],
            "ill": ["flu", "asthma", "n/a"] * (rows // 3),
        }
    )
    asked: dict[str, Any] = {
        "quasi": ["born", "size"],
        "sensitive": ["cost", "ill"],
        "read_as": {"cost": "number"},
        "na": ["n/a"],
        "k": 5,
        "seed": 1,
        "effort": "low",
    }
    local = shoal.anonymize(people, **asked)
    on_spark = shoal.anonymize(sail.createDataFrame(people), **asked)
    assert on_spark.certificate.public.hash == local.certificate.public.hash
    assert on_spark.notices == local.notices
