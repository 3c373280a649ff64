"""Rings inside groups: windows of k records, turned by chance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.overlap.hiding import _links_of_rings
from shoal.overlap.repairs import total_cost
from shoal.overlap.rings import DRAWS, LEAST, Ring, dealt, likeliest, ringed, windows
from tables import Sample, any_sample


def divided(rows: int, k: int, seed: int) -> Groups:
    """Any groups of at least k."""
    count = max(rows // (k + seed % 3), 1)
    return Groups.of(np.random.default_rng(seed).permutation(np.arange(rows) % count))


@settings(max_examples=150, deadline=None)
@given(any_sample(), st.integers(1, 7), st.integers(0, 99))
def test_every_row_covers_the_records_of_its_window(sample: Sample, k: int, seed: int) -> None:
    rows = sample.rows
    if rows.count < k:
        return
    groups = divided(rows.count, k, seed)
    made = ringed(rows, groups, k)
    seen = np.concatenate([ring.rows for ring in made.rings])
    assert sorted(seen.tolist()) == list(range(rows.count))
    for ring in made.rings:
        assert len(set(groups.labels[ring.rows].tolist())) == 1
        assert len(ring.rows) >= ring.window >= k
        for place, row in enumerate(ring.rows):
            window = rows.codes[:, np.roll(ring.rows, -place)[: ring.window]]
            assert made.lo[:, row].tolist() == window.min(axis=1).tolist()
            assert made.hi[:, row].tolist() == window.max(axis=1).tolist()
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    of_groups = total_cost(rows, lo[:, groups.labels], hi[:, groups.labels])
    assert total_cost(rows, made.lo, made.hi) <= of_groups


def test_deals_stay_in_their_windows_and_links_are_nearly_equal() -> None:
    rings = (
        Ring(np.arange(9, dtype=np.int32)[::-1].copy(), 6),
        Ring(np.array([10, 9, 11], np.int32), 3),
    )
    rng = np.random.default_rng(5)
    drawn = np.zeros((12, 12))
    times = 4000
    for _ in range(times):
        carried = dealt(rings, rng)
        assert sorted(carried.tolist()) == list(range(12))
        drawn[np.arange(12), carried] += 1
    for row in range(9):
        window = {(row - step) % 9 for step in range(6)}
        assert set(np.flatnonzero(drawn[row])) == window
    assert set(np.flatnonzero(drawn[10])) == {9, 10, 11}
    told = likeliest(rings, rng)
    assert told[9] == 1 / 3
    assert abs(drawn[:9].max() / times - told[0]) < 0.03
    assert told[0] < 1.05 / 6


def test_a_ring_has_many_ways_and_not_k_turns() -> None:
    ring = (Ring(np.arange(12, dtype=np.int32), 8),)
    rng = np.random.default_rng(1)
    assert len({tuple(dealt(ring, rng).tolist()) for _ in range(200)}) == 200


@pytest.mark.parametrize(("k", "whole"), [(LEAST - 1, True), (LEAST, False)])
def test_small_k_leaves_groups_whole(k: int, whole: bool) -> None:
    rows = encode([profile(pa.array(range(2 * k - 1)), "age")], {})
    made = ringed(rows, Groups.of(np.zeros(2 * k - 1, np.int32)), k)
    assert all(ring.whole for ring in made.rings) is whole


def ways(allowed: list[set[int]]) -> int:
    """In how many ways rows can carry one record each, row by row, with the records that are taken
    as bits.
    """
    found = {0: 1}
    for records in allowed:
        after: dict[int, int] = {}
        for taken, times in found.items():
            for record in records:
                if not taken >> record & 1:
                    after[taken | 1 << record] = after.get(taken | 1 << record, 0) + times
        found = after
    return sum(found.values())


@pytest.mark.parametrize(("size", "k"), [(8, 5), (9, 6), (11, 6), (13, 5), (12, 9)])
def test_the_likeliest_link_is_that_of_all_ways_to_deal(size: int, k: int) -> None:
    allowed = [{(row + step) % size for step in range(k)} for row in range(size)]
    exact = max(ways([{record}, *allowed[1:]]) for record in allowed[0]) / ways(allowed)
    told = _links_of_rings((Ring(np.arange(size, dtype=np.int32), k),), np.random.default_rng(2))
    assert told.draws == DRAWS and told.largest == pytest.approx(exact, abs=0.01)
    assert exact < told.limit < exact + 0.04


def test_whole_groups_leave_nothing_to_estimate() -> None:
    told = _links_of_rings(
        (Ring(np.arange(6, dtype=np.int32), 6), Ring(np.array([6, 7], np.int32), 2)),
        np.random.default_rng(2),
    )
    assert (told.largest, told.limit, told.draws) == (0.5, 0.5, 0)


def test_windows_are_those_of_each_row_whatever_the_order_of_rings() -> None:
    starts, members = windows(
        (Ring(np.array([4, 1, 3], np.int32), 2), Ring(np.array([0, 2], np.int32), 2))
    )
    found = [members[a:b].tolist() for a, b in pairwise(starts)]
    assert found == [[0, 2], [1, 3], [2, 0], [3, 4], [4, 1]]
