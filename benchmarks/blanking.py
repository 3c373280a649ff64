"""Blanking: how many more cells are blanked than the fewest possible, on small random tables.

    python -m benchmarks.blanking                 400 tables
    python -m benchmarks.blanking --tables 50     so many

The fewest are found by trying every division of the rows (`tests/naive/blanking.py`).
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow as pa
from tests.naive import blanking as naive

from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.groups import unwatched
from shoal.kernels.costs import UNIT
from shoal.partition.beginnings import AtLeast
from shoal.partition.blanking import RecodedTable
from shoal.partition.levels_weighed import levels_weighed


def weights_of(seed: int) -> tuple[float, float, float]:
    """Blank one table; return the weight of the cells, the least possible, and the bound."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(3, 11))
    columns = int(rng.integers(1, 4))
    k = int(rng.integers(2, min(4, rows) + 1))
    values = [int(rng.integers(2, 5)) for _ in range(columns)]
    table = [tuple(str(rng.integers(0, size)) for size in values) for _ in range(rows)]
    importance = {f"c{a}": int(2 ** rng.integers(0, 3)) for a in range(columns)}
    cells = zip(importance, zip(*table, strict=True), strict=True)
    encoded = encode([profile(pa.array(of), name) for name, of in cells], {}, importance=importance)
    levels = [levels_weighed(axis, rows, "height") for axis in encoded.axes]
    recoded = RecodedTable.of(encoded, levels, (0,) * columns)
    groups = recoded.blanked(k, AtLeast(k), np.random.default_rng(0), unwatched)
    unit = UNIT / max(importance.values())
    least = naive.least(table, k, list(importance.values()))
    return recoded.weight(groups) / unit, least, (recoded.least_weight(k) or 0) / unit


def main() -> None:
    """Print how far the cells are from the fewest, and the bound below them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=400)
    tables = parser.parse_args().tables
    found, least, bound = np.array([weights_of(seed) for seed in range(tables)]).T
    print(f"tables: {tables:,}; fewest cells in {int((found <= least + 1e-6).sum()):,}")
    print(f"blanked by importance, beside the least possible: {found.sum() / least.sum():.4f}")
    print(f"bound, beside the least possible: {bound.sum() / least.sum():.4f}")


if __name__ == "__main__":
    main()
