from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from naive.hybrid import hybrid
from shoal.partition.hybrid import Hybrid
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, any_sample, encoded, labels_of, samples


def divided(columns, k, seed):
    return (
        Hybrid()
        .divide(encoded(columns), k, AtLeast(k), np.random.default_rng(seed))
        .labels.tolist()
    )


def test_every_label_is_that_of_the_plain_reading():
    for sample in samples(600):
        groups = Hybrid().divide(
            sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
        )
        naive = hybrid(sample.columns, sample.k, np.random.default_rng(sample.seed))
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


@settings(max_examples=60, deadline=None)
@given(any_sample(80))
def test_there_are_as_many_groups_as_can_be(sample):
    groups = Hybrid().divide(
        sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
    )
    assert groups.count == sample.rows.count // sample.k
    assert groups.sizes.min() >= sample.k


def test_groups_are_as_large_as_the_guard_asks():
    rows = encoded([Column([float(x) for x in range(20)])])
    assert Hybrid().divide(rows, 2, AtLeast(6), np.random.default_rng(0)).sizes.min() >= 6


def test_two_heaps_are_found_from_any_seeds():
    heaps = [Column([0.0, 100.0, 1.0, 101.0, 2.0, 102.0])]
    assert {tuple(divided(heaps, 3, seed)) for seed in range(20)} == {(0, 1, 0, 1, 0, 1)}


def test_a_large_group_keeps_those_around_its_medoid():
    # one seed, so one group of all: 5 is the medoid, 4 and 6 are the next; 0 and 9 are left over
    # and join the only group
    far = [Column([0.0, 4.0, 5.0, 6.0, 9.0])]
    assert divided(far, 3, 0) == [0] * 5
    # two groups of two: whichever rows are seeds, the pool gathers what is left
    assert divided([Column([0.0, 0.0, 9.0, 9.0])], 2, 1) == [0, 0, 1, 1]


def test_adult_loses_far_less_than_with_one_pass_k_means():
    rows = adult()
    groups = Hybrid().divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    loss = TotalInformationLoss().measure(Evidence(rows, groups))
    assert loss == pytest.approx(30_041, rel=0.02)  # one-pass-k-means: 52,800; k-member: 28,400
    assert groups.count == 3016 and groups.sizes.min() == 10
