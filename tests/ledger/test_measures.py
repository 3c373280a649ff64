"""Measures over several releases agree with their literal versions, and with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from naive import repeated
from shoal.ledger.candidates import ValueCounts, candidates
from shoal.ledger.company import Histories, company
from shoal.ledger.differences import only_in
from tries import tries

PEOPLE = 8


def as_dict(labels: np.ndarray) -> dict[int, int]:
    return {person: int(group) for person, group in enumerate(labels) if group >= 0}


def trace(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random groups and values of at most 8 people in at most 4 releases."""
    people = int(min(rng.integers(2, PEOPLE + 1), rng.integers(4, PEOPLE + 3)))
    releases = int(rng.integers(1, 5))
    labels = rng.integers(0, int(rng.integers(1, 4)), (releases, people))
    labels[rng.random(labels.shape) < 0.2] = -1
    if rng.random() < 0.5:  # mostly the same groups again
        labels[1:] = np.where(rng.random((releases - 1, people)) < 0.8, labels[0], labels[1:])
    values = np.repeat(rng.integers(0, 3, (1, people)), releases, axis=0)
    changed = rng.random(values.shape) < rng.choice([0, 0, 0.1])
    values[changed] = rng.integers(0, 3, int(changed.sum()))
    return labels.astype(np.int32), values


def tally(labels: np.ndarray, values: np.ndarray) -> ValueCounts:
    there = labels >= 0
    pairs, count = np.unique(np.stack([labels[there], values[there]]), axis=1, return_counts=True)
    return ValueCounts(pairs[0].astype(np.int32), pairs[1].astype(np.int32), count)


def left(labels: np.ndarray, values: np.ndarray) -> dict[int, int]:
    """How many values each person of the last release can have."""
    histories = Histories.of_labels(labels)
    tallies = [tally(*pair) for pair in zip(labels, values, strict=True)]
    counted = candidates(histories, tallies).values[histories.of]
    return {person: int(counted[person]) for person in as_dict(labels[-1])}


@pytest.mark.parametrize("seed", range(4))
def test_random_traces_agree_with_sets_and_with_every_way_to_give_out_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(tries(500)):
        labels, values = trace(rng)
        releases = [as_dict(row) for row in labels]
        counted = company(labels)
        assert {p: int(counted[p]) for p in np.flatnonzero(counted)} == repeated.company(releases)
        k = int(rng.integers(2, 5))
        few = np.zeros(labels.shape[1], bool)
        for earlier in labels[:-1]:
            few |= only_in(labels[-1], earlier, k).few | only_in(earlier, labels[-1], k).few
        assert set(np.flatnonzero(few).tolist()) == repeated.too_few(releases, k)
        held = [
            {p: int(v[p]) for p in release} for v, release in zip(values, releases, strict=True)
        ]
        every = repeated.candidates(releases, held)
        assert left(labels, values) == {p: len(some) for p, some in every.items()}


def test_nested_boxes_are_judged_by_company_and_differences() -> None:
    rng = np.random.default_rng(5)
    for _ in range(tries(500)):
        labels, _ = trace(rng)
        k = int(rng.integers(2, 5))
        for one, other in ((labels[0], labels[-1]), (labels[-1], labels[0])):
            pair = np.array([one, other])
            judged = set(np.flatnonzero((company(pair) < k) & (company(pair) > 0)).tolist())
            judged |= set(np.flatnonzero(only_in(one, other, k).few).tolist())
            assert repeated.nested_too_few(as_dict(one), as_dict(other), k) <= judged


def test_two_equal_releases_keep_the_company_of_one() -> None:
    once = np.repeat(np.arange(4), 5).astype(np.int32)
    assert company(np.array([once, once])).min() == 5


def test_two_orthogonal_splits_of_a_grid_leave_everyone_alone() -> None:
    rows, columns = np.divmod(np.arange(25), 5)
    assert company(np.array([rows, columns], np.int32)).max() == 1


def test_frozen_boxes_with_one_newcomer_are_found_by_difference() -> None:
    before = np.array([0, 0, 0, -1], np.int32)
    after = np.zeros(4, np.int32)
    assert company(np.array([before, after])).tolist() == [3, 3, 3, 4]
    assert only_in(after, before, 3).few.tolist() == [False, False, False, True]


def test_order_of_people_and_of_earlier_releases_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    labels, _ = trace(rng)
    people = rng.permutation(labels.shape[1])
    releases = rng.permutation(len(labels))
    counted = company(labels)
    np.testing.assert_array_equal(company(labels[:, people]), counted[people])
    np.testing.assert_array_equal(company(labels[releases]), counted)


def test_a_second_release_that_splits_a_group_may_tell_a_value() -> None:
    labels = np.array([[0, 0, 0, 0], [0, 0, 1, 1]], np.int32)
    values = np.array([[0, 0, 1, 1]] * 2)
    assert left(labels, values) == {0: 1, 1: 1, 2: 1, 3: 1}
    # and a value that is only seen by what others must have
    labels = np.array([[0, 0, 1, 1], [0, 1, 0, 1]], np.int32)
    values = np.array([[0, 1, 0, 0]] * 2)
    assert left(labels, values) == {0: 1, 1: 1, 2: 1, 3: 1}


def test_values_that_changed_leave_those_of_the_newest_group() -> None:
    labels = np.zeros((2, 3), np.int32)
    assert left(labels, np.array([[0, 0, 1], [1, 1, 2]])) == {0: 2, 1: 2, 2: 2}
