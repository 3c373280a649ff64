"""Long tables: what shards cost in loss, and files larger than memory.

    python -m benchmarks.scale                       shards (up to a million rows) and memory (three
    million)
    python -m benchmarks.scale memory --rows 20000000 --memory 2GB

The table is the hard one of `benchmarks.shoal`: Adult drawn again, most rows changed. Peaks are
those that the program reads of itself when it ends (VmHWM: what a parent had in memory before does
not count). Read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks import adult, measure
from benchmarks.shoal import hard, rows_of
from shoal.engines.local.dividing import groups_of
from shoal.groups import unwatched
from shoal.partition.repair import loss_of
from shoal.recipe import Recipe

CHUNK = 500_000
PROGRAM = """
import atexit
from pathlib import Path
atexit.register(lambda: print(Path("/proc/self/status").read_text(), file=open({peak!r}, "w")))
from shoal.cli import main
main()
"""


def main() -> None:
    """Print each table as soon as it is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", default=list(SECTIONS))
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--effort", default="low")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name in options.sections:
        for text in SECTIONS[name](options):
            print(text, flush=True)


def shards(options: argparse.Namespace) -> Iterator[str]:
    """Loss and CPU seconds of dividing, in one piece and in shards, default effort."""
    tables = {"Adult": adult.table()} | {
        f"hard, {n:,} rows": hard(n) for n in (100_000, 1_000_000) if n <= options.rows
    }
    lines = []
    for name, table in tables.items():
        rows = rows_of(table, adult.QUASI, adult.hierarchies())
        whole = 0.0
        plan = Recipe.of(quasi=adult.QUASI, k=options.k, hierarchies=_trees()).plan()
        for count in (1, 4, 8, 32):
            rng = np.random.default_rng(options.seed)
            found, cost = measure.call(partial(groups_of, rows, plan, rng, unwatched, count))
            loss = loss_of(found, rows) / 2**20
            whole = whole or loss
            lines.append(
                [
                    f"{name}, {count}",
                    f"{loss:,.0f}",
                    f"{100 * (loss / whole - 1):+.2f} %",
                    f"{cost.cpu:.1f}",
                ]
            )
    yield measure.markdown(
        f"Shards, k = {options.k}",
        ["table, shards", "loss", "more than in one piece", "CPU s"],
        lines,
    )


def memory(options: argparse.Namespace) -> Iterator[str]:
    """A Parquet file through the whole program within a given memory."""
    with tempfile.TemporaryDirectory() as folder:
        source, target, peak = (
            Path(folder, name) for name in ("hard.parquet", "released.parquet", "peak")
        )
        with pq.ParquetWriter(source, hard(10).schema) as sink:
            for first in range(0, options.rows, CHUNK):
                sink.write_table(hard(min(CHUNK, options.rows - first), seed=7 + first))
        asked = [
            "-q",
            ",".join(adult.QUASI),
            "-s",
            adult.SENSITIVE,
            "-k",
            str(options.k),
            "--seed",
            str(options.seed),
            "--json",
        ]
        asked += [
            "--hierarchies",
            str(adult.TREES),
            "--hierarchy",
            "age=none",
            "--effort",
            options.effort,
        ]
        command = [
            sys.executable,
            "-c",
            PROGRAM.format(peak=str(peak)),
            "anonymize",
            str(source),
            "-o",
            str(target),
            *asked,
        ]
        done, cost = measure.program([*command, "--memory", options.memory])
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        high = re.search(r"VmHWM:\s*(\d+) kB", peak.read_text())
        assert high
        lines = [
            ["loss per row", f"{told['losses']['total-information-loss'] / options.rows:.4f}"],
            ["groups", f"{told['groups']:,}"],
            ["peak GB", f"{int(high[1]) * 1024 / 1e9:.2f}"],
            ["CPU s", f"{cost.cpu:,.0f}"],
            ["wall s", f"{cost.wall:,.0f}"],
            *(
                [f"{stage}, wall s", f"{seconds:,.0f}"]
                for stage, seconds in told["seconds"].items()
            ),
        ]
        asked_for = f"k = {options.k}, --memory {options.memory}, {options.effort}"
        yield measure.markdown(
            f"{options.rows:,} rows, {len(adult.QUASI) + 1} columns, {asked_for}", ["", ""], lines
        )


def _trees() -> dict[str, str]:
    return {name: tree for name, tree in adult.hierarchies().items() if tree is not None}


SECTIONS = {"shards": shards, "memory": memory}

if __name__ == "__main__":
    main()
