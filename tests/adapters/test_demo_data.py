"""The invented patients: the same everywhere, as mixed as real ones, and nothing gives an identity
away by itself.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from shoal.adapters.demo_data import DIAGNOSES, NATIONALITIES, patients

TABLE = patients()
QUASI = ["birth_date", "sex", "postcode", "nationality"]


def digest(table: pa.Table) -> str:
    return hashlib.sha256(repr(table.to_pydict()).encode()).hexdigest()[:16]


def test_the_same_on_every_machine() -> None:
    assert patients(200) == patients(200)
    assert patients(200, seed=1) != patients(200, seed=2)
    assert digest(patients(200)) == "48b619489b269ffa"


def test_schema() -> None:
    kinds = {
        name: str(kind) for name, kind in zip(TABLE.schema.names, TABLE.schema.types, strict=True)
    }
    assert TABLE.num_rows == 5_000
    assert kinds == {
        "name": "string",
        "birth_date": "date32[day]",
        "sex": "string",
        "postcode": "string",
        "nationality": "string",
        "admission_date": "date32[day]",
        "diagnosis": "string",
        "cost": "int64",
    }
    assert patients(0).schema == TABLE.schema


def test_nearly_everyone_is_alone_with_three_facts() -> None:
    people = Counter(
        zip(*(TABLE[name].to_pylist() for name in ("birth_date", "sex", "postcode")), strict=True)
    )
    assert sum(count == 1 for count in people.values()) > 0.98 * TABLE.num_rows


@pytest.mark.parametrize("quasi", [*QUASI, "birth_year"])
def test_no_diagnosis_gives_a_quasi_identifier_away(quasi: str) -> None:
    values = pc.year(TABLE["birth_date"]) if quasi == "birth_year" else TABLE[quasi]
    seen: dict[str, Counter[object]] = {}
    for diagnosis, value in zip(TABLE["diagnosis"].to_pylist(), values.to_pylist(), strict=True):
        seen.setdefault(diagnosis, Counter())[value] += 1
    assert set(seen) == {name for name, *_ in DIAGNOSES}
    assert max(counts.most_common(1)[0][1] / counts.total() for counts in seen.values()) < 0.9


def test_diagnoses_go_with_age() -> None:
    ages = (
        pc.year(pc.cast(TABLE["admission_date"], pa.timestamp("s"))).to_numpy()
        - pc.year(TABLE["birth_date"]).to_numpy()
    )
    ill = TABLE["diagnosis"].to_numpy()
    assert ages[ill == "heart failure"].mean() > 65 > 40 > ages[ill == "appendicitis"].mean()


def test_costs_are_rounded_and_go_with_the_diagnosis() -> None:
    costs = TABLE["cost"].to_numpy()
    ill = TABLE["diagnosis"].to_numpy()
    assert (costs % 50 == 0).all() and costs.min() > 0
    assert costs[ill == "leukaemia"].mean() > 5 * costs[ill == "concussion"].mean()


def test_postcodes_are_text_with_leading_zeros() -> None:
    codes = [code for code in TABLE["postcode"].to_pylist() if code is not None]
    assert len(set(codes)) == 60 and {len(code) for code in codes} == {5}
    assert 0.2 < sum(code.startswith("0") for code in codes) / len(codes) < 0.6


@pytest.mark.parametrize("name", ["postcode", "nationality"])
def test_one_in_a_hundred_is_missing(name: str) -> None:
    assert 0.005 < TABLE[name].null_count / TABLE.num_rows < 0.02


def test_every_nationality_stands_in_the_tree_once() -> None:
    leaves = [leaf for parts in NATIONALITIES.values() for part in parts.values() for leaf in part]
    assert len(leaves) == len(set(leaves))
    assert set(TABLE["nationality"].to_pylist()) - {None} <= set(leaves)


def test_dates_are_in_order() -> None:
    admitted = TABLE["admission_date"].to_pylist()
    assert min(admitted) >= date(2023, 1, 1) and max(admitted) <= date(2024, 12, 31)
    assert all(
        born <= day for born, day in zip(TABLE["birth_date"].to_pylist(), admitted, strict=True)
    )


def test_names_are_of_many_alphabets() -> None:
    names = TABLE["name"].to_pylist()
    assert not all(name.isascii() for name in names)
    assert len(set(names)) > 3_000
