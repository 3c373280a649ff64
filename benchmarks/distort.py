"""Distortions: CPU seconds for ten million cells, and a table larger than one likes to hold at
once, part by part.

    python -m benchmarks.distort [--cells 10000000] [--rows 20000000]

Seconds are those of reading the shape, drawing noise and building the new columns; attacks,
measures and the hash of the rows come on top and look at 10,000 rows, apart from the hash. The long
table has four columns and goes from a Parquet or a CSV file to another; its figures are those of
the whole command, with the most memory that its process had.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks import measure
from shoal.adapters import files
from shoal.distortions.distortion import Distortion
from shoal.distortions.numbers import with_values
from shoal.distortions.parts import TableParts
from shoal.flows import distortion
from shoal.registry import names

COLUMNS = 10
PART = 1_000_000


def main() -> None:
    """Two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=10_000_000)
    parser.add_argument("--rows", type=int, default=20_000_000)
    options = parser.parse_args()
    table = invented(options.cells // COLUMNS, COLUMNS, 1)
    rows = [[name, *seconds(table, name)] for name in [*names(Distortion), "chaotic:orbit=cell"]]
    header = ["method", "looking", "perturbing", "both"]
    print(measure.markdown(f"{options.cells:,} cells, CPU seconds", header, rows))
    if options.rows:
        print(
            measure.markdown(f"{options.rows:,} rows, 4 columns, in parts", *streamed(options.rows))
        )


def seconds(table: pa.Table, method: str) -> list[str]:
    """CPU seconds of one method: the shape, the noise, and both."""
    start = time.process_time()
    work = distortion.Perturbing.begin(
        TableParts.of(table), distortion.DistortionRequest(method=method)
    )
    middle = time.process_time()
    values = np.concatenate([work.perturbed(part) for part in work.parts.read()])
    with_values(table, work.names, values, work.decimals)
    end = time.process_time()
    return [f"{took:.2f}" for took in (middle - start, end - middle, end - start)]


def streamed(rows: int) -> tuple[list[str], list[list[str]]]:
    """The command on a long file, for the default and for plain noise."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for ending, method in (
            ("parquet", distortion.DEFAULT),
            ("parquet", "noise"),
            ("csv", distortion.DEFAULT),
        ):
            source, target = (Path(folder) / f"{name}.{ending}" for name in ("long", "out"))
            if not source.exists():
                parts = (
                    invented(min(PART, rows - first), 4, seed)
                    for seed, first in enumerate(range(0, rows, PART))
                )
                files.write_parts(parts, source)
            asked = [
                str(source),
                "-o",
                str(target),
                "--columns",
                "all",
                "--method",
                method,
                "--force",
            ]
            _, (cpu, memory) = measure.peak(
                [sys.executable, "-c", "from shoal.cli import main; main()", "distort", *asked]
            )
            lines.append(
                [
                    ending,
                    method,
                    f"{cpu:.1f}",
                    f"{memory:.2f}",
                    f"{source.stat().st_size / 1e9:.2f}",
                ]
            )
    return ["file", "method", "CPU s", "peak GB", "GB of the file"], lines


def invented(rows: int, columns: int, seed: int) -> pa.Table:
    """Numbers that hang together, and are whole in every second column."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns)) + rng.normal(size=(rows, 1))
    return pa.table(
        {f"c{i}": (100 * values[:, i]).round() if i % 2 else values[:, i] for i in range(columns)}
    )


if __name__ == "__main__":
    main()
