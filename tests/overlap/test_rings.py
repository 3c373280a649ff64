"""Rings inside groups: windows of k records, turned by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.overlap.repairs import total_cost
from shoal.overlap.rings import Ring, ringed, turned
from tables import Sample, any_sample


def divided(rows: int, k: int, seed: int) -> Groups:
    """Any groups of at least k."""
    count = max(rows // (k + seed % 3), 1)
    return Groups.of(np.random.default_rng(seed).permutation(np.arange(rows) % count))


@settings(max_examples=150, deadline=None)
@given(any_sample(), st.integers(1, 4), st.integers(0, 99))
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
        assert len(ring.rows) >= ring.window == k
        for place, row in enumerate(ring.rows):
            window = rows.codes[:, np.roll(ring.rows, -place)[:k]]
            assert made.lo[:, row].tolist() == window.min(axis=1).tolist()
            assert made.hi[:, row].tolist() == window.max(axis=1).tolist()
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    of_groups = total_cost(rows, lo[:, groups.labels], hi[:, groups.labels])
    assert total_cost(rows, made.lo, made.hi) <= of_groups


@settings(max_examples=100, deadline=None)
@given(any_sample(), st.integers(2, 4), st.integers(1, 3), st.integers(0, 99))
def test_no_value_is_too_frequent_among_the_rows_a_person_may_be(sample: Sample, k: int, l: int, seed: int) -> None:  # noqa: E741
    if sample.rows.count < k:
        return
    ill = profile(pa.array(np.random.default_rng(seed).choice(list("aaabc"), sample.rows.count)), "ill")
    rows = replace(sample.rows, sensitive=(ill,))
    groups = divided(rows.count, k, seed)
    made = ringed(rows, groups, k, l)
    carried = turned(made.rings, np.random.default_rng(seed))
    for ring in made.rings:
        if len(ring.rows) == ring.window == groups.sizes[groups.labels[ring.rows[0]]]:
            continue  # the group as one: it keeps l itself, or was none to begin with
        assert ring.window == k
        for place in range(len(ring.rows)):
            may_be = np.roll(ring.rows, k - 1 - place)[:k]  # the rows whose windows hold the record at this place
            for column in rows.sensitive:
                assert np.bincount(column.codes[carried[may_be]]).max() <= k // l


def test_each_link_is_equally_likely() -> None:
    rings = (Ring(np.array([4, 0, 2, 5, 6], np.int32), 3), Ring(np.array([3, 1, 7], np.int32), 3))
    rng, drawn = np.random.default_rng(5), np.zeros((8, 8))
    for _ in range(6000):
        carried = turned(rings, rng)
        assert sorted(carried.tolist()) == list(range(8))
        drawn[np.arange(8), carried] += 1
    windows = {4: (4, 0, 2), 0: (0, 2, 5), 2: (2, 5, 6), 5: (5, 6, 4), 6: (6, 4, 0)} | dict.fromkeys((3, 1, 7), (3, 1, 7))
    for row, window in windows.items():
        assert set(np.flatnonzero(drawn[row])) == set(window)
        assert np.abs(drawn[row, list(window)] / 6000 - 1 / 3).max() < 0.03


def test_a_group_in_which_a_window_tells_too_much_is_published_as_one() -> None:
    ages, ill = profile(pa.array(range(8)), "age"), profile(pa.array(list("aaaabbbb")), "ill")
    rows = encode([ages], {}, sensitive=[ill])
    whole, apart = (ringed(rows, Groups.of(np.zeros(8, np.int32)), 4, l) for l in (2, 1))  # noqa: E741
    assert [ring.window for ring in whole.rings] == [8]
    assert (whole.lo == 0).all()
    assert (whole.hi == 7).all()
    assert [ring.window for ring in apart.rings] == [4, 4]
