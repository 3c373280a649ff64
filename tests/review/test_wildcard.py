"""Wildcard counting: sdcMicro's figures, and the definition read literally."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.review.recount import recount
from shoal.review.wildcard import frequencies

cells = st.one_of(st.none(), st.integers(0, 2))
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=25)
)


def literally(rows: list[tuple[int | None, ...]]) -> list[int]:
    """Every pair of rows, every column."""

    def match(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> bool:
        return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))

    return [sum(match(row, other) for other in rows) for row in rows]


def columns(rows: list[tuple[int | None, ...]]) -> list[pa.Array]:
    return [pa.array(list(values), pa.int64()) for values in zip(*rows, strict=True)]


def test_sdcmicros_frequency_table() -> None:
    # Eight rows built to have the structure of sdcMicro's example: its figures fix who matches
    # whom, not the values.
    # Rows 1, 3 and 8 agree, 5 and 6 agree; 3 and 4 differ in two columns, one of them missing in
    # each afterwards.
    rows = [(1, 1, 1), (1, 3, 2), (1, 1, 1), (2, 2, 1), (3, 3, 3), (3, 3, 3), (4, 4, 4), (1, 1, 1)]
    assert frequencies(columns(rows)).tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
    holes: list[tuple[int | None, ...]] = list(rows)
    holes[2] = (None, 1, 1)
    holes[3] = (2, None, 1)
    assert frequencies(columns(holes)).tolist() == [3, 1, 4, 2, 2, 2, 1, 3]


@given(tables)
def test_it_is_what_the_definition_says(rows: list[tuple[int | None, ...]]) -> None:
    assert frequencies(columns(rows)).tolist() == literally(rows)


@given(tables)
def test_a_row_never_matches_fewer_than_its_own_group(rows: list[tuple[int | None, ...]]) -> None:
    groups = recount(columns(rows))
    assert (frequencies(columns(rows)) >= groups.sizes[groups.labels]).all()


def test_a_row_without_any_value_matches_everyone() -> None:
    assert frequencies(
        [pa.array(["a", "b", None]), pa.array([1.0, float("nan"), None])]
    ).tolist() == [2, 2, 3]


def test_nothing_to_count() -> None:
    assert len(frequencies([])) == 0
    assert len(frequencies([pa.array([], pa.string())])) == 0


def test_many_columns_do_not_overflow() -> None:
    rng = np.random.default_rng(3)
    wide = [pa.array(rng.integers(0, 300, 400), mask=rng.random(400) < 0.002) for _ in range(12)]
    rows = [tuple(row) for row in zip(*(column.to_pylist() for column in wide), strict=True)]
    assert frequencies(wide).tolist() == literally(rows)
