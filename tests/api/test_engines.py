"""Engines at the Python door: `memory=`, `engine=`, and releases that lie in a file till
written.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from shoal.adapters import files
from shoal.engines.disk import DiskEngine
from shoal.engines.local import LocalEngine
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from terminal import PATIENCE

RNG = np.random.default_rng(4)
ROWS = 600
PEOPLE = pa.table(
    {
        "age": pa.array(RNG.integers(20, 80, ROWS)),
        "city": pa.array(RNG.choice(["Oslo", "Rome", "Bonn"], ROWS)),
        "ill": pa.array(RNG.choice(["flu", "gout", None], ROWS)),
        "name": pa.array([f"n{i}" for i in range(ROWS)]),
    }
)
ASKED: dict[str, Any] = {
    "quasi": ["age", "city"],
    "sensitive": ["ill"],
    "identifiers": ["name"],
    "k": 4,
    "seed": 3,
    "effort": "low",
}


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def source(tmp_path: Path) -> Path:
    place = tmp_path / "people.parquet"
    parquet.write_table(PEOPLE, place)
    return place


def test_memory_means_the_disk_engine_and_gives_the_same_release(
    source: Path, temporary: Path, tmp_path: Path
) -> None:
    whole = shoal.anonymize(source, **ASKED)
    release = shoal.anonymize(source, **ASKED, memory="2GB")
    assert release.table.equals(whole.table) and release.published.equals(whole.published)
    assert release.certificate.public == whole.certificate.public
    assert [path.stat().st_mode & 0o777 for path in temporary.iterdir()] == [0o700]
    for ending in ("parquet", "csv", "csv.gz"):
        place = tmp_path / f"released.{ending}"
        release.write(place)
        assert files.read(place, typed=False).equals(files.as_texts(whole.table))
        assert shoal.verify(place, release.certificate).holds
        assert place.stat().st_mode & 0o777 == source.stat().st_mode & 0o777
    left = {path.name for path in tmp_path.iterdir() if path.name.startswith(".")}
    assert not left


def test_temporary_files_are_gone_with_the_release(source: Path, temporary: Path) -> None:
    release = shoal.anonymize(source, **ASKED, memory="2GB")
    assert [path.name for path in next(temporary.iterdir()).iterdir()] == ["release.parquet"]
    del release
    gc.collect()
    assert not list(temporary.iterdir())
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(source, **{**ASKED, "models": ["l-diversity:l=9"]}, memory="2GB")
    assert not list(temporary.iterdir())


def test_temporary_files_are_gone_with_the_process(source: Path, temporary: Path) -> None:
    script = (
        "import shoal, sys, tempfile\n"
        f"tempfile.tempdir = {str(temporary)!r}\n"
        f"kept = shoal.anonymize({str(source)!r}, quasi=['age', 'city'], k=4, memory='2GB')\n"
        f"assert len(__import__('os').listdir({str(temporary)!r})) == 1\n"
        "sys.exit(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE)
    assert done.returncode == 3 and not list(temporary.iterdir())


@pytest.mark.parametrize("kind", [pa.Table, pd.DataFrame, pl.DataFrame])
def test_a_frame_comes_back_as_its_kind(kind: type, temporary: Path) -> None:
    frames = {
        pa.Table: PEOPLE,
        pd.DataFrame: PEOPLE.to_pandas(),
        pl.DataFrame: pl.from_arrow(PEOPLE),
    }
    release = shoal.anonymize(frames[kind], **ASKED, memory=2_000_000_000)
    assert isinstance(release.table, kind)
    assert release.published.equals(shoal.anonymize(PEOPLE, **ASKED).published)


def test_engines_go_by_name_or_as_objects(source: Path) -> None:
    whole = shoal.anonymize(source, **ASKED, engine="local")
    assert shoal.anonymize(source, **ASKED, engine="disk").table.equals(whole.table)
    shards = shoal.anonymize(source, **ASKED, engine=LocalEngine(shards=3))
    assert "divided in 3 shards" in shards.certificate.private.notes
    parts = shoal.anonymize(source, **ASKED, engine=DiskEngine(rows=300))
    assert parts.table.equals(shards.table)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"engine": "local", "memory": "2GB"}, 'memory can\'t be used with engine="local"'),
        ({"engine": "spark"}, "takes a Spark DataFrame"),
        ({"engine": "sprak"}, "there is no engine 'sprak'"),
        ({"engine": LocalEngine(), "memory": "2GB"}, "memory can't be used"),
        ({"memory": "much"}, "no size of memory"),
        ({"memory": "1MB"}, "too little"),
        ({"memory": 2.5}, "too little"),
        ({"memory": ["2GB"]}, "no size of memory"),
        ({"engine": 5}, "an engine is given by its name"),
        ({"engine": LocalEngine}, "an engine is given by its name"),
        (
            {"memory": "2GB", "keep_order": True, "quasi": ["agee"]},
            r"(?s)agee.*can't do keep_order",
        ),
        ({"memory": "2GB", "population": "nowhere.csv"}, "can't do population"),
        ({"memory": "2GB", "method": "nsvdist", "effort": None}, 'can\'t do method="nsvdist"'),
    ],
)
def test_what_does_not_go_together_is_refused(
    source: Path, temporary: Path, asked: dict[str, Any], said: str
) -> None:
    with pytest.raises(RecipeError, match=said) as refused:
        shoal.anonymize(source, **{**ASKED, **asked})
    assert refused.value.exit_code == 2 and not list(temporary.iterdir())


def test_files_that_only_open_as_a_whole_and_addresses_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="reads files"):
        shoal.anonymize("sqlite:///base.db", **ASKED, memory="2GB")
    with pytest.raises(RecipeError, match="reads files"):
        shoal.anonymize("sqlite:///base.db", table="people", **ASKED, memory="2GB")
    with pytest.raises(DataError, match="can't be read"):
        shoal.anonymize(tmp_path / "nothing.csv", **ASKED, memory="2GB")


def test_labels_and_reports_need_the_table_in_memory(source: Path, tmp_path: Path) -> None:
    release = shoal.anonymize(source, **ASKED, memory="2GB")
    with pytest.raises(RecipeError, match=r"can't do release\.groups"):
        _ = release.groups
    for write in (
        lambda: release.report(tmp_path / "report.html"),
        lambda: release.write(tmp_path / "released.csv", report=tmp_path / "report.html"),
    ):
        with pytest.raises(RecipeError, match="in memory"):
            write()
    for place in ("released.arrow", "-", "sqlite:///base.db"):
        with pytest.raises(RecipeError):
            release.write(tmp_path / place if "." in place and ":" not in place else place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet"]


def test_write_is_whole_or_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(source, **ASKED, memory="2GB")
    (tmp_path / "there.parquet").write_text("old")
    with pytest.raises(RecipeError, match="exists"):
        release.write(tmp_path / "there.parquet")
    assert (tmp_path / "there.parquet").read_text() == "old"
    spoiled = release.published.set_column(1, "city", pa.array(["*"] * ROWS))
    honest = type(release.outcome.table).parts
    monkeypatch.setattr(
        type(release.outcome.table),
        "parts",
        lambda file: shoal.distortions.parts.TableParts.of(spoiled),
    )
    with pytest.raises(ShoalError, match="does not hold the release"):
        release.write(tmp_path / "released.csv")
    monkeypatch.setattr(type(release.outcome.table), "parts", honest)
    assert not [path for path in tmp_path.iterdir() if "released" in path.name]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_release_that_was_changed_behind_our_back_is_not_written_again(
    source: Path, tmp_path: Path, ending: str
) -> None:
    """The first file may be the release itself under a second name, and anyone may open it."""
    release = shoal.anonymize(source, **ASKED, memory="2GB")
    release.write(tmp_path / "first.parquet")
    release.write(tmp_path / "second.parquet")
    with (tmp_path / "first.parquet").open("r+b") as file:
        changed = PEOPLE.select(["age", "city", "ill"])
        parquet.write_table(changed.set_column(0, "age", changed["age"].cast("string")), file)
        file.truncate()
    with pytest.raises(ShoalError):
        release.write(tmp_path / f"third.{ending}")
    assert not [path for path in tmp_path.iterdir() if "third" in path.name]
    assert shoal.verify(tmp_path / "second.parquet", release.certificate).holds
