"""Profiles: values in order, codes of rows, what is missing, and what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.profile import profile, refuse_missing, refuse_mixed
from shoal.errors import DataError

VALUES = st.one_of(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), max_size=20).map(
        lambda v: pa.array(v, pa.int64())
    ),
    st.lists(st.none() | st.text(max_size=3), max_size=20).map(lambda v: pa.array(v, pa.string())),
    st.lists(st.none() | st.booleans(), max_size=20).map(lambda v: pa.array(v, pa.bool_())),
    st.lists(st.none() | st.floats(allow_infinity=False), max_size=20).map(
        lambda v: pa.array(v, pa.float64())
    ),
)


@given(VALUES)
def test_codes_say_which_value_each_row_has(column):
    found = profile(column, "x")
    values = [*found.values.to_pylist(), None]
    back = [values[code] for code in found.codes]
    assert back == [
        None if value is None or value != value else value for value in column.to_pylist()
    ]
    there = found.values.to_pylist()
    assert there == sorted(
        there, key=lambda value: value.encode() if isinstance(value, str) else value
    )
    assert len(set(there)) == len(there)
    assert found.counts.tolist() == [back.count(value) for value in there]
    assert found.missing == back.count(None)


def test_the_two_zeros_are_one_value():
    assert profile(pa.array([0.0, -0.0, 1.0]), "x").codes.tolist() == [0, 0, 1]


def test_infinite_numbers_are_refused_with_row_numbers():
    with pytest.raises(DataError) as refusal:
        profile(pa.array([1.0, float("inf"), None, float("-inf")]), "x")
    assert refusal.value.facts == {"rows concerned": 2, "first rows": "2, 4"}


def test_missing_values_are_refused_all_together():
    columns = [
        profile(pa.array(cells), name)
        for name, cells in {"a": [1, None], "b": [None, None], "c": [1, 2]}.items()
    ]
    with pytest.raises(DataError) as refusal:
        refuse_missing(columns)
    assert refusal.value.facts == {"missing in 'a'": 1, "missing in 'b'": 2}
    refuse_missing(columns[2:])


@pytest.mark.parametrize(
    ("texts", "mixed"),
    [
        (["1", "2", "x"], True),
        (["1", "x", "y"], False),
        (["1.5", "-2e3", "unknown"], True),
        (["1", "2", None], False),
        (["1", "2", "3"], False),
        (["01234", "12345", "1234A"], False),  # codes
        (["a", "b", "c"], False),
    ],
)
def test_numbers_beside_words(texts, mixed):
    column = profile(pa.array(texts, pa.string()), "x")
    if mixed:
        with pytest.raises(DataError, match="'x' mixes numbers and text") as refusal:
            refuse_mixed([column])
        assert "first rows with others" in refusal.value.facts
    else:
        refuse_mixed([column])


@pytest.mark.parametrize("kind", [pa.null(), pa.float64(), pa.string()])
def test_nothing_but_missing(kind):
    found = profile(pa.nulls(3, kind), "x")
    assert found.size == 0 and found.missing == 3 and np.array_equal(found.codes, [0, 0, 0])
