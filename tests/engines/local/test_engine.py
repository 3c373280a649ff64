"""The engine's own doing: the order in which rows are published."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.encode.profile import profile

RNG = np.random.default_rng(11)
PEOPLE = pa.table(
    {
        "age": RNG.integers(20, 60, 300),
        "city": pa.array(RNG.choice(["Oslo", "Rome", "Bonn", None], 300)),
        "cost": pa.array(RNG.choice([1.5, -0.0, 0.0, None, 20.0], 300)),
        "ward": RNG.integers(0, 5, 300),
    }
)


@pytest.mark.parametrize("publish", ["snapped", "tight", "centre", "bounds"])
def test_rows_are_sorted_by_all_that_is_published(publish: str) -> None:
    asked = {
        "quasi": ["age", "city"],
        "sensitive": ["cost"],
        "keep": ["ward"],
        "k": 3,
        "seed": 1,
        "publish": publish,
    }
    table = shoal.anonymize(PEOPLE, **asked).table
    codes = [profile(table[name].combine_chunks(), name).codes for name in table.column_names]
    keys = list(zip(*codes, strict=True))
    assert keys == sorted(keys)
    kept = shoal.anonymize(PEOPLE, keep_order=True, **asked).table
    assert kept["ward"].to_pylist() == PEOPLE["ward"].to_pylist()
