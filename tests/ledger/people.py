"""Small invented tables of people who join, leave and change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

ROLES: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": ["ill"],
    "person": "id",
    "k": 3,
    "effort": "low",
    "seed": 1,
}


def table(people: Iterable[int], seed: int = 0) -> pa.Table:
    """The same person is always the same, whoever is around."""
    numbers = list(people)
    drawn = np.random.default_rng(seed).integers(0, 2**31, (10_000, 3))[numbers]
    return pa.table(
        {
            "id": [f"person {number}" for number in numbers],
            "age": 20 + drawn[:, 0] % 60,
            "town": np.array(["Oslo", "Bergen", "Bodo", "Moss"])[drawn[:, 1] % 4],
            "ill": np.array(["flu", "cold", "gout"])[drawn[:, 2] % 3],
        }
    )
