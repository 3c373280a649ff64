"""The check of columns that are published as they are: what undoes a release, and what does not."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import data_file
from shoal.arrays import Ints
from shoal.errors import PrivacyNotMet
from shoal.review.prechecks.kept import ENOUGH_ROWS, Leak, advantage, leaks, refusal, refuse_leaks
from shoal.review.recount import coded

EIGHT = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
]


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    return pq.read_table(data_file("adult.parquet")).combine_chunks()


def found_in(table: pa.Table, name: str) -> list[Leak]:
    quasi = {other: coded(table[other].combine_chunks())[0] for other in EIGHT if other != name}
    return leaks(name, table[name].combine_chunks(), quasi)


def test_adults_weight_is_nearly_unique(adult: pa.Table) -> None:
    assert Leak("fnlwgt", None, 20263 / 30162) in found_in(adult, "fnlwgt")


def test_adults_education_number_gives_education_back(adult: pa.Table) -> None:
    assert found_in(adult, "education-num") == [Leak("education-num", "education", 1.0)]


@pytest.mark.parametrize(
    "name", ["relationship", "income", "hours-per-week", "capital-gain", "occupation"]
)
def test_adults_other_columns_may_stay(adult: pa.Table, name: str) -> None:
    assert found_in(adult, name) == []


def test_a_tiny_table_is_not_judged() -> None:
    sexes = pa.array(["f", "f", "f", "m", "m", "m"])
    assert (
        leaks(
            "disease",
            pa.array(["flu", "asthma", "cold", "hiv", "gout", "flu"]),
            {"sex": coded(sexes)[0]},
        )
        == []
    )
    assert leaks("disease", sexes, {"sex": coded(sexes)[0]}) == []


def test_judging_starts_at_enough_rows() -> None:
    names = [f"p{i}" for i in range(ENOUGH_ROWS)]
    assert leaks("name", pa.array(names[:-1]), {}) == []
    assert leaks("name", pa.array(names), {}) == [Leak("name", None, 1.0)]


def test_half_as_many_values_as_rows_is_not_yet_nearly_unique() -> None:
    pairs = [i // 2 for i in range(40)]
    assert leaks("pair", pa.array(pairs), {}) == []
    assert leaks("pair", pa.array([*pairs[:-1], 99]), {}) == [Leak("pair", None, 21 / 40)]


def test_missing_values_do_not_hide_a_unique_column() -> None:
    values = [*range(30), *[None] * 970]
    assert leaks("case", pa.array(values), {}) == [Leak("case", None, 1.0)]


def test_values_of_one_row_are_not_judged_twice() -> None:
    # Whoever is alone on a column gives everything away; that is uniqueness, and said once.
    column = pa.array([*range(100, 130), *[1] * 20, *[2] * 20])
    sexes = pa.array([*["f", "m"] * 15, *["f", "m"] * 20])
    assert leaks("code", column, {"sex": coded(sexes)[0]}) == []


def test_a_column_that_nearly_gives_another_back() -> None:
    grades = ["a"] * 50 + ["b"] * 50
    almost = ["x"] * 48 + ["y"] * 52
    half = ["x"] * 40 + ["y"] * 60
    assert leaks("code", pa.array(almost), {"grade": coded(pa.array(grades))[0]}) == [
        Leak("code", "grade", 0.96)
    ]
    assert leaks("code", pa.array(half), {"grade": coded(pa.array(grades))[0]}) == []


def test_the_example_of_the_page() -> None:
    assert advantage(np.array([0, 0, 1, 1], np.int32), np.array([1, 1, 0, 0], np.int32)) == 1.0
    assert advantage(np.array([0, 0, 1, 1], np.int32), np.zeros(4, np.int32)) == 0.0


codes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(codes)
def test_advantage_is_what_its_formula_says(pairs: list[tuple[int, int]]) -> None:
    known = [a for a, _ in pairs]
    wanted = [b for _, b in pairs]
    common = max(wanted.count(b) for b in wanted) / len(pairs)
    right = sum(max(sum(p == (a, b) for p in pairs) for b in wanted) for a in set(known)) / len(
        pairs
    )
    expected = 0.0 if common == 1 else (right - common) / (1 - common)
    assert advantage(np.array(known, np.int32), np.array(wanted, np.int32)) == pytest.approx(
        expected
    )


def test_the_refusal_names_columns_and_shares_and_no_cell() -> None:
    secret = [f"secret {i}" for i in range(30)]
    one = refusal(leaks("note", pa.array(secret), {}))
    assert one.exit_code == 4
    assert "'note' is nearly unique" in str(one) and 'force_keep=["note"]' in str(one)
    two = refusal([Leak("note", None, 1.0), Leak("code", "zip", 0.95)])
    assert "2 published columns" in str(two)
    assert "'zip'" in str(two) and 'force_keep=["note", "code"]' in str(two)
    assert "secret" not in str(one)


def test_a_sensitive_number_gets_a_warning_that_says_what_to_do() -> None:
    leak = leaks("cost", pa.array(np.arange(50) * 1.5), {})[0]
    assert "'cost'" in leak.warning and "round it" in leak.warning


def people(**columns: list[object]) -> pa.Table:
    return pa.table({"sex": ["f", "m"] * 15, **columns})


def sexes_of(table: pa.Table) -> dict[str, Ints]:
    return {"sex": coded(table["sex"].combine_chunks())[0]}


def test_refuse_leaks_refuses_kept_columns_and_sensitive_text() -> None:
    table = people(
        note=[f"n{i}" for i in range(30)], case=list(range(30)), word=["a", "b", "c"] * 10
    )
    with pytest.raises(PrivacyNotMet, match="'note' is nearly unique"):
        refuse_leaks(table, sexes_of(table), ["note"], [])
    with pytest.raises(PrivacyNotMet, match="2 published columns"):
        refuse_leaks(table, sexes_of(table), ["note"], ["case"])
    assert refuse_leaks(table, sexes_of(table), ["word"], []) == ()


def test_refuse_leaks_warns_about_sensitive_numbers_and_forced_columns() -> None:
    table = people(cost=[i * 10 for i in range(30)], code=[1, 2] * 15)
    assert ["round" in text for text in refuse_leaks(table, sexes_of(table), ["cost"], [])] == [
        True
    ]
    with pytest.raises(PrivacyNotMet, match="gives 'sex' back"):
        refuse_leaks(table, sexes_of(table), [], ["code"])
    assert [
        "by force" in text for text in refuse_leaks(table, sexes_of(table), [], ["code"], ["code"])
    ] == [True]
