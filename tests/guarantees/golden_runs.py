"""Runs of golden cases through the public door, each in a folder of its own.

Three names from inside are needed, as the door has no word for them: how many shards, and how many
rows at once. They stand in the three functions at the top, and nowhere else.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, chdir
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

import shoal
import terminal
from guarantees.golden_parts import Parts, certificate_parts, repeatable, table_part, unrepeatable

Run = Callable[[], Parts]


def in_shards(table: pa.Table, shards: int, asked: dict[str, Any]) -> Parts:
    """Anonymize in one process, in shards, as larger engines do it."""
    from shoal.engines.local.engine import LocalEngine
    from shoal.flows.groups import run

    outcome = run(table, shoal.Recipe.of(**asked), LocalEngine(shards=shards))
    assert outcome.groups is not None
    labels = outcome.groups.labels
    return _parts(outcome.table, labels, outcome.certificate, outcome.notices)


def rows_at_once(rows: int) -> AbstractContextManager[Any]:
    """Make the engine on disk read a small table in several pieces."""
    from shoal.engines.disk import memory

    return patch.object(memory, "rows_at_once", lambda memory, recipe: rows)


def rows_of_a_spark_shard(rows: int) -> AbstractContextManager[Any]:
    """Make Spark cut a small table into several shards."""
    from shoal.engines.spark import cutting

    return patch.object(cutting, "SHARD", rows)


JOBS = {
    "baker": "craft", "mason": "craft", "smith": "craft", "tailor": "craft", "nurse": "care",
    "doctor": "care", "midwife": "care", "clerk": "office", "judge": "office", "teacher": "office",
}  # fmt: skip
ILLS = {"flu": "lung", "asthma": "lung", "gout": "joint", "hip": "joint", "ulcer": "gut"}
CODES = ("10115", "10117", "10119", "10243", "10245", "12043", "12045", "20095", "20097")
TODAY = np.datetime64("2024-03-01")


@cache
def people(rows: int = 300, seed: int = 1) -> pa.Table:
    """Invent people of whom most are alone with age, sex and postcode; illness goes with age."""
    rng = np.random.Generator(np.random.PCG64(seed))
    age = 18 + rng.integers(0, 37, rows) + rng.integers(0, 37, rows)
    born = TODAY - age * 365 - rng.integers(0, 365, rows)
    ill = (age // 22 + rng.integers(0, 3, rows)) % len(ILLS)
    height = np.round(150 + 40 * rng.random(rows), 1)
    columns = {
        "name": [f"person {number}" for number in range(rows)],
        "age": age,
        "sex": np.array(["female", "male"])[rng.integers(0, 2, rows)],
        "postcode": np.array(CODES)[rng.integers(0, 9, rows) * rng.integers(1, 9, rows) // 8],
        "born": pa.array(born.astype("datetime64[D]")),
        "job": np.array(list(JOBS))[rng.integers(0, 10, rows)],
        "height": height,
        "ward": np.array(["east", "north", "west"])[rng.integers(0, 3, rows)],
        "illness": np.array(list(ILLS))[ill],
        "cost": 50 * (10 + 4 * ill + rng.integers(0, 8, rows)),
        "weight": 1 + rng.integers(0, 12, rows) / 4,
    }
    return pa.table(columns)


def everyone() -> pa.Table:
    """Invent a population."""
    return people(900)


def sample() -> pa.Table:
    """Take a third of the population."""
    return everyone().slice(300, 300)


@cache
def with_gaps() -> pa.Table:
    """Invent people some of whose cells are missing, in quasi-identifiers and in illness."""
    table, rng = people(), np.random.Generator(np.random.PCG64(2))
    for name in ("age", "job", "illness"):
        gone = rng.random(table.num_rows) < 0.06
        column = pa.array(table[name].to_numpy(zero_copy_only=False), mask=gone)
        table = table.set_column(table.column_names.index(name), name, column)
    return table


@cache
def visits() -> pa.Table:
    """Invent people with one to three rows each, all rows in random order."""
    rng = np.random.Generator(np.random.PCG64(3))
    of = np.repeat(np.arange(150), rng.integers(1, 4, 150))
    table = people(150).take(pa.array(of))
    table = table.append_column("patient", pa.array([f"p{number}" for number in of.tolist()]))
    return table.take(pa.array(rng.permutation(len(of))))


BASE: dict[str, Any] = {
    "quasi": ["age", "sex", "postcode"],
    "sensitive": ["illness"],
    "identifiers": ["name"],
    "hierarchies": {"postcode": "masks:length=5"},
    "k": 5,
    "seed": 7,
}


def released(
    method: str = "mondrian",
    *,
    of: Callable[[], Any] = people,
    everyone: Callable[[], Any] | None = None,
    **asked: Any,
) -> Run:
    """Anonymize `of()` through the Python door; `everyone()` is the population."""
    given = {**BASE, "method": method, **asked}

    def run() -> Parts:
        beside = {} if everyone is None else {"population": everyone()}
        release = shoal.anonymize(of(), **given, **beside)
        return _parts(release.table, release.groups, release.certificate, release.notices)

    return run


def checked(method: str = "mondrian", **asked: Any) -> Run:
    """Anonymize, then verify and audit what was published."""
    given = {**BASE, "method": method, **asked}

    def run() -> Parts:
        release = shoal.anonymize(people(), **given)
        found = shoal.verify(release.table, release.certificate, original=people())
        columns = {"quasi": given["quasi"], "sensitive": given["sensitive"]}
        return {"verify": found, "audit": shoal.audit(release.table, **columns)}

    return run


def audited(of: Callable[[], Any] = people, **asked: Any) -> Run:
    """Audit a table as it came."""
    given = {"quasi": BASE["quasi"], "sensitive": BASE["sensitive"], **asked}
    return lambda: {"audit": shoal.audit(of(), **given)}


def sharded(method: str, shards: int, *, of: Callable[[], pa.Table] = people, **asked: Any) -> Run:
    """Anonymize in shards, in this process."""
    return lambda: in_shards(of(), shards, {**BASE, "method": method, **asked})


def typed(*words: object, out: str, pieces: int | None = None, also: tuple[str, ...] = ()) -> Run:
    """Anonymize or distort by a typed command, on disk in pieces of so many rows if `pieces`.

    `also` names further files that the command writes.
    """

    def run() -> Parts:
        with rows_at_once(pieces or 1):
            said = terminal.shoal(*words, "-o", out, "--json")
        assert said.code == 0, said.err
        summary = {name: value for name, value in said.json.items() if name != "seconds"}
        public = json.loads(_text(f"{out}.certificate.json"))
        private = json.loads(_text(f"{out}.private.json"))
        parts = certificate_parts(public, private) | {"json": summary}
        written = parquet.read_table(out) if out.endswith(".parquet") else _text(out)
        table = table_part(written) if isinstance(written, pa.Table) else written
        return parts | {"table": table} | {name: _text(name) for name in also}

    return run


def distorted(method: str, **asked: Any) -> Run:
    """Perturb three columns of numbers."""

    def run() -> Parts:
        columns = ["age", "height", "cost"]
        found = shoal.distort(people(), columns=columns, method=method, **asked)
        return _parts(found.table, None, found.certificate, found.notices)

    return run


@cache
def sail() -> Any:
    """Open a session on Sail, in this process and for as long as it lives."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    address, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://{address}:{port}").create()
    atexit.register(server.stop)
    atexit.register(session.stop)
    return session


def on_spark(method: str, shard: int, *, of: Callable[[], pa.Table] = people, **asked: Any) -> Run:
    """Anonymize on Spark, in shards of about so many rows."""
    given = {**BASE, "method": method, **asked}

    def run() -> Parts:
        with unrepeatable(), rows_of_a_spark_shard(shard):  # sessions and jobs have random names
            release = shoal.anonymize(sail().createDataFrame(of()).repartition(3), **given)
            table = table_part(release.table, ordered=False)
            # Two rows that differ in nothing the method sees may change places: Sail hands them
            # over in any order.
            seen = [*given["quasi"], *given["sensitive"], "group"]
            labels = table_part(release.groups.select(*seen), ordered=False)
        parts = certificate_parts(
            release.certificate.public.as_dict(), release.certificate.private.as_dict()
        )
        return parts | {"table": table, "labels": labels}

    return run


def carried_out(run: Run, folder: Path) -> Parts:
    """Run a case in an empty folder, with files to read and chance that repeats."""
    with chdir(folder), repeatable():
        laid_out()
        return run()


def laid_out() -> None:
    """Write the files that cases read into the current folder."""
    arrow_csv.write_csv(people(), "people.csv")
    parquet.write_table(people(600), "people.parquet")
    parquet.write_table(with_gaps(), "gaps.parquet")
    arrow_csv.write_csv(everyone(), "everyone.csv")
    for name, tree in (("job", JOBS), ("illness", ILLS)):
        lines = "".join(f"{leaf};{node};*\n" for leaf, node in tree.items())
        Path(f"{name}.csv").write_text(lines, encoding="utf-8")
    Path("short.csv").write_text("baker;craft;*\n", encoding="utf-8")
    Path("ragged.csv").write_text("name,age,sex\nAda,39,female\nBob,41\n", encoding="utf-8")


def _parts(table: Any, labels: Any, certificate: Any, notices: tuple[str, ...]) -> Parts:
    parts = certificate_parts(certificate.public.as_dict(), certificate.private.as_dict())
    parts["notes"]["notices"] = list(notices)
    return parts | {"table": table_part(table), "labels": labels}


def _text(path: str) -> str:
    return Path(path).read_bytes().decode()
