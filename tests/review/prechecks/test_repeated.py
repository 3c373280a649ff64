"""Several rows about one person: what is refused, what is warned about, and what passes."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.roles import Roles
from shoal.errors import PrivacyNotMet
from shoal.review.person_columns import PersonColumns, person_columns
from shoal.review.prechecks.repeated import refuse_repeated, repeats_of, shape_of
from shoal.wording import said

PATIENT = PersonColumns(("patient_id",), "person")


def judged(identifiers: tuple[str, ...] = (), k: int = 5, **cells: list[object]) -> list[str]:
    """Return warnings about a table of these columns, or raise."""
    table = pa.table(cells)
    repeats = [
        repeats_of(of, [table[name].combine_chunks() for name in of.columns])
        for of in person_columns(table.column_names, Roles((), identifiers=identifiers))
    ]
    return [str(note) for note in refuse_repeated(repeats, table.num_rows, k)]


def refused(**cells: object) -> bool:
    try:
        judged(**cells)  # type: ignore[arg-type]
    except PrivacyNotMet:
        return True
    return False


def twice(people: int) -> list[int]:
    """Number people of whom each has two rows."""
    return [number % people for number in range(2 * people)]


def test_by_hand() -> None:
    found = repeats_of(PATIENT, [pa.array([1, 1, 1, 2, 3, None])])
    assert (found.rows, found.people, found.repeated, found.most) == (5, 3, 3, 3)
    assert found.everyone(6) == 4  # the row without a value is somebody else


@given(st.lists(st.sampled_from(["a", "b", "c", None, " "])), st.data())
def test_counts_of_two_columns_are_those_of_pairs(
    one: list[str | None], data: st.DataObject
) -> None:
    other = data.draw(st.lists(st.sampled_from([1, 2, None]), min_size=len(one), max_size=len(one)))
    of = PersonColumns(("name", "dob"), "named")
    found = repeats_of(of, [pa.array(one, pa.string()), pa.array(other, pa.int64())])
    pairs = Counter(
        pair for pair in zip(one, other, strict=True) if None not in pair and pair[0] != " "
    )
    assert found.rows == sum(pairs.values())
    assert found.people == len(pairs)
    assert found.repeated == sum(times for times in pairs.values() if times > 1)
    assert found.most == max(pairs.values(), default=0)


def test_the_refusal_says_how_many_people_there_are_and_what_to_do() -> None:
    with pytest.raises(PrivacyNotMet) as refusal:
        judged(patient_id=[*range(50), *range(30), *range(30)])
    error = refusal.value
    assert error.problem == "110 rows are about 50 people: groups of 5 rows may hold 2 people"
    assert error.facts["rows that share a person"] == "90 (82 %)"
    assert error.remedy is not None
    assert [(s.option, s.value) for s in error.remedy.settings] == [
        ("person", "patient_id"),
        ("rows_are_persons", True),
    ]
    assert error.exit_code == 4
    with pytest.raises(PrivacyNotMet, match="may hold 1 person"):
        judged(patient_id=[7] * 5 + [*range(100, 120)])


@pytest.mark.parametrize(
    "cells",
    [
        {"patient_id": twice(50)},
        {"ssn": [f"{n:09}" for n in twice(50)]},
        {"email": [f"{n}@example.org" for n in twice(50)]},
        {"id": twice(50)},
        {"id": [float(n) for n in twice(50)]},  # as pandas has numbers beside missing ones
        {"uuid": [f"ab-{n}" for n in twice(50)]},
        {"record_id": twice(50)},
        {"Kundennr": [number % 12 for number in range(1000)]},
        {"name": [f"n{n}" for n in twice(50)], "birth_date": twice(50)},
        {"x17": [f"A{n}" for n in twice(50)], "identifiers": ("x17",)},
        {"x17": twice(50), "identifiers": ("x17",)},
        {"visit_id": list(range(100)), "patient_id": twice(50)},
        {"case_id": list(range(100)), "patient_id": twice(50)},
        {"patient_id": [*range(98), 1, 1]},  # 3 rows of 100
    ],
)
def test_tables_with_several_rows_about_one_person_are_refused(cells: dict[str, object]) -> None:
    assert refused(**cells)


@pytest.mark.parametrize(
    "cells",
    [
        {"ward": [f"W{n % 9}" for n in range(100)]},
        {"postcode": [f"1{n % 40:04}" for n in range(100)]},
        {"diagnosis_code": [f"E{n % 40}" for n in range(100)]},
        {"order_no": twice(50)},
        {"visit_id": twice(50)},
        {"id": [n % 3 for n in range(100)]},  # kinds, not people
        {"id": ["all"] * 100},
        {"patient_id": [1] * 100},  # a constant
        {"customer_code": ["ABC"[n % 3] for n in range(100)]},
        {"name": [f"n{n}" for n in twice(50)]},  # many people share a name
        {"name": [f"n{n}" for n in twice(50)], "birth_date": list(range(100))},
        {"name": [f"n {n}" for n in twice(50)], "identifiers": ("name",)},
        {"pressure": [60 + 3 * (n % 40) for n in range(100)], "identifiers": ("pressure",)},
        {"left": [f"{1 + n % 28}.3.1979" for n in range(100)], "identifiers": ("left",)},
        {"left": [f"1979-03-{1 + n % 28:02}" for n in range(100)], "identifiers": ("left",)},
        {"remark": [f"seen {n}" for n in twice(50)], "identifiers": ("remark",)},
        {"patient_id": [None] * 100},
        {"patient_id": [""] * 50 + [str(n) for n in range(50)]},
        {"patient_id": list(range(100)), "id": twice(50)},  # one row for each patient
    ],
)
def test_harmless_tables_pass_without_a_word(cells: dict[str, object]) -> None:
    assert judged(**cells) == []  # type: ignore[arg-type]


def test_what_only_may_say_whose_row_it_is_is_a_warning() -> None:
    warned = judged(household_id=twice(50))
    assert warned == [
        "'household_id' repeats in 100 of 100 rows; if it tells whose row it is, count people: "
        'person="household_id"'
    ]
    assert len(judged(batch_id=[1], foo_id=["a1"])) == 0
    assert len(judged(foo_id=twice(50))) == 1
    assert len(judged(patient_id=[*range(499), 1])) == 1  # 2 rows of 500
    names = [f"n{n}" for n in range(499)] + ["n1"]
    (said_so,) = judged(name=names, dob=names)
    assert "'name' and 'dob' together repeat in 2 of 500 rows" in said_so


def test_no_value_is_ever_said() -> None:
    secret = [f"secret{n}" for n in twice(50)]
    with pytest.raises(PrivacyNotMet) as refusal:
        judged(patient_id=secret)
    assert "secret" not in str(refusal.value)
    assert all("secret" not in said(note, refusal_door) for note in judged(household_id=secret))


class _Door:
    def option(self, option: object) -> str:
        return str(option)

    def setting(self, setting: object) -> str:
        return str(setting)

    def call(self, call: object) -> str:
        return str(call)


refusal_door = _Door()


def test_shapes() -> None:
    assert shape_of(pa.array(["A1", "b-2", "77"])).shape == "codes"
    assert shape_of(pa.array(["A1", "b"])).shape == "words"
    assert shape_of(pa.array(["7", "-12"])) == shape_of(pa.array([7, -12]))
    assert shape_of(pa.array(["7", "007"])).shape == "codes"
    assert shape_of(pa.array(["12:30"])).shape == "words"
    assert shape_of(pa.array([1.0, 2.5])).shape == "words"
    assert shape_of(pa.array([1.0, math.inf])).shape == "words"
    assert shape_of(pa.array(np.arange(5))).are_ids(5)
    assert not shape_of(pa.array([0, 100])).are_ids(2)
    assert shape_of(pa.array([10_000, 99_999])).are_ids(2)
