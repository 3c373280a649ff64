from __future__ import annotations

import numpy as np
import pytest

from naive.mondrian import mondrian
from naive.repair import loss, repaired
from shoal.partition.mondrian import Mondrian
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, ManyValues, adult, encoded, labels_of, samples
from tries import telling

RNG = np.random.default_rng(0)


def divided(columns, k, **parameters):
    return Mondrian(**parameters).divide(encoded(columns), k, AtLeast(k), RNG).labels.tolist()


@pytest.mark.parametrize("relaxed", [False, True])
def test_every_label_is_that_of_the_plain_reading(relaxed):
    for sample in samples(2000):
        groups = Mondrian(relaxed).divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        naive = mondrian(sample.columns, sample.k, relaxed)
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


@pytest.mark.parametrize("cuts", ["below-median", "median"])
def test_the_cuts_of_the_paper_alone_are_those_of_the_plain_reading(cuts):
    for sample in samples(1000):
        groups = Mondrian(cuts=cuts).divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        naive = mondrian(sample.columns, sample.k, kinds=cuts)
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


@pytest.mark.parametrize("relaxed", [False, True])
def test_under_a_guard_the_better_of_safe_cuts_and_mended_ones_is_taken(relaxed):
    mended = 0
    for sample in samples(400):
        sensitive = np.random.default_rng(sample.seed).integers(0, 4, size=sample.rows.count)
        guard = ManyValues(1, sensitive, 2, ruled=sample.seed % 2 == 0)

        def safe(rows, s=sensitive):
            return len({s[row] for row in rows}) >= 2

        groups = Mondrian(relaxed).divide(sample.rows, sample.k, guard, RNG)
        cut = mondrian(sample.columns, sample.k, relaxed, safe)
        freely = sorted(mondrian(sample.columns, sample.k, relaxed), key=min)
        merged = repaired(sample.columns, freely, safe, *[safe] * guard.ruled)
        naive = min(
            merged, cut, key=lambda parts: (not all(map(safe, parts)), loss(sample.columns, parts))
        )
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"
        assert guard.safe(groups).all() or groups.count == 1
        mended += (
            naive is merged
            and merged != freely
            and loss(sample.columns, merged) < loss(sample.columns, cut)
        )
    assert mended > telling(20)


def test_by_hand():
    assert divided([Column([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])], 2) == [0, 0, 0, 1, 1, 1]
    assert divided([Column([1.0, 2.0, 3.0, 4.0])], 2) == [0, 0, 1, 1]


def test_ties_above_the_median_are_cut_below_it():
    assert divided([Column([1.0, 1.0, 2.0, 2.0, 2.0])], 2) == [0, 0, 1, 1, 1]


def test_the_plain_median_cut_gives_up_where_ties_stand_in_its_way():
    ties = [Column([1.0, 1.0, 2.0, 2.0, 2.0])]
    assert divided(ties, 2, cuts="median") == [0, 0, 0, 0, 0]
    assert divided(ties, 2, cuts="below-median") == [0, 0, 1, 1, 1]


def test_relaxed_deals_ties_to_both_halves():
    ties = [Column([5.0, 5.0, 5.0, 5.0, 5.0])]
    assert divided(ties, 2) == [0, 0, 0, 0, 0]
    assert divided(ties, 2, relaxed=True) == [0, 0, 0, 1, 1]


def test_a_hierarchy_is_cut_by_its_nodes():
    tree = ("*", [("north", ["a", "b"]), ("south", ["c", "d"])])
    cells = ["a", "a", "b", "c", "d", "c", "d", "c"]  # the median falls inside the south
    assert divided([Column(cells, tree)], 3) == [0, 0, 0, 1, 1, 1, 1, 1]


def test_missing_is_cut_off():
    assert divided([Column([1.0, 1.0, None, None])], 2) == [0, 0, 1, 1]


def test_relaxed_groups_hold_less_than_2k():
    for sample in samples(500):
        groups = Mondrian(relaxed=True).divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        assert groups.sizes.max() < 2 * sample.k


@pytest.mark.parametrize(("k", "public"), [(5, 36_100), (10, 55_500), (50, 108_000)])
def test_adult_loses_less_than_with_the_best_public_one(k, public):
    rows = adult()
    groups = Mondrian().divide(rows, k, AtLeast(k), RNG)
    assert TotalInformationLoss().measure(Evidence(rows, groups)) < 0.65 * public
    assert groups.sizes.min() >= k
