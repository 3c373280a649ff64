from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive.threshold import threshold
from shoal.encode.profile import profile
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.partition.threshold import Threshold
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, encoded, samples
from tries import telling


def agree(sample, sensitive=None, **parameters):
    """Whether both give every row the same label; the labels too."""
    rows = sample.rows
    if sensitive is not None:
        rows = replace(rows, sensitive=(profile(pa.array(sensitive, pa.string()), "s"),))
    groups = Threshold(**parameters).divide(
        rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
    )
    naive = threshold(
        sample.columns,
        sample.k,
        np.random.default_rng(sample.seed),
        sensitive=sensitive,
        **parameters,
    )
    labels = np.full(rows.count, -1)
    for number, group in enumerate(naive):
        labels[group] = number
    return groups.labels.tolist() == Groups.of(labels).labels.tolist(), groups


@pytest.mark.parametrize("small", ["reattach", "withhold"])
@pytest.mark.parametrize("delta", [None, 0.0, 0.3, 1.2])
def test_every_label_is_that_of_the_plain_reading(delta, small):
    for sample in samples(150):
        same, _ = agree(sample, delta=delta, small=small)
        assert same, f"sample {sample.seed}"


def test_every_label_is_that_of_the_plain_reading_where_sensitive_values_count():
    differ = 0
    for sample in samples(300):
        values = (
            np.random.default_rng(sample.seed)
            .choice(["a", "b", "c", None], size=sample.rows.count)
            .tolist()
        )
        same, groups = agree(sample, values, delta=1.5, protection=2.0)
        assert same, f"sample {sample.seed}"
        differ += groups.labels.tolist() != agree(sample, values, delta=1.5)[1].labels.tolist()
    assert differ > telling(20)


def test_no_group_is_wider_than_delta_before_small_ones_join():
    rows = encoded([Column([0.0, 1.0, 2.0, 5.0, 6.0, 10.0])])
    groups = Threshold(delta=0.2, small="withhold").divide(
        rows, 2, AtLeast(2), np.random.default_rng(0)
    )
    assert groups.labels.tolist() == [0, 0, 0, 1, 1, -1]


def test_small_groups_join_the_nearest_kept_one():
    rows = encoded([Column([0.0, 1.0, 2.0, 5.0, 6.0, 10.0])])
    groups = Threshold(delta=0.2).divide(rows, 2, AtLeast(2), np.random.default_rng(0))
    assert groups.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_without_any_group_of_k_small_ones_are_united():
    rows = encoded([Column([0.0, 1.0, 9.0, 10.0])])
    groups = Threshold(delta=0.0).divide(rows, 2, AtLeast(2), np.random.default_rng(0))
    assert groups.labels.tolist() == [0, 0, 1, 1]
    withheld = Threshold(delta=0.0, small="withhold").divide(
        rows, 2, AtLeast(2), np.random.default_rng(0)
    )
    assert withheld.labels.tolist() == [-1] * 4


@pytest.mark.parametrize(
    "parameters",
    [{"delta": -0.1}, {"delta": 4000.0}, {"protection": -1.0}, {"delta": float("nan")}],
)
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(RecipeError, match=next(iter(parameters))):
        Threshold(**parameters)


def test_adult_of_ten():
    rows = adult()
    groups = Threshold().divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert TotalInformationLoss().measure(Evidence(rows, groups)) == pytest.approx(48_835, rel=0.03)
    withheld = Threshold(small="withhold").divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert withheld.withheld == pytest.approx(6_800, rel=0.1)


PEOPLE = pa.table({"age": [1, 1, 2, 2, 50, 90, 91, 91, 92, 92]})


def test_more_withheld_rows_than_allowed_are_refused():
    with pytest.raises(PrivacyNotMet) as refusal:
        shoal.anonymize(
            PEOPLE, quasi=["age"], k=2, method="threshold:delta=0.05,small=withhold", seed=1
        )
    assert "1 of 10 rows" in str(refusal.value)
    assert refusal.value.facts["published"] == "nothing"
    assert "withhold=0.1" in str(refusal.value.remedy)
    assert "50" not in str(refusal.value)


def test_the_remedies_of_that_refusal_work():
    for method, withhold, withheld in (
        ("threshold:delta=0.05,small=withhold", 0.1, 1),
        ("threshold:delta=0.05", 0.0, 0),
    ):
        release = shoal.anonymize(
            PEOPLE, quasi=["age"], k=2, method=method, withhold=withhold, seed=1
        )
        assert (release.groups < 0).sum() == withheld
        assert len(release.table) == 10 - withheld
