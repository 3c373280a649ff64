"""Risk figures: ARX's own answers on Adult, and examples by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.review.recount import recount
from shoal.review.risks.average_prosecutor_risk import AverageProsecutorRisk
from shoal.review.risks.column_sets import distinction, separation
from shoal.review.risks.highest_prosecutor_risk import HighestProsecutorRisk
from shoal.review.risks.rows_at_risk import RowsAtRisk
from shoal.review.risks.sample_uniqueness import SampleUniqueness

NINE = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "income"]

# ARX's example of five people, built from its figures: 3 and 2 of a sex, 3 of a state and two alone, ages in pairs
FIVE = {"sex": ["m", "m", "m", "f", "f"], "state": ["CA", "CA", "NY", "CA", "WA"], "age": [20, 40, 30, 30, 20]}


def sized(*sizes: int) -> Groups:
    return Groups.of(np.repeat(np.arange(len(sizes)), sizes))


def test_arx_known_answers_on_raw_adult() -> None:
    table = pq.read_table(data_file("adult.parquet"))
    groups = recount([table[name].combine_chunks() for name in NINE])
    assert groups.count == 19502
    assert AverageProsecutorRisk().measure(groups) == 0.6465751607983555
    assert SampleUniqueness().measure(groups) == 0.5142895033485844
    assert HighestProsecutorRisk().measure(groups) == 1.0


@pytest.mark.parametrize(
    ("names", "distinct", "separate"),
    [
        (["sex"], 0.4, 0.6),
        (["state"], 0.6, 0.7),
        (["age"], 0.6, 0.8),
        (["sex", "state"], 0.8, 0.9),
        (["sex", "age"], 1.0, 1.0),
        (["state", "age"], 1.0, 1.0),
        (["sex", "state", "age"], 1.0, 1.0),
    ],
)
def test_arx_known_answers_of_column_sets(names: list[str], distinct: float, separate: float) -> None:
    groups = recount([pa.array(FIVE[name]) for name in names])
    assert distinction(groups) == pytest.approx(distinct, abs=1e-15)
    assert separation(groups) == pytest.approx(separate, abs=1e-15)


def test_examples_of_the_pages() -> None:
    assert HighestProsecutorRisk().measure(sized(4, 2, 2)) == 0.5
    assert AverageProsecutorRisk().measure(sized(4, 2, 2)) == 0.375
    assert SampleUniqueness().measure(sized(4, 1, 1)) == 2 / 6
    assert RowsAtRisk().measure(sized(6, 3, 1)) == 0.4


@pytest.mark.parametrize(("threshold", "share"), [(0.2, 4 / 9), (0.25, 0.0), (0.1, 1.0), (0.199, 1.0), (1.0, 0.0)])
def test_rows_at_risk_is_exact_at_its_threshold(threshold: float, share: float) -> None:
    assert RowsAtRisk(threshold).measure(sized(5, 4)) == share


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1.5, float("nan")])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(RecipeError, match="threshold"):
        RowsAtRisk(threshold)


def test_withheld_rows_are_at_no_risk() -> None:
    groups = Groups.of(np.array([0, 0, -1, -1]))
    assert AverageProsecutorRisk().measure(groups) == 0.5
    assert SampleUniqueness().measure(groups) == 0.0
    assert separation(groups) == 0.0
