"""Spark for tests: a session on Sail, one in a JVM where there is one, and people to divide
there.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import once

os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ.setdefault("RUST_LOG", "warn")  # Sail tells that it stops, at the end of every run

RNG = np.random.default_rng(8)
ROWS = 2000
PEOPLE = pa.table(
    {
        "age": pa.array(RNG.integers(20, 80, ROWS)),
        "ci.ty`": pa.array(
            RNG.choice(["Oslo", "Rome", "Bonn", "07", None], ROWS, p=[0.3, 0.3, 0.2, 0.1, 0.1])
        ),
        "born": pa.array(np.datetime64("1960-01-01") + RNG.integers(0, 9000, ROWS)),
        "pay": pa.array(RNG.choice([1.5, -0.0, 0.0, 20.0, None], ROWS).tolist(), pa.float64()),
        "ill": pa.array(RNG.choice(["flu", "gout", "a, b", None], ROWS)),
        "group": pa.array(RNG.integers(0, 5, ROWS)),
        "name": pa.array([f"n{i}" for i in range(ROWS)]),
    }
)

ADDRESSES = dict[str, str]()
SERVERS = dict[str, int]()
SERVER = """
import os, socket
import once
from pyspark.sql import SparkSession
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
asked = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.port": str(port),
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    # small tables: most time is warming up
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
}
session = SparkSession.builder.master("local[2]").config(map=asked).getOrCreate()
once.serve("jvm", {"port": port, "pid": os.getpid()})
session.stop()
once.stopped("jvm")
"""


@pytest.fixture(scope="session")
def sail() -> Iterator[Any]:
    """A session on Sail, in this process."""
    pysail = pytest.importorskip("pysail.spark")
    sql = pytest.importorskip("pyspark.sql")
    server = pysail.SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    address, port = server.listening_address
    session = sql.SparkSession.builder.remote(f"sc://{address}:{port}").create()
    ADDRESSES[session.session_id] = f"sc://{address}:{port}"
    yield session
    session.stop()
    server.stop()


@pytest.fixture(scope="session")
def jvm() -> Iterator[Any]:
    """A session of Spark itself, with two threads, in the one JVM of the run."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    sql = pytest.importorskip("pyspark.sql")
    told = once.started("jvm", SERVER)
    address = f"sc://127.0.0.1:{told['port']}"
    session = sql.SparkSession.builder.remote(address).create()
    SERVERS[session.session_id] = told["pid"]
    ADDRESSES[session.session_id] = address
    yield session
    session.stop()


@pytest.fixture(params=["sail", pytest.param("jvm", marks=pytest.mark.jvm)], scope="session")
def session(request: pytest.FixtureRequest) -> Any:
    """Both, one after the other."""
    return request.getfixturevalue(request.param)


def frame_of(session: Any, table: pa.Table = PEOPLE) -> Any:
    """The rows in some other order, in several parts."""
    order = np.random.default_rng(1).permutation(table.num_rows)
    return session.createDataFrame(table.take(pa.array(order))).repartition(3)
