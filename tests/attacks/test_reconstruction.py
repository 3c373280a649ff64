"""Overlapping distributions are equations: what the attack regains, and when it refuses."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.attacks.attack import Material
from shoal.attacks.overlapped import Overlapped, Told
from shoal.attacks.reconstruction import Reconstruction, guesses
from shoal.attacks.sight import Seen
from shoal.kernels.attacks.equations import regress, spread, sums, within


@st.composite
def systems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Sets over records, weights of records and the dense matrix that they stand for."""
    records = draw(st.integers(1, 6))
    rows = draw(st.integers(1, 7))
    sets = [sorted(draw(st.sets(st.integers(0, records - 1), min_size=1))) for _ in range(rows)]
    times = np.array(
        draw(st.lists(st.integers(1, 4), min_size=records, max_size=records)), np.float64
    )
    dense = np.zeros((rows, records))
    for row, members in enumerate(sets):
        dense[row, members] = 1
    starts = np.concatenate(([0], np.cumsum([len(members) for members in sets]))).astype(np.int64)
    return starts, np.concatenate(sets).astype(np.int32), times, dense


@settings(max_examples=150, deadline=None)
@given(systems(), st.integers(0, 2**32 - 1))
def test_the_solution_is_the_best_one_nearest_to_the_guess(system: tuple, seed: int) -> None:
    starts, members, times, dense = system
    rng = np.random.default_rng(seed)
    told = rng.random((len(dense), 2))
    guess = rng.random((dense.shape[1], 2))
    found = regress(starts, members, times, told, guess)
    weighted = dense * times
    expected = guess + np.linalg.lstsq(weighted, told - weighted @ guess, rcond=None)[0]
    assert np.abs(found - expected).max() < 1e-3
    out = np.empty((len(dense), 2))
    sums(starts, members, guess, out)
    assert np.allclose(out, dense @ guess)
    back = np.empty_like(guess)
    spread(starts, members, told, back)
    assert np.allclose(back, dense.T @ told)


@settings(max_examples=60, deadline=None)
@given(systems(), st.integers(0, 2**32 - 1))
def test_shares_add_up_and_fit_no_worse_than_the_guess(system: tuple, seed: int) -> None:
    starts, members, times, dense = system
    rng = np.random.default_rng(seed)
    truth = np.eye(3)[rng.integers(0, 3, dense.shape[1])]
    told = (dense * times) @ truth
    guess = np.full_like(truth, 1 / 3)
    found = within(starts, members, times, told, guess, steps=2000)
    assert np.allclose(found.sum(axis=1), 1)
    assert (found >= 0).all()
    missed, before = (np.square((dense * times) @ x - told).sum() for x in (found, guess))
    assert missed <= 1e-3 * max(before, 1.0)


def overlapped(size: int, k: int, l: int, truth: np.ndarray) -> Overlapped:
    """Row i speaks about records i to i + k - 1 on a ring, exactly."""
    members = (np.arange(size)[:, None] + np.arange(k)) % size
    shares = np.stack([(truth[members] == value).mean(axis=1) for value in range(2)], axis=1)
    return Overlapped(
        np.arange(size + 1, dtype=np.int64) * k,
        members.reshape(-1).astype(np.int32),
        {"ill": Told(shares, truth.astype(np.int32))},
        l,
    )


def test_exact_distributions_give_everybody_away() -> None:
    truth = np.random.default_rng(3).integers(
        0, 2, 101
    )  # 101 and 4 have no divisor in common: the ring can be solved
    known = overlapped(101, 4, 1, truth)
    found = guesses(known, known.told["ill"])
    assert (found["equations"] == truth).all()
    assert (found["votes"] == truth).mean() < 1


def found_by_attack(known: Overlapped) -> list:
    return list(
        Reconstruction().run(Material(Seen(pa.table({}), ()), overlapped=known, flow="overlap"))
    )


@pytest.mark.parametrize(("l", "refuses"), [(1, False), (2, True)])
def test_it_gates_where_l_was_promised(l: int, refuses: bool) -> None:
    truth = np.random.default_rng(3).integers(0, 2, 101)
    (finding,) = found_by_attack(overlapped(101, 4, l, truth))
    assert finding.attack == 1.0
    assert finding.refuses is refuses
    assert finding.conceded == (1.0 if l == 1 else max(0.5, np.bincount(truth).max() / 101))


def test_missing_values_are_not_guessed_and_an_empty_column_is_impossible() -> None:
    truth = np.array([0, 1, 2, 2, 1])
    (finding,) = found_by_attack(overlapped(5, 2, 2, truth))
    assert finding.trials == 3
    (nobody,) = found_by_attack(overlapped(5, 2, 2, np.full(5, 2)))
    assert nobody.trials == 0
    assert not nobody.refuses


def test_records_that_look_alike_are_guessed_alike() -> None:
    known = Overlapped(
        np.array([0, 2, 3], np.int64),
        np.array([0, 1, 1], np.int32),
        {"ill": Told(np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([1, 1, 1, 0], np.int32))},
        2,
        unit_of=np.array([0, 0, 0, 1], np.int32),
    )
    found = guesses(known, known.told["ill"])
    assert found["equations"].tolist() == [1, 1, 1, 0]
