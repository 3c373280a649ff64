"""The sensitive side: shares among matches and links, noise with the right law, and groups that are safe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import concealment as naive
from overlap.test_concealment import Record, Row, arrays, tables
from overlap.test_matching import LINE, UNEVEN
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.kernels.covering import has
from shoal.overlap.cover import Cover
from shoal.overlap.grouping import grouped
from shoal.overlap.matching import Links, links
from shoal.overlap.nsvdist import NSVDist
from shoal.overlap.values import geometric, noisy, shares, within_cap
from tables import any_sample, sample

NOTHING = Links(0.0, 0.0, np.zeros(0), 0, 0.0, np.zeros((1, 6), np.int32))


@given(tables(), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.integers(1, 3))
def test_shares_among_matches_are_those_of_the_definition(
    table: tuple[list[Record], list[Row]], values: list[int], l: int  # noqa: E741
) -> None:  # fmt: skip
    records, rows = table
    cover = Cover.of(*arrays(records, rows))
    found = shares(cover.matches(cover.own()), NOTHING, np.array(values[: len(rows)], np.int32), l)
    possible = naive.matchings(records, rows)
    largest = []
    for record in range(len(records)):
        said = [values[row] for row in {given[record] for given in possible}]
        largest.append(max(map(said.count, said)) / len(said))
    assert found.among_matches == max(largest)
    assert found.above == sum(share > 1 / l + 1e-12 for share in largest)


def test_shares_among_links_weigh_each_row_by_its_link() -> None:
    cover, values = Cover.of(*arrays(LINE, UNEVEN)), np.array([0, 1, 2, 0, 1, 2, 1], np.int32)
    matches = cover.matches(cover.own())
    found = shares(matches, links(matches, np.random.default_rng(3), 2000), values, 2)
    chances = np.array(naive.links(LINE, UNEVEN), float)
    truth = [max(chances[record][values == value].sum() for value in range(3)) for record in range(7)]
    assert abs(found.among_links - max(truth)) < 0.05
    assert found.likely_above == sum(chance > 0.5 for chance in truth)


def test_noise_has_its_law() -> None:
    drawn = geometric((200_000,), 0.5, np.random.default_rng(1))
    ratio = np.exp(-0.5)
    for value in range(-4, 5):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(value)
        assert abs((drawn == value).mean() - chance) < 5 * np.sqrt(chance / len(drawn))


def test_little_noise_leaves_distributions_as_they_are() -> None:
    members = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], np.int32)
    values = np.array([0, 1, 1, 2])
    found = noisy(members, values, 4, epsilon=1e9, cap=4, l=1, rng=np.random.default_rng(0))
    assert (found.shares * 3).round(9).tolist() == [[1, 2, 0, 0], [1, 1, 1, 0], [1, 1, 1, 0], [0, 2, 1, 0]]
    assert found.left_out == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_no_record_counts_more_often_than_the_cap(seed: int, cap: int) -> None:
    rng = np.random.default_rng(seed)
    members = np.array([np.append(row, rng.permutation(np.delete(np.arange(12), row))[:4]) for row in range(12)])
    counted = within_cap(members, cap)
    times = np.bincount(members[counted], minlength=12)
    assert times.tolist() == np.minimum(np.bincount(members.ravel(), minlength=12), cap).tolist()
    assert counted[:, 0].all(), "everybody counts in their own row"
    for record in range(12):
        kept, dropped = (np.flatnonzero(((members == record) & wanted).any(axis=0)) for wanted in (counted, ~counted))
        assert not len(dropped) or kept.max() <= dropped.min(), "those in which it stands nearest"


def test_noisy_rows_add_up_and_tell_what_was_left_out() -> None:
    members = np.zeros((5, 2), np.int32)
    members[:, 0], members[1:, 1], members[0, 1] = np.arange(5), 0, 1
    found = noisy(members, np.array([0, 1, 0, 1, 0]), 2, epsilon=0.5, cap=2, l=1, rng=np.random.default_rng(0))
    assert found.shares.shape == (5, 2) and (found.shares >= 0).all()
    assert found.shares.sum(axis=1).tolist() == pytest.approx([1.0] * 5)
    assert found.left_out == 3


@pytest.mark.parametrize("wrong", [{"l": 2}, {"epsilon": 0.0}, {"epsilon": float("nan")}, {"cap": 0}])
def test_noise_that_would_not_protect_is_refused(wrong: dict[str, float]) -> None:
    given = {"epsilon": 1.0, "cap": 3, "l": 1, "rng": np.random.default_rng(0), **wrong}
    with pytest.raises(RecipeError):
        noisy(np.zeros((3, 1), np.int32), np.zeros(3, np.int32), 1, **given)


def with_values(rows: Rows, values: int, seed: int) -> Rows:
    drawn = np.random.default_rng(seed).integers(0, values, rows.count)
    return replace(rows, sensitive=(profile(pa.array([f"v{value}" for value in drawn]), "illness"),))


@settings(max_examples=60)
@given(any_sample(30), st.integers(1, 3), st.integers(1, 6))
def test_groups_are_large_and_varied_enough(some: object, l: int, values: int) -> None:  # noqa: E741
    rows, k = with_values(some.rows, values, some.seed), some.k  # type: ignore[attr-defined]
    near = NSVDist().cover(rows, k, np.random.default_rng(0))  # of whatever values: groups see to them
    codes = rows.sensitive[0].codes
    if np.bincount(codes).max() * l > rows.count:
        with pytest.raises(PrivacyNotMet, match="lower l"):
            grouped(rows, near, k, l)
        return
    groups = grouped(rows, near, k, l)
    assert groups.labels.min() == 0 and groups.sizes.min() >= k
    assert all(np.bincount(codes[groups.labels == group]).max() * l <= size for group, size in enumerate(groups.sizes))


def test_free_neighbourhoods_become_groups() -> None:
    some = sample(7)
    groups = grouped(some.rows, NSVDist().cover(some.rows, 2, np.random.default_rng(0)), 2, 1)
    assert groups.count == pytest.approx(some.rows.count / 2, abs=1)


def test_bits_are_read_where_they_stand() -> None:
    bits = np.array([1, 1 << 63], np.uint64)
    assert [place for place in range(128) if has(bits, place)] == [0, 127]
