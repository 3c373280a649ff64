"""The best grouping of small tables: beside all groupings, and under a guard that refuses it."""

from dataclasses import replace

import numpy as np
import pytest

from naive.exact import least_loss
from shoal.groups import Groups
from shoal.kernels.costs import UNIT
from shoal.partition import optimum
from shoal.partition.optimum import is_small, optimum_of
from shoal.partition.refinement import EFFORTS
from shoal.partition.repair import loss_of
from shoal.partition.shoal import Shoal
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from shoal.review.optimality_gap import distance, gap_of
from tables import AtLeast, Column, ManyValues, encoded, table


def random_numbers(count: int, axes: int, seed: int):
    rng = np.random.default_rng(seed)
    return encoded([Column(rng.integers(0, 20, count).astype(float).tolist()) for _ in range(axes)])


def test_it_is_the_least_of_all_groupings():
    for seed in range(250):
        rng = np.random.default_rng(seed)
        columns = table(rng, int(rng.integers(4, 10)))
        rows = encoded(columns)
        k = int(rng.integers(2, 4))
        best = optimum_of(rows, rows.costs, k, Groups.of(np.zeros(rows.count, np.int64)))
        groups = Groups.of(best.labels)
        assert groups.sizes.min() >= k
        assert loss_of(groups, rows) == best.loss == least_loss(columns, k), f"seed {seed}"
        assert best.proven, f"seed {seed}"


@pytest.mark.parametrize("seed", range(4))
def test_high_effort_ends_with_a_proof(seed):
    rows = random_numbers(40, 3, seed)
    groups = Shoal("high").divide(rows, 3, AtLeast(3), np.random.default_rng(seed))
    default = Shoal().divide(rows, 3, AtLeast(3), np.random.default_rng(seed))
    assert loss_of(groups, rows) <= loss_of(default, rows)
    evidence = Evidence(rows, groups, 3)
    losses = {"total-information-loss": TotalInformationLoss().measure(evidence)}
    gap = gap_of(evidence, "height", losses, exact=True)
    assert gap.gap == 0 and distance(gap) == "no grouping is better"
    worse = Evidence(rows, Groups.of(np.zeros(rows.count, np.int64)), 3)
    lost = TotalInformationLoss().measure(worse)
    far = gap_of(worse, "height", {"total-information-loss": lost}, exact=True)
    assert 0.95 * gap.least < far.least <= gap.least


def test_without_enough_work_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(optimum, "WORK", 10)
    rows = random_numbers(20, 3, 0)
    begun = Groups.of(np.zeros(rows.count, np.int64))
    best = optimum_of(rows, rows.costs, 3, begun)
    assert not best.proven and best.least < best.loss
    assert best.labels.tolist() == begun.labels.tolist()


def test_groups_that_the_models_refuse_are_not_taken(monkeypatch):
    # what is refused is the best grouping, which is found however short the search before it is
    short = replace(EFFORTS["high"], rounds=1, balanced=1, renewals=1, least_renewals=1)
    monkeypatch.setitem(EFFORTS, "high", short)
    taken = 0
    for seed in range(12):
        rows = random_numbers(16, 2, seed)
        ill = np.random.default_rng(seed).integers(0, 3, rows.count)
        guard = ManyValues(3, ill, 2)
        groups = Shoal("high").divide(rows, 3, guard, np.random.default_rng(seed))
        plain = Shoal("high").divide(rows, 3, AtLeast(3), np.random.default_rng(seed))
        taken += not guard.safe(plain).all()
        if guard.safe(plain).all():
            assert loss_of(groups, rows) == loss_of(plain, rows)
        assert loss_of(groups, rows) >= loss_of(plain, rows)
        assert (groups.sizes >= 3).all()
    assert taken > 3  # the best grouping was refused now and then


def test_only_small_tables_are_searched():
    assert is_small(random_numbers(40, 3, 0), 5)
    assert not is_small(random_numbers(40, 3, 0), 6)
    assert not is_small(random_numbers(200, 3, 0), 5)
    assert UNIT * optimum.FINE < 2**40  # sums of prices stay far from the end of int64
