"""Columns weigh by what training rows say of the class, and every split is a row of its own."""

from __future__ import annotations

import pyarrow as pa
from experiments.boosted_2021 import CHOSEN, HIGHEST, by_split, importance

from benchmarks import adult


def test_the_column_that_tells_most_weighs_most_and_one_that_tells_nothing_least():
    columns = {name: ["same"] * 8 for name in adult.QUASI}
    classes = ["rich", "poor"] * 4
    columns |= {"education": classes, "race": ["a", "b", "a", "b", "a", "b", "b", "a"]}
    told = importance(pa.table(columns | {adult.SENSITIVE: classes}), CHOSEN)
    assert told["education"] == HIGHEST
    assert told["sex"] == CHOSEN.least
    assert CHOSEN.least < told["race"] < HIGHEST


def test_each_split_is_a_row():
    cell = {"method": "ours", "k": 5, "seeds": (2, 3), "rows": 10, "accuracies": [0.8, 0.7]}
    same = {"method": "ours", "k": 5, "rows": 10}
    assert by_split([cell]) == [
        same | {"seed": 2, "accuracy": 0.8},
        same | {"seed": 3, "accuracy": 0.7},
    ]
