from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import data_file
from naive.k_member import k_member
from shoal.encode.profile import profile
from shoal.errors import RecipeError
from shoal.partition.k_member import KMember
from shoal.review.losses.classification_metric import ClassificationMetric
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, encoded, labels_of, samples
from tries import telling

MUCH = 1e300  # beyond what boxes can differ by


def divided(method, rows, k, seed=0):
    return method.divide(rows, k, AtLeast(k), np.random.default_rng(seed)).labels.tolist()


def with_classes(rows, *columns):
    return replace(
        rows,
        sensitive=tuple(
            profile(pa.array(cells, pa.string()), f"s{i}") for i, cells in enumerate(columns)
        ),
    )


@pytest.mark.parametrize(("seed_rule", "tables"), [("previous-seed", 1000), ("last-added", 500)])
def test_every_label_is_that_of_the_plain_reading(seed_rule, tables):
    for sample in samples(tables):
        naive = k_member(sample.columns, sample.k, np.random.default_rng(sample.seed), seed_rule)
        labels = divided(KMember(seed_rule), sample.rows, sample.k, sample.seed)
        assert labels == labels_of(naive), f"sample {sample.seed}"


def test_the_two_seed_rules_differ():
    def labels(rule, sample):
        return divided(KMember(rule), sample.rows, sample.k)

    assert any(
        labels("previous-seed", sample) != labels("last-added", sample) for sample in samples(100)
    )


def test_loss_on_adult_is_the_one_measured_before():
    rows = adult()
    groups = KMember().divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert TotalInformationLoss().measure(Evidence(rows, groups)) == pytest.approx(28_052, rel=0.02)
    assert sorted(set(groups.sizes.tolist())) in ([10, 11], [10, 12])


@pytest.mark.parametrize("weight", [0.1, 0.5, 1.0, MUCH])
@pytest.mark.parametrize("seed_rule", ["previous-seed", "last-added"])
def test_every_label_is_that_of_the_plain_reading_where_classes_count(weight, seed_rule):
    differ = 0
    for sample in samples(250):
        classes = (
            np.random.default_rng(sample.seed)
            .choice(["a", "b", "c", None], size=sample.rows.count)
            .tolist()
        )
        rows = with_classes(sample.rows, classes)
        rng = np.random.default_rng(sample.seed)
        naive = k_member(
            sample.columns, sample.k, rng, seed_rule, classes=classes, class_weight=weight
        )
        labels = divided(KMember(seed_rule, class_weight=weight), rows, sample.k, sample.seed)
        assert labels == labels_of(naive), f"sample {sample.seed}"
        differ += labels != divided(KMember(seed_rule), rows, sample.k, sample.seed)
    assert differ > telling(50)


def test_a_great_weight_keeps_classes_apart_while_it_can():
    columns = [Column([0.0, 0.1, 0.2, 0.3, 9.7, 9.8, 9.9, 10.0])]
    rows = with_classes(encoded(columns), list("abababab"))
    assert divided(KMember(), rows, 4) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert divided(KMember(class_weight=MUCH), rows, 4) == [0, 1, 0, 1, 0, 1, 0, 1]


def test_a_leftover_goes_to_its_own_class():
    rows = with_classes(encoded([Column([0.0, 0.0, 1.0, 1.0, 0.2])]), list("aabbb"))
    groups = {tuple(divided(KMember(class_weight=2.0), rows, 2, seed)) for seed in range(20)}
    assert groups == {(0, 0, 1, 1, 1)}


def test_the_class_is_the_first_sensitive_column_unless_another_is_named():
    columns = [Column([0.0, 0.1, 0.2, 0.3])]
    rows = with_classes(encoded(columns), list("abab"), list("aabb"))
    assert divided(KMember(class_weight=MUCH), rows, 2) == [0, 1, 0, 1]
    assert divided(KMember(class_weight=MUCH, class_column="s1"), rows, 2) == [0, 0, 1, 1]


def test_a_named_class_weighs_a_half_unless_told_otherwise():
    for sample in samples(40):
        classes = (
            np.random.default_rng(sample.seed).choice(["a", "b"], size=sample.rows.count).tolist()
        )
        rows = with_classes(sample.rows, classes)
        named = divided(KMember(class_column="s0"), rows, sample.k)
        assert named == divided(KMember(class_weight=0.5), rows, sample.k)
        assert divided(KMember(class_column="s0", class_weight=0.0), rows, sample.k) == divided(
            KMember(), rows, sample.k
        )


@pytest.mark.parametrize("weight", [-0.1, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(RecipeError, match="must be 0 or more"):
        KMember(class_weight=weight)


PEOPLE = pa.table(
    {"age": [20, 21, 40, 41], "sex": list("abab"), "ill": list("xyxy"), "job": list("ppqq")}
)


@pytest.mark.parametrize(
    ("method", "sensitive", "message"),
    [
        ("k-member:class_weight=1", [], "no column is sensitive"),
        ("k-member:class_column=sex", ["ill"], "a quasi-identifier.*\n.*'ill'"),
        ("k-member:class_column=job", ["ill"], "no sensitive column.*\n.*'ill'"),
        ("k-member:class_column=job", [], "no sensitive column.*\n.*sensitive="),
        ("k-member:class_weight=-1", ["ill"], "must be 0 or more"),
        ("k-member:class_weight=nan", ["ill"], "class_weight of .k-member. must be"),
        ("k-member:class_weight=inf", ["ill"], "class_weight of .k-member. must be"),
    ],
)
def test_a_class_that_is_none_is_refused(method, sensitive, message):
    with pytest.raises(RecipeError, match=message):
        shoal.anonymize(PEOPLE, quasi=["age", "sex"], sensitive=sensitive, k=2, method=method)


def test_groups_of_one_class_on_adult_cost_a_little_more_loss():
    income = parquet.read_table(data_file("adult.parquet"), columns=["income"])[
        "income"
    ].combine_chunks()
    rows = replace(adult(), sensitive=(profile(income, "income"),))
    plain, alike = (
        Evidence(rows, method.divide(rows, 10, AtLeast(10), np.random.default_rng(1)))
        for method in (KMember(), KMember(class_weight=0.5))
    )
    wrong = [ClassificationMetric().measure(evidence) for evidence in (plain, alike)]
    loss = [TotalInformationLoss().measure(evidence) for evidence in (plain, alike)]
    assert wrong[1] < 0.6 * wrong[0]
    assert loss[0] < loss[1] < 1.2 * loss[0]
