from __future__ import annotations

import numpy as np
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from naive.v_mdav import v_mdav
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.errors import RecipeError
from shoal.partition.mdav import Mdav
from shoal.partition.v_mdav import VMdav
from tables import AtLeast, Column, encoded, labels_of, samples

RNG = np.random.default_rng(0)
NO_NUMBERS = {"UTILNAME", "STATE", "YEAR", "MONTH"}
KNOWN = {
    ("tarragona", 0.2): {3: 16.963, 4: 19.694, 5: 22.878, 10: 33.253},
    ("tarragona", 1.1): {3: 17.383, 4: 20.287, 5: 23.846, 10: 34.530},
    ("census", 0.2): {3: 5.662, 4: 7.514, 5: 9.007, 10: 14.073},
    ("census", 1.1): {3: 7.065, 4: 9.153, 5: 10.541, 10: 15.502},
    ("eia", 0.2): {3: 0.597, 4: 0.669, 5: 1.729, 10: 3.639},
    ("eia", 1.1): {3: 0.508, 4: 0.970, 5: 1.304, 10: 2.805},
}


def divided(columns, k, gamma=0.2):
    return (
        VMdav(gamma).divide(encoded(columns, "squared-error"), k, AtLeast(k), RNG).labels.tolist()
    )


@pytest.mark.parametrize(("gamma", "tables"), [(0.2, 300), (1.1, 600)])
def test_every_label_is_that_of_the_plain_reading(gamma, tables):
    for sample in samples(tables):
        groups = VMdav(gamma).divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        assert groups.labels.tolist() == labels_of(v_mdav(sample.columns, sample.k, gamma)), (
            f"sample {sample.seed}"
        )


@pytest.mark.parametrize(("name", "gamma"), KNOWN)
def test_squared_error_of_the_reference_files(name, gamma):
    table = parquet.read_table(data_file(f"{name}.parquet"))
    table = table.select([column for column in table.column_names if column not in NO_NUMBERS])
    rows = encode(
        [profile(table[c].combine_chunks(), c) for c in table.column_names],
        {},
        loss="squared-error",
    )
    points = np.array([table[c].to_numpy() for c in table.column_names], np.float64).T
    scores = (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)
    for k, known in KNOWN[name, gamma].items():
        groups = VMdav(gamma).divide(rows, k, AtLeast(k), RNG)
        parts = (scores[groups.labels == g] for g in range(groups.count))
        inside = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)
        assert round(100 * inside / (scores**2).sum(), 3) == known, f"k = {k}"
        assert groups.sizes.max() < 3 * k


def test_clumps_of_four_stay_whole_at_k_three():
    clumps = [Column([0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 5.3, 20.0, 20.1, 20.2, 20.3])]
    assert divided(clumps, 3, 1.1) == [0] * 4 + [1] * 4 + [2] * 4
    mdav = Mdav().divide(encoded(clumps, "squared-error"), 3, AtLeast(3), RNG)
    assert mdav.labels.tolist() != [0] * 4 + [1] * 4 + [2] * 4


def test_gamma_of_zero_lets_none_in():
    for sample in samples(100):
        groups = VMdav(0.0).divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        assert groups.count == sample.rows.count // sample.k


@pytest.mark.parametrize("gamma", [-0.1, float("nan")])
def test_gamma_below_zero_is_refused(gamma):
    with pytest.raises(RecipeError, match="gamma"):
        VMdav(gamma)
