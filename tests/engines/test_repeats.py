"""Ids of a table that comes in parts are counted as those of one in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import repeats
from shoal.engines.repeats import RepeatCounting
from shoal.recipe import Recipe
from shoal.review.person_columns import person_columns
from shoal.review.prechecks.repeated import Repeats, repeats_of

RECIPE = Recipe.of(quasi=["x"], identifiers=["id"])
ids = st.lists(st.sampled_from(["a1", "b2", "c", "unknown", "", None]), max_size=12)


def in_parts(table: pa.Table, rows: int) -> list[Repeats]:
    counting = RepeatCounting.of(table.schema, RECIPE)
    parts = [table.slice(at, rows) for at in range(0, table.num_rows, rows)]
    assert sum(part.num_rows for part in counting.seen(parts)) == table.num_rows
    return counting.repeats()


def in_memory(table: pa.Table) -> list[Repeats]:
    return [
        repeats_of(of, [table[name].combine_chunks() for name in of.columns])
        for of in person_columns(table.column_names, RECIPE.roles)
    ]


@given(ids, st.integers(1, 5))
def test_counts_are_those_of_a_table_in_memory(values: list[str | None], rows: int) -> None:
    born = [None if value is None else value[:1] for value in values]
    table = pa.table(
        {
            "id": pa.array(values, pa.string()),
            "name": pa.array(values, pa.string()),
            "dob": pa.array(born, pa.string()),
        }
    )
    parts = in_parts(table, rows)
    whole = in_memory(table)
    assert len(parts) == 2
    if whole[0].rows:
        assert parts == whole


def test_of_too_many_ids_some_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeats, "MOST", 1_000)
    of = np.random.default_rng(1).integers(0, 20_000, 50_000)
    table = pa.table({"patient_id": of})
    (some,) = in_parts(table, 7_000)
    (whole,) = in_memory(table)
    assert some.rows == whole.rows
    assert abs(some.people / whole.people - 1) < 0.2
    assert abs(some.repeated / whole.repeated - 1) < 0.2
