"""Risk figures: ARX's own answers on Adult, and examples by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.review.recount import recount
from shoal.review.risks.attribute_disclosure import AttributeDisclosure
from shoal.review.risks.average_prosecutor_risk import AverageProsecutorRisk
from shoal.review.risks.best_guess import BestGuess
from shoal.review.risks.distinction import distinction
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.highest_prosecutor_risk import HighestProsecutorRisk
from shoal.review.risks.rows_at_risk import RowsAtRisk
from shoal.review.risks.sample_uniqueness import SampleUniqueness
from shoal.review.risks.separation import separation
from shoal.review.risks.special_uniqueness import SpecialUniqueness
from shoal.review.sources import printed

NINE = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
    "income",
]

# ARX's example of five people, built from its figures: 3 and 2 of a sex, 3 of a state and two
# alone, ages in pairs
FIVE = {
    "sex": ["m", "m", "m", "f", "f"],
    "state": ["CA", "CA", "NY", "CA", "WA"],
    "age": [20, 40, 30, 30, 20],
}


def sized(*sizes: int) -> Exposure:
    return Exposure(Groups.of(np.repeat(np.arange(len(sizes)), sizes)))


def test_arx_known_answers_on_raw_adult() -> None:
    table = pq.read_table(data_file("adult.parquet"))
    seen = printed(table, NINE, [])
    assert seen.groups.count == 19502
    assert AverageProsecutorRisk().measure(seen) == 0.6465751607983555
    assert SampleUniqueness().measure(seen) == 0.5142895033485844
    assert HighestProsecutorRisk().measure(seen) == 1.0


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
def test_arx_known_answers_of_column_sets(
    names: list[str], distinct: float, separate: float
) -> None:
    groups = recount([pa.array(FIVE[name]) for name in names])
    assert distinction(groups) == pytest.approx(distinct, abs=1e-15)
    assert separation(groups) == pytest.approx(separate, abs=1e-15)


def test_examples_of_the_pages() -> None:
    assert HighestProsecutorRisk().measure(sized(4, 2, 2)) == 0.5
    assert AverageProsecutorRisk().measure(sized(4, 2, 2)) == 0.375
    assert SampleUniqueness().measure(sized(4, 1, 1)) == 2 / 6
    assert RowsAtRisk().measure(sized(6, 3, 1)) == 0.4


@pytest.mark.parametrize(
    ("threshold", "share"), [(0.2, 4 / 9), (0.25, 0.0), (0.1, 1.0), (0.199, 1.0), (1.0, 0.0)]
)
def test_rows_at_risk_is_exact_at_its_threshold(threshold: float, share: float) -> None:
    assert RowsAtRisk(threshold).measure(sized(5, 4)) == share


@pytest.mark.parametrize("threshold", [0.0, -0.1, 1.5, float("nan")])
def test_a_threshold_outside_its_range_is_refused(threshold: float) -> None:
    with pytest.raises(RecipeError, match="threshold"):
        RowsAtRisk(threshold)


def test_withheld_rows_are_at_no_risk() -> None:
    seen = Exposure(Groups.of(np.array([0, 0, -1, -1])))
    assert AverageProsecutorRisk().measure(seen) == 0.5
    assert SampleUniqueness().measure(seen) == 0.0
    assert separation(seen.groups) == 0.0


def test_special_uniques_by_hand() -> None:
    table = pa.table({"sex": ["f", "f", "m", "m"], "age": [20, 30, 20, 40]})
    seen = printed(table, ["sex", "age"], [])
    assert SpecialUniqueness().measure(seen) == 1.0
    assert seen.smallest_key is not None and seen.smallest_key.tolist() == [2, 1, 2, 1]
    assert SpecialUniqueness().baseline(seen) == 0.0


def test_too_many_columns_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.review.risks.exposure.WORK", 3)
    table = pa.table({name: [1, 2, 3, 4] for name in "abc"})
    assert SpecialUniqueness().measure(printed(table, list("abc"), [])) is None


def test_guesses_by_hand() -> None:
    table = pa.table(
        {"city": ["Oslo"] * 3 + ["Rome"] * 2, "ill": ["flu", "flu", "cold", "cold", "gout"]}
    )
    seen = printed(table, ["city"], ["ill"])
    assert BestGuess().measure(seen) == {"ill": 0.6}
    assert BestGuess().baseline(seen) == {"ill": 0.4}
    assert AttributeDisclosure().measure(seen) == {"ill": 0.2}
    assert AttributeDisclosure().baseline(seen) == {"ill": 0.0}


def test_a_missing_value_is_no_guess() -> None:
    table = pa.table(
        {"city": ["Oslo"] * 3, "ill": [None, None, "flu"], "none": pa.nulls(3, pa.string())}
    )
    assert BestGuess().measure(printed(table, ["city"], ["ill", "none"])) == {
        "ill": 1 / 3,
        "none": 0.0,
    }


def test_guesses_as_a_dictionary_counts_them() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        groups = rng.integers(0, 6, 50)
        values = rng.integers(0, 5, 50)
        table = pa.table({"q": groups, "s": pa.array(values, mask=rng.random(50) < 0.2)})
        cells = table.to_pylist()
        right = sum(
            max(
                Counter(
                    row["s"] for row in cells if row["q"] == q and row["s"] is not None
                ).values(),
                default=0,
            )
            for q in set(groups.tolist())
        )
        assert BestGuess().measure(printed(table, ["q"], ["s"])) == {"s": right / 50}


def test_two_columns_of_bounds_are_one_quasi_identifier() -> None:
    table = pa.table({"age_lo": [20, 20, 30], "age_hi": [29, 25, 39], "sex": ["f", "f", "f"]})
    seen = printed(table, ["age", "sex"], [])
    assert list(seen.quasi) == ["age", "sex"]
    assert seen.groups.count == 3 and seen.smallest_key is not None
    assert seen.smallest_key.tolist() == [1, 1, 1]
