from __future__ import annotations

import numpy as np
import pytest

from naive.k_member import k_member
from shoal.partition.k_member import KMember
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, adult, labels_of, samples


@pytest.mark.parametrize(("seed_rule", "tables"), [("previous-seed", 2000), ("last-added", 500)])
def test_every_label_is_that_of_the_plain_reading(seed_rule, tables):
    for sample in samples(tables):
        groups = KMember(seed_rule).divide(sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed))
        naive = k_member(sample.columns, sample.k, np.random.default_rng(sample.seed), seed_rule)
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"


def test_the_two_seed_rules_differ():
    def labels(rule, sample):
        return KMember(rule).divide(sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(0)).labels.tolist()

    assert any(labels("previous-seed", sample) != labels("last-added", sample) for sample in samples(100))


def test_loss_on_adult_is_the_one_measured_before():
    rows = adult()
    groups = KMember().divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert TotalInformationLoss().measure(Evidence(rows, groups)) == pytest.approx(28_052, rel=0.02)
    assert sorted(set(groups.sizes.tolist())) in ([10, 11], [10, 12])
