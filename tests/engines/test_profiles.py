"""Values counted part by part are those of a profile, and codes along them too."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.profile import profile
from shoal.engines.profiles import Counting, totals
from shoal.errors import DataError

COLUMNS = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=1).map(
        lambda cells: pa.array(cells, pa.int64())
    ),
    st.lists(st.one_of(st.none(), st.floats(allow_infinity=False, width=16))).map(
        lambda cells: pa.array(cells, pa.float64())
    ),
    st.lists(st.one_of(st.none(), st.text("ab\t", max_size=2))).map(
        lambda cells: pa.array(cells, pa.string())
    ),
    st.lists(st.none()).map(lambda cells: pa.array(cells, pa.null())),
)


@given(COLUMNS, st.lists(st.integers(0, 30), max_size=3))
def test_values_in_parts_are_those_of_the_whole(column: pa.Array, cuts: list[int]) -> None:
    ends = [0, *sorted(min(cut, len(column)) for cut in cuts), len(column)]
    parts = [column.slice(a, b - a) for a, b in pairwise(ends)]
    counting = Counting("x", 10**6)
    for part in parts:
        counting.add(part)
    found = counting.profile()
    whole = profile(column, "x")
    assert found.values.equals(whole.values) and found.counts.tolist() == whole.counts.tolist()
    assert found.missing == whole.missing == totals(found)[-1] and found.kind == whole.kind
    assert np.concatenate([found.code(part) for part in parts]).tolist() == whole.codes.tolist()


def test_infinite_numbers_and_strangers_are_refused() -> None:
    counting = Counting("x", 10)
    with pytest.raises(DataError, match="infinite"):
        counting.add(pa.array([1.0, float("inf")]))
    counting.add(pa.array([1.0]))
    with pytest.raises(DataError, match="changed"):
        counting.profile().code(pa.array([2.0]))
