"""Tables on Spark: loss beside the table in one piece, k recounted by SQL, time and the driver's
memory as tables grow.

    python -m benchmarks.spark                            a million rows on Sail, and in one piece
    without it
    python -m benchmarks.spark --rows 1000000 10000000    growth
    python -m benchmarks.spark --jvm                      on Spark itself, `local[2]` with 4 GB
    python -m benchmarks.spark --remote sc://host:15002   on another server, which sees the folder
    given by --folder

The table is the hard one of `benchmarks.shoal`. The server is a process of its own; the driver
tells the most memory that it had (VmHWM), and the CPU seconds are of driver and server with all
that these started. Sail keeps nothing between jobs, so shards are divided anew for the groups, the
gate (twice) and the files.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks import adult, measure
from benchmarks.shoal import hard, rows_of
from shoal.engines.local.dividing import groups_of
from shoal.groups import unwatched
from shoal.partition.repair import loss_of
from shoal.recipe import Recipe

CHUNK = 250_000
JVM = """
from pyspark.sql import SparkSession
asked = {{
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.port": "{port}",
    "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "4g",
}}
session = SparkSession.builder.master("local[2]").config(map=asked).getOrCreate()
input()
"""


def main() -> None:
    """Print the table when all of it is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--effort", default="low")
    parser.add_argument("--remote")
    parser.add_argument("--jvm", action="store_true")
    parser.add_argument("--folder")
    parser.add_argument(
        "--beside", type=int, default=1_000_000, help="compare with one piece up to so many rows"
    )
    parser.add_argument("--driver", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.driver:
        print(json.dumps(driver(options)))
        return
    lines = []
    costs = []
    with (
        tempfile.TemporaryDirectory(dir=options.folder) as folder,
        server(options) as (remote, pid),
    ):
        for rows in options.rows:
            found, cpu = measured(options, rows, folder, remote, pid)
            costs.append((rows, cpu))
            whole = alone(rows, options) if rows <= options.beside else None
            lines.append(
                [
                    f"{rows:,}",
                    str(found["shards"]),
                    f"{found['loss'] / rows:.4f}",
                    f"{100 * (found['loss'] / whole - 1):+.2f} %" if whole else "",
                    f"{found['least']:,}",
                    f"{found['seconds']:,.0f}",
                    f"{found['writing']:,.0f}",
                    f"{cpu:,.0f}",
                    f"{found['peak']:.2f}",
                ]
            )
    header = [
        "rows",
        "shards",
        "loss per row",
        "more than in one piece",
        "k by SQL",
        "wall s",
        "writing s",
        "CPU s",
        "driver GB",
    ]
    (first, begun), (last, ended) = costs[0], costs[-1]
    grown = math.log(ended / begun) / math.log(last / first) if last > first else None
    note = f"CPU seconds grow with the power {grown:.2f} of rows." if grown is not None else ""
    where = options.remote or ("a JVM" if options.jvm else "Sail")
    print(
        measure.markdown(
            f"Spark on {where}, k = {options.k}, effort {options.effort}", header, lines, note
        )
    )


def measured(
    options: argparse.Namespace, rows: int, folder: str, remote: str, pid: int | None
) -> tuple[dict[str, Any], float]:
    """What a driver in a process of its own tells, and CPU seconds of it and of the server, if that
    is ours.
    """
    source = Path(folder, f"hard-{rows}")
    source.mkdir()
    for first in range(0, rows, CHUNK):
        pq.write_table(hard(min(CHUNK, rows - first), seed=7 + first), source / f"{first}.parquet")
    command = [
        sys.executable,
        "-m",
        "benchmarks.spark",
        "--driver",
        str(source),
        "--remote",
        remote,
    ]
    before = used(pid)
    done, cost = measure.program([*command, "-k", str(options.k), "--effort", options.effort])
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), cost.cpu + used(pid) - before


def used(pid: int | None) -> float:
    """CPU seconds so far of a process and of all below it, those that have ended counted."""
    below = [] if pid is None else [pid]
    ticks = 0
    for each in below:
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()
            tasks = [
                (task / "children").read_text() for task in Path(f"/proc/{each}/task").iterdir()
            ]
        except OSError:  # it has just ended
            continue
        ticks += sum(map(int, fields[11:15]))
        below += [int(child) for children in tasks for child in children.split()]
    return ticks / os.sysconf("SC_CLK_TCK")


def driver(options: argparse.Namespace) -> dict[str, Any]:
    """One release, written as a folder and recounted there by SQL that shares no code with us."""
    from pyspark.sql import SparkSession

    import shoal

    spark = SparkSession.builder.remote(options.remote).getOrCreate()
    people = spark.read.parquet(options.driver)
    place = Path(options.driver).with_suffix(".released")
    begun = time.perf_counter()
    asked = {"hierarchies": _trees(), "k": options.k, "effort": options.effort, "seed": 1}
    release = shoal.anonymize(people, quasi=adult.QUASI, sensitive=[adult.SENSITIVE], **asked)
    ended = time.perf_counter()
    release.write(place)
    writing = time.perf_counter() - ended
    spark.read.parquet(str(place)).createOrReplaceTempView("released")
    cells = ", ".join(f"`{name}`" for name in adult.QUASI)
    query = (
        "select min(many) as least, sum(many) as all_rows from (select count(*) as many from "
        f"released group by {cells})"
    )
    (counted,) = spark.sql(query).toArrow().to_pylist()
    assert counted["all_rows"] == release.certificate.public.rows
    (cut,) = [
        note for note in release.certificate.private.notes if note.startswith("divided in")
    ] or ["divided in 1 shards"]
    high = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert high
    return {
        "least": counted["least"],
        "loss": release.losses["total-information-loss"],
        "shards": int(cut.split()[2]),
        "seconds": ended - begun,
        "writing": writing,
        "stages": dict(release.seconds),
        "peak": int(high[1]) * 1024 / 1e9,
    }


def alone(rows: int, options: argparse.Namespace) -> float:
    """The loss of the same table in one piece."""
    import pyarrow as pa

    parts = [hard(min(CHUNK, rows - first), seed=7 + first) for first in range(0, rows, CHUNK)]
    table = rows_of(
        pa.concat_tables(parts), adult.QUASI, adult.hierarchies(), sensitive=[adult.SENSITIVE]
    )
    plan = Recipe.of(
        quasi=adult.QUASI,
        sensitive=[adult.SENSITIVE],
        k=options.k,
        effort=options.effort,
        hierarchies=_trees(),
    ).plan()
    return loss_of(groups_of(table, plan, np.random.default_rng(1), unwatched), table) / 2**20


@contextmanager
def server(options: argparse.Namespace) -> Iterator[tuple[str, int | None]]:
    """The address of a server: the one given, or Sail or Spark in a process that ends with us, and
    which.
    """
    if options.remote:
        yield options.remote, None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    sail = [
        str(Path(sys.executable).with_name("sail")),
        "spark",
        "server",
        "--ip",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    command = [sys.executable, "-c", JVM.format(port=port)] if options.jvm else sail
    quiet = os.environ | {"RUST_LOG": "error", "PYSPARK_PYTHON": sys.executable}
    pipes: dict[str, Any] = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
    }
    with subprocess.Popen(command, env=quiet, **pipes) as started:
        try:
            _await(port)
            yield f"sc://127.0.0.1:{port}", started.pid
        finally:
            started.terminate()


def _await(port: int) -> None:
    for _ in range(900):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server does not answer")


def _trees() -> dict[str, str]:
    return {name: tree for name, tree in adult.hierarchies().items() if tree is not None}


if __name__ == "__main__":
    main()
