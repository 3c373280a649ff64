from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from naive.one_pass_k_means import one_pass_k_means
from shoal.partition.one_pass_k_means import OnePassKMeans
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, any_sample, encoded, labels_of, samples


def divided(columns, k, seed=0, **parameters):
    rng = np.random.default_rng(seed)
    return OnePassKMeans(**parameters).divide(encoded(columns), k, AtLeast(k), rng).labels.tolist()


@pytest.mark.parametrize("order", ["sorted", "file"])
def test_every_label_is_that_of_the_plain_reading(order):
    for sample in samples(400):
        groups = OnePassKMeans(order).divide(
            sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
        )
        naive = one_pass_k_means(
            sample.columns, sample.k, np.random.default_rng(sample.seed), order
        )
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


def test_the_two_orders_differ():
    rng = np.random.default_rng(1)
    columns = [Column(rng.random(40).tolist())]
    assert divided(columns, 4, order="sorted") != divided(columns, 4, order="file")


@settings(max_examples=60, deadline=None)
@given(any_sample(80))
def test_there_are_as_many_groups_as_can_be(sample):
    groups = OnePassKMeans().divide(
        sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
    )
    assert groups.count == sample.rows.count // sample.k
    assert groups.sizes.min() >= sample.k


def test_groups_are_as_large_as_the_guard_asks():
    rows = encoded([Column([float(x) for x in range(20)])])
    assert OnePassKMeans().divide(rows, 2, AtLeast(6), np.random.default_rng(0)).sizes.min() >= 6


def test_two_heaps_of_two_seeds():
    heaps = [Column([0.0, 100.0, 1.0, 101.0, 2.0, 102.0])]
    found = {tuple(divided(heaps, 3, seed)) for seed in range(20)}
    assert (0, 1, 0, 1, 0, 1) in found


def test_adult_loses_more_than_with_k_member():
    rows = adult()
    groups = OnePassKMeans().divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert (
        40_000 < TotalInformationLoss().measure(Evidence(rows, groups)) < 60_000
    )  # k-member: 28,000
    assert groups.count == 3016 and groups.sizes.min() == 10
