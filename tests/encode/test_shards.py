"""Shards: cut as the literal version cuts, by counts that add up, and joined across the latest
cut.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import shards as naive
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.encode.shards import MOST_LEVELS, MOST_PLACES, Cuts, Grid, Shards, cut
from shoal.kernels.costs import LINE, between
from tables import Column, Sample, any_sample, encoded


def found(
    sample: Sample, wanted: int, least: int, parts: int = 1, levels: int = MOST_LEVELS
) -> Shards:
    """The shards of a table that is counted in so many parts."""
    grid = Grid.of(sample.rows.axes, sample.rows.costs)

    def counting(cuts: Cuts) -> list[np.ndarray]:
        some = [grid.counted(cuts, sample.rows.codes[:, part::parts]) for part in range(parts)]
        return [sum(of_axis) for of_axis in zip(*some, strict=True)]

    return Shards.of(cut(grid, wanted, least, counting, levels))


@settings(max_examples=150)
@given(any_sample(60), st.integers(1, 7), st.integers(1, 5), st.sampled_from([2, 3, MOST_LEVELS]))
def test_table_is_cut_as_in_words(sample: Sample, wanted: int, least: int, levels: int) -> None:
    costs = sample.rows.costs
    sizes = [axis.size for axis in sample.rows.axes]
    lines = [shape == LINE for shape in costs.shape]
    expected = naive.shards(
        *(sample.rows.codes.T.tolist(), sizes, wanted, least, levels),
        lambda axis, code: None if lines[axis] else between(costs, axis, code - 1, code),
        lambda axis, lo, hi: between(costs, axis, lo, hi),
    )
    shard = found(sample, wanted, least, levels=levels).shard_of(sample.rows.codes)
    assert [np.flatnonzero(shard == number).tolist() for number in range(len(expected))] == expected


@given(any_sample(60), st.integers(2, 7))
def test_shards_are_the_same_wherever_rows_are_counted(sample: Sample, wanted: int) -> None:
    whole, parted = (
        found(sample, wanted, 2, parts).shard_of(sample.rows.codes) for parts in (1, 3)
    )
    assert whole.tolist() == parted.tolist()


def test_cut_runs_between_nodes_where_it_can() -> None:
    tree = ("*", [("north", ["a", "b"]), ("south", ["c", "d"])])
    cells = ["a", "b", "b", "c", "d", "d"] * 4
    rows = encoded([Column([float(i) for i in range(24)]), Column(cells, tree)])
    shard = found(Sample([], rows, 2, 0), 2, 2).shard_of(rows.codes)
    assert [cell in "cd" for cell in cells] == (shard == 1).tolist()


def test_levels_are_few_and_enough() -> None:
    """A tree whose nodes halve again and again asks for lopsided cuts, which would take a level for
    each shard.
    """
    leaves = [f"{first:02}{second}" for first in range(40) for second in "ab"]
    tree = ("*", [(leaf[:2], [leaf, leaf[:2] + "b"]) for leaf in leaves[::2]])
    rows = encoded([Column(leaves * 8, tree), Column([float(i % 97) for i in range(640)])])
    shards = found(Sample([], rows, 2, 0), 32, 2, levels=5)
    assert shards.count == 32 and int(shards.cuts.depth.max()) == 5
    same = encoded([Column([1.0] * 600 + [float(i) for i in range(40)])])
    assert int(found(Sample([], same, 2, 0), 2**12, 1).cuts.depth.max()) <= MOST_LEVELS


def test_long_lines_have_few_places() -> None:
    column = profile(pa.array(np.repeat(np.arange(5000), 3)), "x")
    grid = Grid.of([axis_of(column, None)[0]], encoded([Column([1.0])]).costs)
    assert 500 < len(grid.first[0]) <= MOST_PLACES
    assert grid.first[0][grid.place[0]].tolist() == sorted(grid.first[0][grid.place[0]])
    assert all(first <= code for code, first in enumerate(grid.first[0][grid.place[0]].tolist()))


def test_shard_joins_across_the_latest_cut() -> None:
    cuts = (
        Cuts.none(4).cut(0, 0, 5, (1, 3)).cut(2, 0, 7, (1, 2)).cut(4, 0, 9, (1, 1))
    )  # 0 | 1 | 2 | 3
    shards = Shards.of(cuts)
    sizes = np.array([9, 8, 7, 6])

    def joined(unfit: int) -> list[int]:
        def fit(number: np.ndarray) -> np.ndarray:
            alone = np.count_nonzero(number == number[unfit]) == 1
            return ~(alone & (np.arange(number[-1] + 1) == number[unfit]))

        return shards.joining(sizes, fit).tolist()

    assert [joined(unfit) for unfit in range(4)] == [
        [0, 0, 1, 2],
        [0, 1, 1, 2],
        [0, 1, 2, 2],
        [0, 1, 2, 2],
    ]
    codes = np.array([[4, 5, 6, 7, 8, 9, 99]], np.int32)
    assert shards.shard_of(codes).tolist() == [0, 1, 1, 2, 2, 3, 3]
    assert shards.joined(np.array([0, 1, 1, 1])).shard_of(codes).tolist() == [0, 1, 1, 1, 1, 1, 1]
    assert shards.joining(sizes, lambda number: np.zeros(number[-1] + 1, bool)).tolist() == [
        0,
        0,
        0,
        0,
    ]
