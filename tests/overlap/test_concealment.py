"""Who covers whom and who matches whom, as all perfect matchings say; and repairs that reach what
they promise.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import concealment as naive
from shoal.errors import RecipeError
from shoal.overlap.concealment import Concealment, check
from shoal.overlap.cover import Cover, as_published
from shoal.overlap.nsvdist import NSVDist
from shoal.overlap.overlap import Neighbourhoods
from shoal.overlap.repairs import REPAIRS, repaired, total_cost
from tables import adult, any_sample, sample

Record = tuple[int, ...]
Row = list[tuple[int, int]]


@st.composite
def tables(draw: st.DrawFn, most: int = 6) -> tuple[list[Record], list[Row]]:
    """Records, and a row around each that was stretched at random."""
    axes = draw(st.integers(1, 3))
    count = draw(st.integers(1, most))
    codes = st.integers(0, 4)
    records = [tuple(draw(codes) for _ in range(axes)) for _ in range(count)]
    rows = []
    for record in records:
        stretch = draw(
            st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=axes, max_size=axes)
        )
        rows.append(
            [(code - less, code + more) for code, (less, more) in zip(record, stretch, strict=True)]
        )
    return records, rows


def arrays(records: list[Record], rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    boxes = np.array(rows, np.int32)
    return np.array(records, np.int32).T, boxes[:, :, 0].T, boxes[:, :, 1].T


@given(tables())
def test_counts_are_those_of_the_definition(table: tuple[list[Record], list[Row]]) -> None:
    records, rows = table
    cover = Cover.of(*arrays(records, rows))
    assert cover.covered.tolist() == naive.covered(records, rows)
    assert cover.covering.tolist() == naive.covering(records, rows)
    assert cover.matches(cover.own()).counts.tolist() == naive.matches(records, rows)


@given(tables(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_shuffled_table_counts_alike(
    table: tuple[list[Record], list[Row]], random: object, k: int
) -> None:
    records, rows = table
    kept = check(*arrays(records, rows), k, paired=True)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert check(*arrays(records, rows), k, paired=False) == kept
    matches = naive.matches(records, rows)
    assert (kept.matches, kept.matches_below) == (min(matches), sum(count < k for count in matches))


@given(tables(), tables())
def test_rows_of_others_are_told_apart(
    table: tuple[list[Record], list[Row]], other: tuple[list[Record], list[Row]]
) -> None:
    size = min(len(table[0]), len(other[0]))
    axes = min(len(table[0][0]), len(other[0][0]))
    records = [record[:axes] for record in table[0][:size]]
    rows = [row[:axes] for row in other[1][:size]]
    found = check(*arrays(records, rows), 1, paired=False)
    assert (found.unpaired == 0) == bool(naive.matchings(records, rows))
    assert found.matches == min(naive.matches(records, rows))


def test_a_large_table_is_paired_without_being_told() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 40, (3, 2000)).astype(np.int32)
    lo = codes - rng.integers(0, 4, codes.shape).astype(np.int32)
    hi = codes + rng.integers(0, 4, codes.shape).astype(np.int32)
    shuffled = rng.permutation(2000)
    told = check(codes, lo, hi, 3, paired=True)
    assert told.unpaired == 0 and told.matches >= 1
    assert check(codes, lo[:, shuffled], hi[:, shuffled], 3, paired=False) == told


def counted(records: list[Record], rows: list[Row], k: int) -> Concealment:
    return check(*arrays(records, rows), k, paired=True)


def test_every_row_can_cover_two_while_one_record_is_covered_once() -> None:
    found = counted([(0,), (1,), (2,)], [[(0, 1)], [(0, 1)], [(1, 2)]], 2)
    assert found.reaches("k-1") and not found.reaches("1-k")
    assert (found.covering, found.covering_below) == (1, 1)


def test_every_record_can_be_covered_twice_while_a_row_covers_one() -> None:
    found = counted([(0,), (1,), (2,)], [[(0, 2)], [(0, 2)], [(2, 2)]], 2)
    assert found.reaches("1-k") and not found.reaches("k-1")


def test_covered_and_covering_do_not_make_matches() -> None:
    # records 0 to 2 fill the first three rows, so record 3, whom four rows cover, can have none but
    # its own
    records = [(code,) for code in range(7)]
    rows = [[(0, 3)], [(0, 3)], [(0, 3)], [(3, 5)], [(4, 6)], [(4, 6)], [(4, 6)]]
    found = counted(records, rows, 3)
    assert found.reaches("k-k") and not found.reaches("k-concealment")
    assert (found.covered, found.covering, found.matches, found.matches_below) == (3, 3, 1, 1)
    assert naive.matches(records, rows) == [3, 3, 3, 1, 3, 3, 3]


def test_matches_do_not_make_rows_that_cover_enough() -> None:
    records = [(0,), (1,), (2,), (3,)]
    rows = [[(0, 3)], [(0, 3)], [(0, 3)], [(2, 3)]]
    found = counted(records, rows, 3)
    assert found.reaches("k-concealment") and not found.reaches("k-1") and not found.reaches("k-k")


@settings(max_examples=60)
@given(any_sample(24), st.sampled_from(sorted(REPAIRS)))
def test_repairs_reach_what_they_promise(some: object, promise: str) -> None:
    # type: ignore[attr-defined]
    rows = some.rows
    k = some.k
    found = NSVDist().cover(rows, k, np.random.default_rng(0))
    lo, hi = repaired(rows, found, k, promise)
    counts = check(rows.codes, lo, hi, k, paired=True)
    assert counts.reaches("k-concealment" if promise == "mutual" else promise)
    assert counts.reaches("k-1"), "widening takes no cover away"
    first, last = as_published(rows.axes, lo, hi)
    assert (first == lo).all() and (last == hi).all(), "boxes are as published"
    assert (lo <= found.lo).all() and (found.hi <= hi).all()


@pytest.mark.parametrize("seed", range(8))
def test_alone_rows_are_filled_too(seed: int) -> None:
    some = sample(seed)
    alone = Neighbourhoods(
        np.arange(some.rows.count, dtype=np.int32)[:, None], some.rows.codes, some.rows.codes
    )
    lo, hi = repaired(some.rows, alone, some.k, "k-k")
    assert check(some.rows.codes, lo, hi, some.k, paired=True).reaches("k-k")


def test_the_repair_as_far_as_needed_costs_less_than_all() -> None:
    rows = adult().some(np.arange(0, 30162, 20))
    found = NSVDist().cover(rows, 5, np.random.default_rng(0))
    costs = [
        total_cost(rows, *repaired(rows, found, 5, promise))
        for promise in ("k-k", "k-concealment", "mutual")
    ]
    assert total_cost(rows, found.lo, found.hi) < costs[0] < costs[1] < costs[2]


def test_an_unknown_repair_is_refused() -> None:
    some = sample(3)
    with pytest.raises(RecipeError, match="did you mean 'k-concealment'"):
        repaired(
            some.rows, NSVDist().cover(some.rows, 1, np.random.default_rng(0)), 1, "k-concealmnt"
        )
