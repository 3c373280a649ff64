"""Databases behind every door: tables named behind an address, perturbed tables, and what an
interruption leaves.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.postgres import Server

import shoal
from served import ASKED, PEOPLE, put
from shoal.adapters import databases, files, tables
from shoal.adapters.databases import DuckDB, SQLite, parted
from shoal.adapters.databases.address import Name
from shoal.declare import memory
from shoal.errors import DataError, RecipeError, ShoalError
from terminal import Said, snapshot
from terminal import shoal as run

pytestmark = pytest.mark.usefixtures("folder")

NOISE = ("--method", "noise:scale=0.4", "--seed", "1")
"""With a seed: among noises that are drawn, an attack takes one in some hundred off by chance."""


def done(*args: object) -> Said:
    said = run(*args)
    assert said.code == 0, said.err
    return said


@pytest.mark.parametrize("url", ["postgresql", "sqlite"], indirect=True)
def test_every_door_takes_a_table_behind_an_address(
    url: str, postgres: Server, folder: Path
) -> None:
    put(url, PEOPLE)
    people, released, noisy = (f"{url}#{name}" for name in ("patients", "released", "noisy"))
    said = [
        done(
            "anonymize",
            people,
            "-o",
            released,
            *ASKED,
            "--population",
            people,
            "--save-recipe",
            "recipe.toml",
        ),
        done(
            "verify",
            released,
            "released.certificate.json",
            "--original",
            people,
            "--population",
            people,
        ),
        done("attack", released, "--original", people, "--register", people, "--earlier", released),
        done(
            "mine",
            released,
            "--original",
            people,
            "--test",
            people,
            "--tasks",
            "distributions",
            "--json",
        ),
        done("audit", released, "-q", "age,zip", "--population", people),
        done("inspect", people),
        done("compare", people, "-q", "age,zip", "--methods", "mondrian", "--k", "4"),
        done("distort", people, "-o", noisy, "--columns", "age", *NOISE),
        done("verify", noisy, "noisy.certificate.json"),
        done("attack", noisy, "--original", people),
    ]
    assert list(said[3].json["releases"]) == [
        tables.shown(released)
    ] and "table released" in tables.shown(released)
    assert "--table patients" in said[5].out and Path("patients.compare.jsonl").exists()
    papers = {
        name: data for name, data in snapshot(folder).items() if not name.startswith("base.db")
    }
    assert len(papers) == 6 and '"risks"' in papers["released.certificate.json"].decode()
    told = "".join(each.out + each.err for each in said) + "".join(
        data.decode() for data in papers.values()
    )
    assert postgres.password not in told and "owner:" not in told and "#patients" not in told


def test_population_in_a_database_is_one_like_any_other(base: str) -> None:
    put(base, PEOPLE)
    asked = {
        "quasi": ["age", "zip"],
        "method": "mondrian",
        "k": 4,
        "seed": 1,
        "models": ["k-map:k=4"],
    }
    one, other = (
        shoal.anonymize(PEOPLE, population=everyone, **asked)
        for everyone in (PEOPLE, f"{base}#patients")
    )
    assert one.risks == other.risks and one.certificate.public == other.certificate.public
    files.write(PEOPLE, "people.csv")
    recipe = shoal.Recipe.of(**asked, population=f"{base}#patients")
    with pytest.raises(RecipeError, match="names a population by its address"):
        shoal.anonymize(PEOPLE, recipe=recipe)
    third = shoal.anonymize(PEOPLE, recipe=recipe, population=f"{base}#patients")
    assert (
        third.risks == one.risks
        and third.certificate.public == one.certificate.public
        and third.recipe.population is None
    )
    said = run(
        "anonymize",
        "people.csv",
        "-o",
        "x.csv",
        *ASKED,
        "--memory",
        "2GB",
        "--population",
        f"{base}#patients",
    )
    assert said.code == 2 and "the disk engine (--memory) can't do --population" in said.err


def test_numbers_are_perturbed_from_table_to_table(url: str) -> None:
    put(url, PEOPLE)
    done(
        "distort",
        url,
        "--table",
        "patients",
        "-o",
        url,
        "--to",
        "noisy",
        "--columns",
        "age",
        "--round",
        "--as-published",  # 40 ages: how many are read off is a matter of luck
    )
    before = databases.read(url, "patients")
    after = databases.read(url, "noisy")
    assert after.drop_columns("age").equals(before.drop_columns("age")) and not after["age"].equals(
        before["age"]
    )
    assert (
        run(
            "distort", url, "--table", "patients", "-o", url, "--to", "noisy", "--columns", "age"
        ).code
        == 2
    )  # exists
    assert (
        run(
            "distort",
            url,
            "--table",
            "patients",
            "-o",
            url,
            "--to",
            "patients",
            "--columns",
            "age",
            "--force",
        ).code
        == 2
    )
    found = shoal.distort(url, table="patients", columns="age", as_published=True)
    found.write(url, table="again")
    assert databases.read(url, "again")["age"].equals(found.table["age"])


def test_what_stands_behind_an_address() -> None:
    assert parted("sqlite:///a.db#ward.patients") == ("sqlite:///a.db", "ward.patients")
    # Only the name of a parameter tells that its value is a secret.
    keyed = "postgresql://me@/db?host=/tmp/monkey"
    assert parted(f"{keyed}#patients") == (keyed, "patients")
    assert parted("sqlite:///a#b.db", "patients") == (
        "sqlite:///a#b.db",
        "patients",
    )  # as it was named
    secret = [
        "postgresql://me:a#b@host/x",
        "postgresql://host/x?password=a#b",
        "mssql:///?odbc_connect=UID=me;PWD=a#b",
    ]
    for url in (*secret, "people#1.csv"):
        assert parted(url) == (url, None)


@pytest.mark.parametrize(
    "place", ["https://x.org/a.csv", "s3://bucket/a.parquet", "dbfs:/a", "sc://host:15002"]
)
def test_what_leads_to_no_database_is_told(place: str) -> None:
    with pytest.raises(RecipeError, match="leads to no database"):
        databases.read(place, None)


def test_dates_of_sqlite_are_dates(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "base.db") as connection:
        connection.execute("CREATE TABLE t (born DATE, seen, code TEXT, mixed TEXT)")
        rows = [("1970-02-01", "x"), (None, "1970-02-01")]
        connection.executemany("INSERT INTO t VALUES (?, datetime(0, 'unixepoch'), '007', ?)", rows)
    for kind in ("sqlite", "sqlite+pysqlite"):
        found = databases.read(f"{kind}:///{tmp_path}/base.db", "t")
        assert [str(each) for each in found.schema.types] == [
            "date32[day]",
            "timestamp[us]",
            "string",
            "string",
        ]
        left = tables.read(
            f"{kind}:///{tmp_path}/base.db#t", typed=False
        )  # a release is recounted by what stands there
        assert left["seen"].to_pylist() == ["1970-01-01 00:00:00"] * 2


# What an interruption leaves


def test_interrupted_while_sqlite_is_filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pa.table({"number": np.arange(300_000)})
    sent = threading.Event()

    def interrupt() -> None:
        while not list(folder.glob(".*-journal")):
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()

    def load(session: SQLite, name: Name, table: pa.Table, fill: Any = SQLite.load) -> None:
        fill(session, name, table)
        sent.wait()  # a quick machine may be done with the rows before the signal comes

    monkeypatch.setattr(SQLite, "load", load)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            put("sqlite:///new.db", rows)
    finally:
        signal.signal(signal.SIGINT, before)
    assert snapshot(folder) == {}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_interrupted_while_a_new_file_is_opened(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        if kind == "duckdb":
            assert list(folder.iterdir())
        raise KeyboardInterrupt

    monkeypatch.setattr(
        {"sqlite": SQLite, "duckdb": DuckDB}[kind],
        "kind" if kind == "sqlite" else "execute",
        interrupted,
    )
    with pytest.raises(KeyboardInterrupt):
        put(f"{kind}:///new.db", PEOPLE)
    assert snapshot(folder) == {}


def test_new_file_takes_its_journal_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(SQLite, "close", broken)  # a disk that is full
    with pytest.raises(ShoalError), databases.Written("sqlite:///new.db", "t") as written:
        written.fill(pa.table({"number": np.arange(200_000)}))
        assert list(folder.glob(".*-journal"))
        raise ShoalError("nothing goes any more")
    assert snapshot(folder) == {}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "sqlite+pysqlite"])
@pytest.mark.parametrize("fails", [False, True])
def test_database_that_somebody_else_made_meanwhile_stays(
    kind: str, fails: bool, folder: Path
) -> None:
    written = databases.Written(f"{kind}:///new.db", "t")
    with pytest.raises(ShoalError, match="too late" if fails else "somebody else"), written:
        written.fill(PEOPLE)
        Path("new.db").write_text("theirs")
        if fails:
            raise ShoalError("too late")
        written.place()
    assert snapshot(folder) == {"new.db": b"theirs"}


@pytest.mark.parametrize("ending", ["-wal", "-journal", ".wal"])
def test_what_is_left_of_another_database_is_neither_played_nor_removed(
    ending: str, folder: Path
) -> None:
    """SQLite and DuckDB would play it into the next database of that name."""
    left = {f"new.db{ending}": b"theirs"}
    Path(f"new.db{ending}").write_text("theirs")
    for refuse in (put, lambda url, _: databases.check_target(url, "t")):
        with pytest.raises(DataError, match="is left of a database"):
            refuse("sqlite:///new.db", PEOPLE)
        assert snapshot(folder) == left


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_interrupted_when_a_new_file_has_just_taken_its_name(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = databases._named

    def interrupted(*paths: Path) -> None:
        named(*paths)
        assert Path("new.db").exists()
        raise KeyboardInterrupt

    monkeypatch.setattr(databases, "_named", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(f"{kind}:///new.db", PEOPLE)
    assert snapshot(folder) == {}


@pytest.mark.parametrize("url", ["postgresql", "sqlite", "duckdb"], indirect=True)
def test_table_too_large_for_the_memory_is_refused_before_it_is_read(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(url, PEOPLE)
    monkeypatch.setattr(memory, "free", lambda: 20_000)
    assert databases.read(url, "patients").num_rows == 40
    put(url, pa.concat_tables([PEOPLE] * 20), force=True)
    with pytest.raises(
        DataError,
        match=r"table 'patients' is too large for the memory .*\n.*\n.*\n.*\n.*memory=\"2GB\"",
    ):
        databases.read(url, "patients")


def test_partitions_are_measured_together(
    base: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [
        f"CREATE TABLE ward.p{i} PARTITION OF ward.whole FOR VALUES IN ({i})" for i in range(3)
    ]
    rows = "INSERT INTO ward.whole SELECT i % 3, repeat('x', 100) FROM generate_series(1, 300) AS i"
    postgres.run("CREATE TABLE ward.whole (n int, t text) PARTITION BY LIST (n)", *parts, rows)
    assert databases.read(base, "whole").num_rows == 300
    monkeypatch.setattr(memory, "free", lambda: 30_000)
    with pytest.raises(DataError, match="too large"):
        databases.read(base, "whole")


def test_columns_that_are_not_read_do_not_count(
    base: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill = (
        "INSERT INTO ward.photos SELECT i, decode(repeat(md5(i::text), 4000), 'hex') FROM "
        "generate_series(1, 20) AS i"
    )
    as_they_are = "ALTER TABLE ward.photos ALTER photo SET STORAGE EXTERNAL"
    postgres.run("CREATE TABLE ward.photos (n int, photo bytea)", as_they_are, fill)
    monkeypatch.setattr(memory, "free", lambda: 100_000)
    assert databases.read(base, "photos").num_rows == 20
