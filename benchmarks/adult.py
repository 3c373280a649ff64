"""Adult as the field uses it: 30,162 rows, eight quasi-identifiers, ARX's trees, age as a
number.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import shoal

ROOT = Path(__file__).resolve().parent.parent
DATA = shoal.datasets.folder() / "tables"
FILE = DATA / "adult.parquet"
TREES = shoal.datasets.folder() / "hierarchies" / "adult_arx"
QUASI = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
]
SENSITIVE = "income"


@cache
def table() -> pa.Table:
    """Only the columns that are used."""
    return pq.read_table(FILE, columns=[*QUASI, SENSITIVE])


def hierarchies() -> dict[str, str | None]:
    """A file for each category; age stays a number."""
    return {name: None if name == "age" else str(TREES / f"{name}.csv") for name in QUASI}


def repeated(rows: int, seed: int = 7) -> pa.Table:
    """A longer table: rows of Adult drawn with replacement."""
    picked = np.random.Generator(np.random.PCG64(seed)).integers(0, table().num_rows, rows)
    return table().take(pa.array(picked))
