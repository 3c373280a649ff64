"""A million rows out of PostgreSQL and back into it, beside a plain copy by ADBC in the same run.

    python -m benchmarks.databases [--rows 1000000] [--times 3]

The server starts and stops by itself. Seconds are of the clock, for the server works too; the least
of several runs counts. Ours reads in a read-only transaction, makes plain columns, writes under a
hidden name, reads everything back for the gate, and renames; the plain copy reads and writes, no
more. Goal: within 3 times. What the gate does with the rows that were read back (recounting and
hashing) and the anonymizing itself are shown apart.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa

import shoal
from benchmarks import adult, measure
from benchmarks.postgres import Server, server
from benchmarks.shoal import hard
from shoal.adapters import databases, files

GOAL = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    table = hard(asked.rows)
    with server() as running:
        copied(running.url(), table, "people")
        lines, ratio = copies(running, asked.times)
        lines += release(running)
        print(
            measure.markdown(
                f"PostgreSQL, {asked.rows:,} rows, {table.num_columns} columns",
                ["", "seconds", ""],
                lines,
            )
        )
    print(f"\n{ratio:.2f} times a plain copy, goal {GOAL:g}")
    assert ratio <= GOAL


def copies(running: Server, times: int) -> tuple[list[list[str]], float]:
    """Both ways from table to table, turn by turn."""
    url = running.url()
    found: dict[str, list[float]] = {"plain copy": [], "ours": []}
    for _ in range(times):
        found["plain copy"].append(
            seconds(lambda: copied(url, plainly_read(url, "people"), "plain"))
        )
        found["ours"].append(seconds(lambda: ours(url)))
        running.run("DROP TABLE plain", "DROP TABLE ours", "CHECKPOINT")
    least = {name: min(several) for name, several in found.items()}
    ratio = least["ours"] / least["plain copy"]
    return [
        ["plain copy", f"{least['plain copy']:.2f}", ""],
        ["ours", f"{least['ours']:.2f}", f"{ratio:.2f} times"],
    ], ratio


def ours(url: str) -> None:
    table = databases.read(url, "people")
    with databases.Written(url, "ours") as written:
        written.fill(table)
        written.read()
        written.place()


def release(running: Server) -> list[list[str]]:
    """From table to verified table, by the public door."""
    url = running.url()
    start = time.perf_counter()
    roles = {
        "quasi": adult.QUASI,
        "sensitive": [adult.SENSITIVE],
        "hierarchies": adult.hierarchies(),
    }
    made = shoal.anonymize(url, table="people", **roles, k=10, effort="low", seed=1)
    between = time.perf_counter()
    cells = files.as_texts(made.published)
    gate = seconds(lambda: made._recount(cells))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "released.certificate.json")
        writing = seconds(lambda: made.write(url, table="released", certificate=place))
    return [
        ["reading and anonymizing (effort=low, k = 10)", f"{between - start:.2f}", ""],
        ["writing the release, gate included", f"{writing:.2f}", ""],
        ["of which the gate", f"{gate:.2f}", ""],
    ]


def plainly_read(url: str, name: str) -> pa.Table:
    with adbc.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {name}")
        return cursor.fetch_arrow_table()


def copied(url: str, table: pa.Table, name: str) -> None:
    with adbc.connect(url) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest(name, table, mode="create")
        connection.commit()


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
