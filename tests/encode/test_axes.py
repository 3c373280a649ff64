"""Axes and rows: losses of boxes by hand, points that keep their distance, and different rows found
once.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.hierarchies.masks import Masks
from shoal.declare.hierarchies.nested import Nested
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.encode.rows import Distinct, combined, encode
from tables import Column, encoded

TREE = Nested({"west": ["a", "b"], "east": {"far": ["c", "d"], "e": None}})


def axis(values: pa.Array, hierarchy: Nested | None = None) -> Axis:
    return axis_of(profile(values, "x"), hierarchy)[0]


def test_a_line_by_hand():
    line = axis(pa.array([10, 20, None, 50, 10]))
    assert line.size == 3 and line.range == 40
    lo = np.array([0, 0, 1, 3, 0])
    hi = np.array([0, 1, 2, 3, 3])
    assert (
        line.heights(lo, hi).tolist() == line.leaf_shares(lo, hi).tolist() == [0, 0.25, 0.75, 0, 1]
    )


def test_a_tree_by_hand():
    tree = axis(pa.array(["a", "c", "d", "e", None]), TREE)
    place = {text: code for code, text in enumerate(tree.values.to_pylist())}
    pairs = [("a", "a"), ("c", "d"), ("c", "e"), ("a", "e")]
    lo, hi = (
        np.array([f([place[a], place[b]]) for a, b in pairs] + [0, tree.size]) for f in (min, max)
    )
    hi[-2:] = tree.size
    assert tree.heights(lo, hi) == pytest.approx([0, 1 / 3, 2 / 3, 1, 1, 0])
    assert tree.leaf_shares(lo, hi) == pytest.approx(
        [0, 1 / 4, 2 / 4, 1, 1, 0]
    )  # of five leaves, b among them


@pytest.mark.parametrize(
    "values",
    [
        pa.array([-1.7e308, 0.0, 1.7e308]),
        pa.array([2**62, 2**62 + 1, 2**62 + 2]),
        pa.array([-(2**63), 0, 2**63 - 1]),
        pa.array([2**64 - 3, 2**64 - 2, 2**64 - 1], pa.uint64()),
        pa.array([5e-324, 1e-323, 1.5e-323]),
    ],
)
def test_differences_are_right_however_large_the_numbers(values):
    line = axis(values)
    assert np.isfinite(line.range) and line.range > 0
    assert line.heights(np.array([0, 0, 1]), np.array([1, 2, 2])) == pytest.approx(
        [0.5, 1, 0.5], abs=1e-9
    )


def test_constant_and_empty_columns_cost_nothing():
    for values in (pa.array([7, 7]), pa.nulls(2, pa.float64()), pa.nulls(2)):
        found = axis(values)
        assert found.heights(np.array([found.size]), np.array([found.size])).tolist() == [0.0]
        assert found.range == 0.0


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_different_rows_are_found_once(rows):
    codes = np.array(rows, np.int32).T
    found = Distinct.of(codes, [4, 3])
    tuples = [tuple(found.codes[:, t].tolist()) for t in range(found.codes.shape[1])]
    assert tuples == list(dict.fromkeys(rows))
    for t, starting in enumerate(tuples):
        members = found.order[found.starts[t] : found.starts[t + 1]].tolist()
        assert members == [i for i, row in enumerate(rows) if row == starting]


@given(
    st.lists(st.lists(st.integers(0, 2**31 - 2), min_size=5, max_size=5), min_size=1, max_size=6)
)
def test_keys_do_not_overflow(rows):
    codes = np.array(rows, np.int64).T
    keys = combined(codes, [2**31 - 1] * 5)
    assert len(set(keys.tolist())) == len({tuple(row) for row in rows})


def test_rows_hold_everything_in_order():
    rows = encode(
        [profile(pa.array([3, 1, None]), "n"), profile(pa.array(["b", "a", "b"]), "c")],
        {},
        sensitive=[],
    )
    assert [a.name for a in rows.axes] == ["n", "c"]
    assert rows.codes.tolist() == [[1, 0, 2], [1, 0, 1]] and rows.count == 3


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30), st.integers(1, 9), st.data())
def test_a_node_of_ordered_values_spans_its_values_of_the_table(numbers, step, data):
    """Numbers under steps of one width and steps of three widths; any box, read literally."""
    below = {}
    for number in sorted({*range(-50, 51)}):
        fine, coarse = number // step, number // (3 * step)
        below.setdefault(f"c{coarse}", {}).setdefault(f"f{fine}", []).append(str(number))
    tree = ("*", [(name, [*inner.items()]) for name, inner in below.items()])
    (axis,) = encoded([Column(numbers, tree)], "span").axes
    values = axis.values.to_pylist()
    box = sorted(data.draw(st.sets(st.sampled_from(range(len(values))), min_size=1)))
    there = [values[code] for code in box]

    def under(width):
        return {value // width for value in there}

    kept = there
    if len(set(there)) > 1:
        width = next((w for w in (step, 3 * step) if len(under(w)) == 1), None)
        kept = [v for v in values if width is None or v // width in under(width)]
    reach = max(values) - min(values) or 1
    assert axis.spans([box[0]], [box[-1]]).tolist() == [(max(kept) - min(kept)) / reach]


def test_numbers_that_are_codes_cost_their_level():
    """Odd and even lie across each other, so no width describes them."""
    tree = ("*", [("odd", ["1", "3"]), ("even", ["2", "4"])])
    (axis,) = encoded([Column([1, 2, 3, 4], tree)], "span").axes
    assert axis.shares("span").tolist() == axis.shares("height").tolist()


def test_postcodes_that_are_numbers_cost_their_level_under_masks():
    axis, _ = axis_of(profile(pa.array([10115, 10117, 20095]), "zip"), Masks(5))
    assert not axis.spans_nodes
    assert axis.shares("span").tolist() == axis.shares("height").tolist()
