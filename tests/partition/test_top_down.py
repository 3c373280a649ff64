from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from naive.top_down import top_down
from shoal.encode.profile import profile
from shoal.errors import RecipeError
from shoal.partition.top_down import TopDown
from shoal.review.losses.classification_metric import ClassificationMetric
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, ManyValues, adult, encoded, labels_of, samples
from tries import telling as of_a_search

RNG = np.random.default_rng(0)


def classes_of(sample):
    return (
        np.random.default_rng(sample.seed)
        .choice(["a", "b", "c", None], size=sample.rows.count)
        .tolist()
    )


def telling(rows, *columns):
    """The rows with sensitive columns s0, s1 ..."""
    return replace(
        rows,
        sensitive=tuple(profile(pa.array(c, pa.string()), f"s{i}") for i, c in enumerate(columns)),
    )


def divided(columns, k, *classes, **parameters):
    return (
        TopDown(**parameters)
        .divide(telling(encoded(columns), *classes), k, AtLeast(k), RNG)
        .labels.tolist()
    )


def test_every_label_is_that_of_the_plain_reading():
    for sample in samples(500):
        groups = TopDown().divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        assert groups.labels.tolist() == labels_of(top_down(sample.columns, sample.k)), (
            f"sample {sample.seed}"
        )


def test_every_label_is_that_of_the_plain_reading_where_a_class_decides():
    for sample in samples(500):
        classes = classes_of(sample)
        groups = TopDown().divide(telling(sample.rows, classes), sample.k, AtLeast(sample.k), RNG)
        assert groups.labels.tolist() == labels_of(top_down(sample.columns, sample.k, classes)), (
            f"sample {sample.seed}"
        )


def test_a_guard_is_asked_about_every_cut():
    refused = 0
    for sample in samples(300):
        sensitive = np.random.default_rng(sample.seed).integers(0, 4, size=sample.rows.count)
        guard = ManyValues(1, sensitive, 2)
        groups = TopDown().divide(sample.rows, sample.k, guard, RNG)
        naive = top_down(
            sample.columns,
            sample.k,
            safe=lambda rows, s=sensitive: len({s[row] for row in rows}) >= 2,
        )
        assert groups.labels.tolist() == labels_of(naive), f"sample {sample.seed}"
        refused += groups.count < TopDown().divide(sample.rows, sample.k, AtLeast(1), RNG).count
    assert refused > of_a_search(50)


def test_equal_values_are_generalized_equally_everywhere():
    """The scheme is global: on each axis, two values that share a group anywhere are nowhere told
    apart.
    """
    for sample in samples(200):
        rows = sample.rows
        groups = TopDown().divide(rows, sample.k, AtLeast(sample.k), RNG)
        for codes in rows.codes:
            together = np.zeros((codes.max() + 1,) * 2, np.bool_)
            for g in range(groups.count):
                held = np.unique(codes[groups.labels == g])
                together[held.min() : held.max() + 1, held.min() : held.max() + 1] = True
            starts = [0] + [c for c in range(1, len(together)) if not together[c - 1, c]]
            node = np.searchsorted(starts, codes, side="right")
            for g in range(groups.count):
                assert len(np.unique(node[groups.labels == g])) == 1


def test_the_class_decides_which_column_is_told():
    north = ["n", "n", "n", "n", "s", "s", "s", "s"]
    even = ["0", "1", "0", "1", "0", "1", "0", "1"]
    columns = [Column(north, ("*", ["n", "s"])), Column(even, ("*", ["0", "1"]))]
    assert divided(columns, 4, north) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert divided(columns, 4, even) == [0, 1, 0, 1, 0, 1, 0, 1]
    assert divided(columns, 4, north, even, class_column="s1") == [0, 1, 0, 1, 0, 1, 0, 1]


def test_a_class_that_nothing_tells_about_leaves_one_group():
    columns = [Column([1.0, 1.0, 2.0, 2.0])]
    assert divided(columns, 2, ["x"] * 4) == [0, 0, 0, 0]
    assert divided(columns, 2) == [0, 0, 1, 1]


def test_missing_is_parted_from_the_rest_first():
    assert divided([Column([1.0, 9.0, None, None])], 2) == [0, 0, 1, 1]
    assert divided([Column([1.0, 9.0, None])], 1) == [0, 1, 2]
    assert divided([Column([1.0, 1.0, 9.0, 9.0, None])], 2) == [0, 0, 0, 0, 0]


def test_of_two_equal_cuts_the_lower_one_is_made():
    assert divided([Column([0.0, 0.0, 1.0, 2.0, 2.0])], 2) == [0, 0, 1, 1, 1]


def test_a_class_column_without_that_role_is_refused():
    with pytest.raises(RecipeError, match="'job'") as refusal:
        divided([Column([1.0, 2.0])], 1, ["a", "b"], class_column="job")
    assert "s0" in refusal.value.remedy


def test_adult_with_income_as_the_class():
    income = parquet.read_table(data_file("adult.parquet"), columns=["income"])[
        "income"
    ].combine_chunks()
    rows = replace(adult(), sensitive=(profile(income, "income"),))
    groups = TopDown().divide(rows, 10, AtLeast(10), RNG)
    blind = TopDown().divide(adult(), 10, AtLeast(10), RNG)
    assert ClassificationMetric().measure(Evidence(rows, groups)) < ClassificationMetric().measure(
        Evidence(rows, blind)
    )
    loss, blind_loss = (TotalInformationLoss().measure(Evidence(rows, g)) for g in (groups, blind))
    assert blind_loss < loss < 8 * rows.count
    assert groups.sizes.min() >= 10


def test_a_larger_k_may_lose_less():
    """The example of the method's page: a cut that is forbidden leaves room for a better one."""
    columns = [Column([0.0, 3.0, 4.0, 10.0, 4.0, 10.0]), Column([0.0, 10.0, 0.0, 0.0, 10.0, 10.0])]
    told = profile(pa.array(["x", "x", "y", "z", "y", "y"]), "told")
    rows = encoded(columns, sensitive=[told])
    losses = []
    for k in (2, 3):
        groups = TopDown().divide(rows, k, AtLeast(k), np.random.default_rng(0))
        losses.append(TotalInformationLoss().measure(Evidence(rows, groups)))
    assert losses == pytest.approx([6.6, 5.1], abs=1e-5)
