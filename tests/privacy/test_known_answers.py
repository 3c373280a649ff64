"""Models against figures that others published."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import data_file
from shoal.errors import PrivacyNotMet
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.entropy_l_diversity import EntropyLDiversity
from shoal.privacy.model import Model
from shoal.privacy.t_closeness import TCloseness

INCOMES = pa.array(
    [f"{thousands}000" for thousands in range(3, 12)]
)  # text, as a file holds it: 10000 comes after 9000
SALARIES = Sensitive.of("income", np.arange(10, dtype=np.int32), INCOMES).column.of(
    np.array([1] * 9 + [0])
)
LEVELS = [1, 4, 1, 1, 3, 2, 2, 1]
QUASI = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "income",
]


def group(*thousands: int) -> np.ndarray:
    return np.array([[int(income in thousands) for income in range(3, 12)] + [0]])


def distance(model: Model, counts: np.ndarray, column: Column = SALARIES) -> float:
    return float(model.measures(counts, column)[0])


def test_salaries_of_li_and_others():
    ordered = TCloseness(1, "ordered")
    assert distance(ordered, group(3, 4, 5)) == 0.375
    assert distance(ordered, group(6, 8, 11)) == pytest.approx(1 / 6, abs=1e-15)
    assert TCloseness(0.375, "ordered").safe(group(3, 4, 5), SALARIES)[0]
    assert not TCloseness(0.3749999999999999, "ordered").safe(group(3, 4, 5), SALARIES)[0]
    assert not TCloseness(0.1666666666666666, "ordered").safe(group(6, 8, 11), SALARIES)[0]
    assert TCloseness(0.1666666666666667, "ordered").safe(group(6, 8, 11), SALARIES)[0]


def test_gains_by_hand():
    column = Column("ill", pa.array(["flu", "hiv"]), np.array([80, 20, 0]))
    counts = np.array([[6, 4, 0]])
    assert distance(BetaLikeness(1), counts, column) == pytest.approx(1.0)
    assert (
        BetaLikeness(1).safe(counts, column)[0]
        and not BetaLikeness(0.9999999999999999).safe(counts, column)[0]
    )
    assert BetaLikeness(2, "enhanced").safe(counts, column)[0]  # -ln 0.2 = 1.609
    assert not BetaLikeness(2, "enhanced").safe(np.array([[10, 0, 0]]), column)[
        0
    ]  # gain 0.25, and -ln 0.8 = 0.223
    assert distance(DeltaDisclosure(1), counts, column) == pytest.approx(np.log(2))
    assert DeltaDisclosure(0.6931471805599454).safe(counts, column)[0]
    assert not DeltaDisclosure(0.6931471805599453).safe(counts, column)[
        0
    ]  # ln 2 = 0.693147180559945309...


def generalized() -> pa.Table:
    people = parquet.read_table(data_file("adult.parquet"))
    columns = {"occupation": people["occupation"]}
    for name, level in zip(QUASI, LEVELS, strict=True):
        with data_file(f"hierarchies/adult_arx/{name}.csv").open() as lines:
            above = {row[0]: row[level] for row in csv.reader(lines, delimiter=";")}
        columns[name] = pa.array([above[str(value)] for value in people[name].to_pylist()])
    return pa.table(columns)


def test_the_generalization_that_arx_calls_close():
    """ARX: k = 5 and 0.2-closeness of occupation by equal distance, nothing suppressed."""
    table = generalized()
    asked = {"quasi": QUASI, "sensitive": ["occupation"]}
    found = shoal.audit(table, **asked, require=["k=5", "t-closeness:t=0.2"])
    measured = found.models["t-closeness"]["occupation"]
    assert 0.1 < measured <= 0.2
    with pytest.raises(PrivacyNotMet, match="further than"):
        shoal.audit(table, **asked, require=[f"t-closeness:t={measured * 0.999:.6f}"])


def test_a_hundred_equal_occupations_are_out_of_reach():
    people = parquet.read_table(data_file("adult.parquet"))
    asked = {"quasi": ["age", "sex"], "sensitive": ["occupation"]}
    with pytest.raises(PrivacyNotMet) as refusal:
        shoal.anonymize(people, **asked, models=["entropy-l-diversity:l=100"])
    reachable = str(refusal.value.facts["reachable"])
    assert reachable.startswith("entropy-l-diversity:l=1") and [reachable] in [
        setting.value for setting in refusal.value.remedy.settings
    ]
    counts = np.append(
        np.unique(people["occupation"].to_numpy(zero_copy_only=False), return_counts=True)[1], 0
    )[None]
    whole = Column("occupation", pa.array(sorted(set(people["occupation"].to_pylist()))), counts[0])
    l = float(reachable.split("=")[1])
    assert (
        EntropyLDiversity(l).safe(counts, whole)[0]
        and not EntropyLDiversity(l + 0.01).safe(counts, whole)[0]
    )
