from __future__ import annotations

import numpy as np
import pytest

from naive.weighted_c_means import weighted_c_means
from shoal.errors import RecipeError
from shoal.partition.weighted_c_means import WeightedCMeans
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, encoded, labels_of, samples
from tries import telling


def divided(method, rows, k, seed=0):
    return method.divide(rows, k, AtLeast(k), np.random.default_rng(seed))


@pytest.mark.parametrize("rule", ["separation", "loss"])
def test_every_label_is_that_of_the_plain_reading(rule):
    for sample in samples(120):
        groups = divided(WeightedCMeans(rule, iterations=8), sample.rows, sample.k, sample.seed)
        naive = weighted_c_means(
            sample.columns, sample.k, np.random.default_rng(sample.seed), rule, 8
        )
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


def test_no_group_holds_2k_rows_or_fewer_than_k():
    for sample in samples(200):
        groups = divided(WeightedCMeans(iterations=3), sample.rows, sample.k, sample.seed)
        assert sample.k <= groups.sizes.min() and groups.sizes.max() < 2 * sample.k


def test_a_column_that_separates_gets_the_weight():
    """Two heaps in the first column, noise in the second: with weights the heaps are found from any
    seeds.
    """
    rng = np.random.default_rng(0)
    columns = [Column([0.0] * 20 + [1.0] * 20), Column(rng.random(40).tolist())]
    for seed in range(10):
        labels = divided(WeightedCMeans(), encoded(columns), 4, seed).labels
        assert not set(labels[:20].tolist()) & set(labels[20:].tolist())


def test_the_rules_differ_and_the_notes_say_why_it_stopped():
    different = 0
    for sample in samples(100):
        one, two = (
            divided(WeightedCMeans(rule), sample.rows, sample.k) for rule in ("separation", "loss")
        )
        assert all(groups.notes[0].startswith("stopped after ") for groups in (one, two))
        different += not np.array_equal(one.labels, two.labels)
    assert different > telling(10)


def test_without_rounds_there_is_nothing():
    with pytest.raises(RecipeError, match="at least 1"):
        WeightedCMeans(iterations=0)


def test_adult():
    rows = adult()
    groups = divided(WeightedCMeans(), rows, 10, 1)
    assert (
        TotalInformationLoss().measure(Evidence(rows, groups)) < 45_000
    )  # one-pass-k-means: 52,800
    assert groups.sizes.min() >= 10
