"""The metrics against a scorer that was written apart, on random tables and on Adult."""

import csv
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import data_file
from naive.scorer import Scorer
from shoal.declare.hierarchies.file import File
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.partition.method import Method
from shoal.registry import make
from shoal.review.losses.loss import Evidence, Loss
from tables import AtLeast, Sample, any_sample, paths

QUASI = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
)
APART = (
    "total-information-loss",
    "height-share",
    "leaf-share",
    "loss-metric",
    "non-uniform-entropy",
    "entropy-loss",
    "discernibility",
    "average-group-size",
    "classification-metric",
    "squared-error",
)
OF_ROWS = ("row-loss-p95", "worst-subgroup-loss", "squared-error-share")  # slow when read literally


def agree(evidence: Evidence, scorer: Scorer, *metrics: str) -> None:
    for name in metrics:
        ours = make(Loss, name).measure(evidence)
        theirs = getattr(scorer, name.replace("-", "_"))()
        assert ours == (None if theirs is None else pytest.approx(theirs, rel=1e-9, abs=1e-11)), (
            name
        )


def grouped(sample: Sample, seed: int) -> tuple[Evidence, Scorer]:
    """A sample under random groups, perhaps with rows withheld, and a random class."""
    rng = np.random.default_rng(seed)
    count = sample.rows.count
    labels = rng.integers(rng.integers(-1, 1), max(count // rng.integers(2, 9), 1), count)
    classes = [[None, "a", "b"][x] for x in rng.integers(0, 3, count)]
    groups = Groups.of(labels)
    axes = sample.rows
    rows = Rows(
        axes.axes, axes.codes, axes.costs, (profile(pa.array(classes, pa.string()), "class"),)
    )
    files = [None if column.tree is None else paths(column.tree) for column in sample.columns]
    return Evidence(rows, groups, sample.k), Scorer(
        [c.cells for c in sample.columns], files, groups.labels, classes
    )


@given(any_sample(), st.integers(0, 2**32 - 1))
def test_random_tables(sample, seed):
    agree(*grouped(sample, seed), *APART)


@settings(max_examples=25)
@given(any_sample(most_rows=120), st.integers(0, 2**32 - 1))
def test_figures_of_rows_on_random_tables(sample, seed):
    agree(*grouped(sample, seed), *OF_ROWS)


@settings(max_examples=50)
@given(any_sample(most_rows=40), st.integers(1, 45))
def test_lower_bound_is_at_least_the_sum_of_neighbour_distances(sample, k):
    evidence, scorer = grouped(sample, k)
    ours = make(Loss, "lower-bound").measure(Evidence(evidence.rows, evidence.groups, k))
    theirs = scorer.lower_bound(k)
    assert ours >= theirs - 4 * evidence.cells / 2**20  # what rounding takes off


@cache
def adult() -> tuple[Rows, list[list], list, list]:
    """Adult with its hierarchy files, age a number: as rows, and as plain values and file rows."""
    people = parquet.read_table(data_file("adult.parquet"), columns=[*QUASI, "income"])
    where = {
        name: data_file(f"hierarchies/adult_arx/{name}.csv") for name in QUASI if name != "age"
    }
    rows = encode(
        [profile(people[name].combine_chunks(), name) for name in QUASI],
        {name: File(str(path)) for name, path in where.items()},
        sensitive=[profile(people["income"].combine_chunks(), "income")],
    )
    files = [
        list(csv.reader(where[name].open(), delimiter=";")) if name in where else None
        for name in QUASI
    ]
    return rows, [people[name].to_pylist() for name in QUASI], files, people["income"].to_pylist()


def chunks(rows: Rows) -> Groups:
    """Rows sorted by their codes and cut into tens; the last few, below ten, are withheld."""
    labels = np.empty(rows.count, np.int64)
    labels[np.lexsort(rows.codes)] = np.arange(rows.count) // 10
    groups = Groups.of(labels)
    return groups.withhold(np.flatnonzero(groups.sizes < 10))


@pytest.mark.parametrize("method", ["chunks", "mondrian", "k-member"])
def test_adult(method):
    rows, columns, files, classes = adult()
    if method == "chunks":
        groups = chunks(rows)
    else:
        groups = make(Method, method).divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    agree(Evidence(rows, groups, 10), Scorer(columns, files, groups.labels, classes), *APART)
