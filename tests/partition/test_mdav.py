from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from naive.mdav import mdav
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.partition.mdav import Mdav
from tables import AtLeast, Column, encoded, labels_of, samples

RNG = np.random.default_rng(0)
NO_NUMBERS = {"UTILNAME", "STATE", "YEAR", "MONTH"}
KNOWN = {
    "census": {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559},
    "tarragona": {3: 16.9326, 4: 19.5460, 5: 22.4619, 10: 33.1929},
    "eia": {3: 0.4829, 4: 0.6713, 5: 1.6667, 10: 3.8397},
}


def divided(columns, k):
    return Mdav().divide(encoded(columns, "squared-error"), k, AtLeast(k), RNG).labels.tolist()


def test_every_label_is_that_of_the_plain_reading():
    for sample in samples(1000):
        groups = Mdav().divide(sample.rows, sample.k, AtLeast(sample.k), RNG)
        assert groups.labels.tolist() == labels_of(mdav(sample.columns, sample.k)), (
            f"sample {sample.seed}"
        )


@pytest.mark.parametrize("name", KNOWN)
def test_squared_error_of_the_reference_files(name):
    table = parquet.read_table(data_file(f"{name}.parquet"))
    table = table.select([column for column in table.column_names if column not in NO_NUMBERS])
    rows = encode(
        [profile(table[c].combine_chunks(), c) for c in table.column_names],
        {},
        loss="squared-error",
    )
    points = np.array([table[c].to_numpy() for c in table.column_names], np.float64).T
    scores = (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)
    for k, known in KNOWN[name].items():
        groups = Mdav().divide(rows, k, AtLeast(k), RNG)
        inside = sum(
            ((part - part.mean(axis=0)) ** 2).sum()
            for part in (scores[groups.labels == g] for g in range(groups.count))
        )
        assert round(100 * inside / (scores**2).sum(), 4) == known, f"k = {k}"


def test_toy_of_five_rows():
    assert divided(
        [Column([2.0, 3.0, 3.0, 20.0, 21.0]), Column([1.0, 2.0, 2.0, 19.0, 20.0])], 2
    ) == [0, 0, 0, 1, 1]


def test_all_rows_equal_still_makes_groups_of_k():
    assert sorted(np.bincount(divided([Column([7.0] * 10)], 3)).tolist()) == [3, 3, 4]


def test_missing_stands_apart_even_beside_one_value():
    assert divided([Column([1.0, None, 1.0, None])], 2) == [0, 1, 0, 1]


def test_siblings_go_together():
    tree = ("*", [("north", ["a", "b"]), ("south", ["c", "d"])])
    assert divided([Column(["a", "c", "b", "d"], tree)], 2) == [0, 1, 0, 1]


def test_importance_decides_which_column_is_kept_together():
    profiles = [profile(pa.array([0, 0, 1, 1]), "a"), profile(pa.array([0, 1, 0, 1]), "b")]
    for name, expected in (("a", [0, 0, 1, 1]), ("b", [0, 1, 0, 1])):
        rows = encode(profiles, {}, loss="squared-error", importance={name: 5.0})
        assert Mdav().divide(rows, 2, AtLeast(2), RNG).labels.tolist() == expected


def test_groups_are_as_large_as_the_guard_asks():
    rows = encoded([Column([float(x) for x in range(20)])], "squared-error")
    assert Mdav().divide(rows, 2, AtLeast(5), RNG).sizes.min() >= 5
