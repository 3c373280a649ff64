"""Dependence: known answers of Cramér's V, and what a reader of evenly likely values sees."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.mining.dependence import MOST_COLUMNS, cramers_v, dependence, spread_out

SMALL = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=2, max_size=4)


def test_a_known_answer():
    # by hand: n = 100, chi square = 100 * (40 * 30 - 20 * 10)^2 / (60 * 40 * 50 * 50), so phi
    # square is 1 / 6
    table = np.array([[40.0, 20.0], [10.0, 30.0]])
    square = 1 / 6 - 1 / 99
    width = 2 - 1 / 99 - 1
    assert cramers_v(table) == pytest.approx(math.sqrt(square / width), rel=1e-12)


@given(SMALL)
def test_it_lies_between_nothing_and_all_and_has_no_direction(counts):
    table = np.array(counts, np.float64)
    found = cramers_v(table)
    assert found is None or 0 <= found <= 1
    other = cramers_v(table.T)
    assert (found is None) == (other is None) and (
        found is None or found == pytest.approx(other, abs=1e-9)
    )


def test_a_column_of_one_value_says_nothing():
    assert cramers_v(np.array([[3.0, 4.0]])) is None
    table = pa.table({"a": ["x"] * 6, "b": [1, 2, 3, 4, 5, 6]})
    found = dependence(table, table, (), ("a", "b"), {})
    assert found.before == ((None, None), (None, 1.0))


def test_what_is_published_as_it_was_hangs_together_as_before():
    rng = np.random.default_rng(5)
    ages = rng.integers(0, 90, 400)
    days = (np.datetime64("2020-01-01") + ages).astype("datetime64[D]")
    table = pa.table(
        {
            "age": ages,
            "ill": rng.choice(["a", "b"], 400),
            "height": rng.normal(size=400),
            "day": pa.array(days),
        }
    )
    found = dependence(table, table, ("age",), ("ill", "height", "day"), {})
    assert found.before == found.after and found.before[0][3] == pytest.approx(1.0, abs=1e-3)


def test_everything_hidden_tells_nothing():
    table = pa.table({"age": [1, 2, 3, 4] * 25, "ill": ["a", "b", "c", "d"] * 25})
    found = dependence(
        table, pa.table({"age": ["*"] * 100, "ill": table["ill"]}), ("age",), ("ill",), {}
    )
    assert found.before[0][1] == pytest.approx(1.0) and found.after[0][1] == 0.0


def test_a_cell_is_dealt_out_evenly():
    # Half of the interval [0, 3] is 0 and 1, half is 2 and 3; a node stands for its two leaves.
    table = pa.table({"age": [0, 1, 2, 3] * 10, "town": ["Oslo", "Oslo", "Rome", "Bari"] * 10})
    trees = {"town": Hierarchy.nested({"Norway": ["Oslo"], "Italy": ["Rome", "Bari"]})}
    towns = ["Oslo", "Oslo", "Italy", "Italy"] * 10
    whole = dependence(
        table, pa.table({"age": ["[0, 3]"] * 40, "town": towns}), ("age", "town"), (), trees
    )
    halves = pa.table({"age": ["[0, 1]", "[0, 1]", "[2, 3]", "[2, 3]"] * 10, "town": towns})
    parted = dependence(table, halves, ("age", "town"), (), trees)
    assert whole.after[0][1] == 0.0
    counts = np.array(
        [[10.0, 0, 0], [10, 0, 0], [0, 5, 5], [0, 5, 5]]
    )  # ages by Oslo, Rome and Bari
    assert parted.after[0][1] == pytest.approx(cramers_v(counts), rel=1e-12)


def test_missing_is_a_value_and_numbers_under_a_tree_are_numbers():
    table = pa.table({"age": [10, 20, None, 40] * 10, "ill": ["a", "b", None, "d"] * 10})
    trees = {"age": Hierarchy.intervals(10)}
    released = pa.table(
        {"age": ["[10, 19]", "[20, 29]", None, "[40, 49]"] * 10, "ill": table["ill"]}
    )
    found = dependence(table, released, ("age",), ("ill",), trees)
    assert found.before[0][1] == pytest.approx(1.0) and found.after == found.before


@given(st.integers(0, 200_000), st.integers(1, 1000))
def test_rows_are_looked_at_evenly(rows, most):
    found = spread_out(rows, most)
    assert len(found) == min(rows, most) and len(set(found.tolist())) == len(found)
    assert not len(found) or (found[0] == 0 and np.ptp(np.diff([*found, rows])) <= 1)


def test_no_more_columns_than_a_picture_holds():
    table = pa.table({f"c{i}": [1, 2, 3] for i in range(MOST_COLUMNS + 5)})
    assert len(dependence(table, table, (), tuple(table.column_names), {}).columns) == MOST_COLUMNS
