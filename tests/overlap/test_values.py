"""The sensitive side: shares among matches and links, noise with the right law, and groups that are
safe.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import RecipeError
from shoal.kernels.overlap.covering import has
from shoal.overlap.matching import Links
from shoal.overlap.values import NoiseStrength, geometric, noisy, within_cap

NOTHING = Links(0.0, 0.0, np.zeros(0), 0, 0.0, np.zeros((1, 6), np.int32))


def test_noise_has_its_law() -> None:
    drawn = geometric((200_000,), 0.5, np.random.default_rng(1))
    ratio = np.exp(-0.5)
    for value in range(-4, 5):
        chance = (1 - ratio) / (1 + ratio) * ratio ** abs(value)
        assert abs((drawn == value).mean() - chance) < 5 * np.sqrt(chance / len(drawn))


def test_little_noise_leaves_distributions_as_they_are() -> None:
    members = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]], np.int32)
    values = np.array([0, 1, 1, 2])
    found = noisy(
        members, values, 4, NoiseStrength(epsilon=1e9, cap=4, l=1), np.random.default_rng(0)
    )
    assert (found.shares * 3).round(9).tolist() == [
        [1, 2, 0, 0],
        [1, 1, 1, 0],
        [1, 1, 1, 0],
        [0, 2, 1, 0],
    ]
    assert found.left_out == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_no_record_counts_more_often_than_the_cap(seed: int, cap: int) -> None:
    rng = np.random.default_rng(seed)
    members = np.array(
        [np.append(row, rng.permutation(np.delete(np.arange(12), row))[:4]) for row in range(12)]
    )
    counted = within_cap(members, cap)
    times = np.bincount(members[counted], minlength=12)
    assert times.tolist() == np.minimum(np.bincount(members.ravel(), minlength=12), cap).tolist()
    assert counted[:, 0].all(), "everybody counts in their own row"
    for record in range(12):
        kept, dropped = (
            np.flatnonzero(((members == record) & wanted).any(axis=0))
            for wanted in (counted, ~counted)
        )
        assert not len(dropped) or kept.max() <= dropped.min(), "those in which it stands nearest"


def test_noisy_rows_add_up_and_tell_what_was_left_out() -> None:
    members = np.zeros((5, 2), np.int32)
    members[:, 0] = np.arange(5)
    members[1:, 1] = 0
    members[0, 1] = 1
    found = noisy(
        members,
        np.array([0, 1, 0, 1, 0]),
        2,
        NoiseStrength(epsilon=0.5, cap=2, l=1),
        np.random.default_rng(0),
    )
    assert found.shares.shape == (5, 2) and (found.shares >= 0).all()
    assert found.shares.sum(axis=1).tolist() == pytest.approx([1.0] * 5)
    assert found.left_out == 3


@pytest.mark.parametrize(
    "wrong", [{"l": 2}, {"epsilon": 0.0}, {"epsilon": float("nan")}, {"cap": 0}]
)
def test_noise_that_would_not_protect_is_refused(wrong: dict[str, float]) -> None:
    given = {"epsilon": 1.0, "cap": 3, "l": 1, **wrong}
    with pytest.raises(RecipeError):
        NoiseStrength(**given)


def test_bits_are_read_where_they_stand() -> None:
    bits = np.array([1, 1 << 63], np.uint64)
    assert [place for place in range(128) if has(bits, place)] == [0, 127]
