"""Minimal uniques: as the definition read literally, whichever way codes are counted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.uniques import smallest_keys
from shoal.kernels.review import uniques

tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=14)
)


def fast(rows: list[tuple[int, ...]], largest: int, width: int = 4) -> list[int]:
    different = sorted(set(rows))
    sizes = np.array([rows.count(row) for row in different])
    cells = np.array(different, np.int32).T
    found = uniques.minimal_uniques(cells, np.full(len(cells), width, np.int64), sizes, largest)
    return [int(found[different.index(row)]) for row in rows]


@given(tables, st.integers(1, 4))
def test_what_the_definition_says(rows: list[tuple[int, ...]], largest: int) -> None:
    assert fast(rows, largest) == smallest_keys(rows, largest)


@pytest.mark.parametrize(
    "width", [4, 2**21, 2**30]
)  # counted in a table, hashed, and renumbered before it is hashed
def test_every_way_of_counting_agrees(width: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        rows = [tuple(row) for row in rng.integers(0, 4, (25, 4)).tolist()]
        assert fast(rows, 3, width) == smallest_keys(rows, 3)
