"""Columns that are published as they are: what undoes a release, and what does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from conftest import data_file
from shoal.engines.local.engine import LocalEngine
from shoal.engines.local.gate import gated
from shoal.errors import PrivacyNotMet
from shoal.review.identifiers import identifying, in_its_kind
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.entropy import taken

ROWS = 600


def crowd(**more: Any) -> pa.Table:
    """A table in which age and sex have no equal; `more` gives further columns."""
    rng = np.random.default_rng(3)
    people = {
        "age": rng.integers(18, 90, ROWS),
        "sex": np.array(["f", "m"])[rng.integers(0, 2, ROWS)],
        "ill": np.array(["flu", "asthma", "gout", "cold"])[rng.integers(0, 4, ROWS)],
    }
    return pa.table({**people, **more})


def published(table: pa.Table, **asked: Any) -> shoal.Release:
    given = {"quasi": ["age", "sex"], "k": 5, "method": "mondrian", "seed": 1, **asked}
    return shoal.anonymize(table, **given)


def text(numbers: Any, before: str = "p") -> list[str]:
    return [f"{before}{number}" for number in numbers]


AGES = crowd()["age"].to_pylist()
WITHOUT_A_WORD: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "an id for 49 % of the rows, kept": (
        {"case": [f"c{i}" if i < 0.49 * ROWS else "none" for i in range(ROWS)]},
        {"keep": ["case"]},
        "294 values of 'case' are held by fewer than 5 rows: 294 of 600 rows",
    ),
    "an id for 49 % of the rows, sensitive": (
        {"case": [f"c{i}" if i < 0.49 * ROWS else "none" for i in range(ROWS)]},
        {"sensitive": ["case"]},
        "'case' is an identifier: 294 of its 295 different values occur once",
    ),
    "free text": (
        {"note": [f"seen on day {i}, then sent home" for i in range(ROWS)]},
        {"sensitive": ["note"]},
        "'note' is an identifier",
    ),
    "an id shared by pairs": (
        {"case": text(i // 2 for i in range(ROWS))},
        {"keep": ["case"]},
        "300 values of 'case' are held by fewer than 5 rows",
    ),
    "two halves of one id": (
        {"left": text(i // 25 for i in range(ROWS)), "right": text(i % 25 for i in range(ROWS))},
        {"keep": ["left", "right"]},
        "'left' and 'right' are held by fewer than 5 rows: 600 of 600 rows",
    ),
    "passport numbers of 19 people, kept": (
        {"passport": text(range(19)) + [None] * (ROWS - 19)},
        {"keep": ["passport"]},
        "19 of 600 rows",
    ),
    "passport numbers of 19 people, sensitive": (
        {"passport": text(range(19)) + ["none"] * (ROWS - 19)},
        {"sensitive": ["passport"]},
        "'passport' is an identifier",
    ),
    "bands of two years beside age": (
        {"band": [age // 2 for age in AGES]},
        {"keep": ["band"], "k": 2},
        "'band' gives 'age' away",
    ),
    "bands of two years beside age, sensitive": (
        {"band": text(age // 2 for age in AGES)},
        {"sensitive": ["band"], "k": 2},
        "'band' gives 'age' away",
    ),
    "running numbers": (
        {"number": [3 * i + 7 for i in range(ROWS)]},
        {"sensitive": ["number"]},
        "'number' is an identifier",
    ),
}


def _born(rows: int) -> tuple[list[int], Any]:
    """Draw dates of birth and the ages that follow from them."""
    days = np.random.default_rng(2).integers(-10_000, 12_000, rows)
    return (50 - days // 365).tolist(), pa.array(days, pa.int32()).cast(pa.date32())


@pytest.mark.parametrize("rows", [30, 100, 600, 5_000])
@pytest.mark.parametrize("engine", ["local", "disk"])
def test_a_date_of_birth_gives_age_away(rows: int, engine: str, tmp_path: Any) -> None:
    ages, born = _born(rows)
    table = pa.table({"age": ages, "sex": ["f", "m"] * (rows // 2), "born": born})
    pq.write_table(table, tmp_path / "people.parquet")
    people: Any = tmp_path / "people.parquet" if engine == "disk" else table
    with pytest.raises(PrivacyNotMet, match="'born' gives 'age' away"):
        published(people, sensitive=["born"], engine=engine)


def test_a_copy_of_a_unique_column_gives_it_away_and_a_likely_companion_does_not() -> None:
    rng = np.random.default_rng(2)
    pay = rng.lognormal(8, 1, 900)
    tax = pa.array(np.round(pay * 0.3, 2))
    rent = pa.array(np.round(pay * rng.lognormal(-1, 0.4, 900), 2))
    table = pa.table({"pay": np.round(pay, 2), "tax": tax, "rent": rent})
    asked: dict[str, Any] = {"quasi": ["pay"], "k": 5, "method": "mondrian"}
    with pytest.raises(PrivacyNotMet, match="'tax' gives 'pay' away"):
        shoal.anonymize(table, **asked, sensitive=["tax"])
    assert shoal.anonymize(table, **asked, sensitive=["rent"]).table.num_rows == 900


@pytest.mark.parametrize("name", WITHOUT_A_WORD)
@pytest.mark.parametrize("engine", ["local", "disk"])
def test_columns_that_undo_a_release_are_refused(name: str, engine: str, tmp_path: Any) -> None:
    more, asked, said = WITHOUT_A_WORD[name]
    people: Any = crowd(**more)
    if engine == "disk":
        pq.write_table(people, tmp_path / "people.parquet")
        people = tmp_path / "people.parquet"
    with pytest.raises(PrivacyNotMet) as refused:
        published(people, **asked, engine=engine)
    assert said in str(refused.value) and refused.value.exit_code == 4
    assert "force_keep" in str(refused.value) and "published: nothing" in str(refused.value)
    assert "p1," not in str(refused.value) and "c1" not in str(refused.value)


def test_a_kept_name_is_refused_in_a_table_of_19_rows() -> None:
    table = crowd(name=text(range(ROWS))).slice(0, 19)
    with pytest.raises(PrivacyNotMet, match="19 values of 'name' are held by fewer than 5 rows"):
        published(table, keep=["name"])
    assert published(table, keep=["name"], force_keep=["name"]).table.num_rows == 19


def test_passport_numbers_of_19_people_among_10_000() -> None:
    rng = np.random.default_rng(1)
    passports = text(range(19)) + ["none"] * 9_981
    table = pa.table({"age": rng.integers(18, 90, 10_000), "passport": passports})
    for role in ("keep", "sensitive"):
        with pytest.raises(PrivacyNotMet, match="'passport'"):
            shoal.anonymize(table, quasi="age", method="mondrian", **{role: "passport"})


def blood_groups(rng: np.random.Generator) -> Any:
    return np.array(["0+", "A+", "B+", "AB-"])[rng.choice(4, 10_000, p=[0.5, 0.3, 0.15, 0.05])]


def diagnoses(rng: np.random.Generator) -> list[str]:
    """A column of 300 codes, of which 5 % occur once."""
    often = np.concatenate([np.arange(285), np.arange(285), rng.integers(0, 285, 10_000 - 585)])
    return text(np.concatenate([np.arange(300, 315), often]), "d")


def test_legitimate_columns_still_pass() -> None:
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "age": rng.integers(18, 90, 10_000),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, 10_000)],
            "ward": text(rng.integers(0, 12, 10_000), "ward "),
            "blood": np.array(["0+", "A+", "B+", "AB-"])[
                rng.choice(4, 10_000, p=[0.5, 0.3, 0.15, 0.05])
            ],
            "diagnosis": diagnoses(rng)[:10_000],
            "cost": np.round(rng.lognormal(7, 1, 10_000), 2),
        }
    )
    for engine in ("local", "disk"):
        release = published(
            table, keep=["ward", "blood"], sensitive=["diagnosis", "cost"], engine=engine
        )
        assert any("'cost' is nearly unique" in notice for notice in map(str, release.notices))
        said = release.certificate.public.not_promised
        assert [sentence for sentence in said if "'cost'" in sentence], "the certificate warns too"
        assert not [sentence for sentence in said if "'diagnosis'" in sentence]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["local", "disk"])
def test_costs_to_the_cent_can_be_written(ending: str, engine: str, tmp_path: Any) -> None:
    rng = np.random.default_rng(8)
    table = crowd(cost=np.round(rng.lognormal(7, 1, ROWS), 2))
    release = published(table, sensitive=["cost"], engine=engine)
    release.write(tmp_path / f"out.{ending}")
    said = shoal.verify(tmp_path / f"out.{ending}", tmp_path / f"out.{ending}.certificate.json")
    assert said.holds, [item for item in said.items if item.status == "differs"]


def test_the_pair_that_singles_out_most_is_named() -> None:
    rng = np.random.default_rng(4)
    table = crowd(
        ward=text(rng.integers(0, 4, ROWS)),
        left=text(i // 25 for i in range(ROWS)),
        right=text(i % 25 for i in range(ROWS)),
    )
    with pytest.raises(PrivacyNotMet) as refused:
        published(table, keep=["ward", "left", "right"])
    assert "singles out most: 'left' and 'right' together (600 rows)" in str(refused.value)


def test_numbers_are_to_be_rounded_and_names_are_not() -> None:
    table = crowd(cost=[17 * i for i in range(ROWS)], name=text(range(ROWS)))
    with pytest.raises(PrivacyNotMet) as number:
        published(table, keep=["cost"])
    with pytest.raises(PrivacyNotMet) as name:
        published(table, keep=["name"])
    assert 'round={"cost": 1000}' in str(number.value) and "round" not in str(name.value)


def test_the_gate_counts_what_is_published_and_not_what_came() -> None:
    # Of six rows of ward b two were left out: four of them are below k.
    recipe = shoal.Recipe.of(quasi=["age"], sensitive=["note"], keep=["ward"], k=5, withhold=0.2)
    table = pa.table(
        {"age": ["[20, 30]"] * 24, "note": ["x", "y"] * 12, "ward": ["a"] * 20 + ["b"] * 4}
    )
    with pytest.raises(PrivacyNotMet, match="1 value of 'ward' is held by fewer than 5 rows"):
        gated(table, recipe.plan())
    notes = table.set_column(1, "note", pa.array(text(range(24))))
    with pytest.raises(PrivacyNotMet, match="'note' is an identifier"):
        gated(notes.slice(0, 20), recipe.plan())
    assert gated(table.slice(0, 20), recipe.plan()).kept.combinations.fewest == 20


def test_verify_counts_kept_columns_again() -> None:
    rng = np.random.default_rng(6)
    release = published(crowd(ward=text(rng.integers(0, 6, ROWS))), keep=["ward"], sensitive="ill")
    public = release.certificate.public
    assert public.kept.fewest >= 5
    assert public.kept.counted == ["age", "sex", "ward"]
    assert public.kept.risks["highest-prosecutor-risk"] > public.risks["highest-prosecutor-risk"]
    said = shoal.verify(release.table, release.certificate)
    assert said.holds and "rows that hold each combination of kept columns" in str(said.items)
    wards = release.table["ward"].to_pylist()
    other = release.table.set_column(3, "ward", pa.array(["z", *wards[1:]]))
    wrong = [
        item.what
        for item in shoal.verify(other, release.certificate).items
        if item.status == "differs"
    ]
    assert "rows that hold each combination of kept columns" in wrong


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_combinations_are_counted_as_by_hand_and_add_up(pairs: list[tuple[int, int]]) -> None:
    columns = np.array(pairs, np.int32).T
    tally = KeptTally.of(("a", "b"), list(columns))
    half = len(pairs) // 2
    parts = [
        KeptTally.of(("a", "b"), list(columns[:, part]))
        for part in (slice(half), slice(half, None))
    ]
    both = KeptTally.together(parts)
    counts = {pair: pairs.count(pair) for pair in pairs}
    assert tally.fewest == both.fewest == min(counts.values())
    rare = tally.too_rare(3)
    concerned = sum(times for times in counts.values() if times < 3)
    assert (rare.rows if rare else 0) == concerned


def test_persons_are_counted_and_not_their_rows() -> None:
    table = crowd(patient=[i // 6 for i in range(ROWS)], ward=text(i // 12 for i in range(ROWS)))
    assert published(table, keep=["ward"], rows_are_persons=True).table.num_rows == ROWS
    with pytest.raises(PrivacyNotMet, match="of 'ward' are held by fewer than 5"):
        published(table, keep=["ward"], person="patient")


@pytest.mark.parametrize("engine", [None, LocalEngine(shards=3)])
def test_people_are_counted_where_rows_may_be_withheld(engine: Any) -> None:
    patient = [i // 6 for i in range(ROWS)]
    table = crowd(patient=patient, ward=["Z" if of == 7 else "A" for of in patient])
    asked = {"keep": ["ward"], "person": "patient", "withhold": 0.1, "engine": engine}
    with pytest.raises(PrivacyNotMet, match="1 value of 'ward' is held by fewer than 5 people"):
        published(table, **asked)


def test_texts_are_identifiers_above_both_limits() -> None:
    def column(once: int, twice: int) -> pa.Array:
        return pa.array(text(range(once)) + 2 * text(range(once, once + twice)))

    def judged(values: pa.Array) -> bool:
        counted = values.value_counts()
        profile = in_its_kind("x", counted.field(0), np.asarray(counted.field(1), np.int64))
        return identifying(profile) is not None

    assert judged(column(10, 2)) and not judged(column(9, 0)), "ten values that occur once"
    assert not judged(column(40, 10)) and judged(column(41, 10)), "over 80 % of its values"


@pytest.mark.parametrize(
    ("numbers", "refused"),
    [
        (list(range(10)), True),
        (list(range(9)), False),
        ([*range(10), 3], False),
        ([*range(9), 99], True),
        ([*range(9), 100], False),
        ([i + 0.5 for i in range(20)], False),
        ([float(i) for i in range(20)], True),
    ],
)
def test_whole_numbers_are_identifiers_if_they_run(numbers: list[float], refused: bool) -> None:
    counted = pa.array(numbers).value_counts()
    counts = np.asarray(counted.field(1), np.int64)
    assert (identifying(in_its_kind("x", counted.field(0), counts)) is not None) == refused
    texts = counted.field(0).cast(pa.string())
    assert (identifying(in_its_kind("x", texts, counts)) is not None) == refused, "and as text"


ADULT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex"]


@pytest.fixture(scope="module")
def adult() -> dict[str, Any]:
    table = pq.read_table(data_file("adult.parquet")).combine_chunks()
    codes = {
        name: np.asarray(table[name].combine_chunks().dictionary_encode().indices)
        for name in table.column_names
    }
    ages = np.asarray(table["age"])
    return {**codes, "two years": ages // 2, "decade": ages // 10}


@pytest.mark.parametrize(
    ("column", "quasi", "share"),
    [
        ("education-num", "education", 1.0),
        ("two years", "age", 0.82),
        ("relationship", "marital-status", 0.57),
        ("decade", "age", 0.43),
        ("fnlwgt", "sex", 0.29),
    ],
)
def test_entropy_taken_in_adult(
    adult: dict[str, Any], column: str, quasi: str, share: float
) -> None:
    codes = adult[column].astype(np.int32)
    assert taken(codes, adult[quasi].astype(np.int32)) == pytest.approx(share, abs=0.01)


@pytest.mark.parametrize("column", ["income", "hours-per-week", "capital-gain", "fnlwgt"])
def test_other_columns_of_adult_may_stay(adult: dict[str, Any], column: str) -> None:
    codes = adult[column].astype(np.int32)
    assert max(taken(codes, adult[name].astype(np.int32)) for name in ADULT) < 0.3


def test_entropy_depends_on_neither_order_nor_numbers_of_values() -> None:
    rng = np.random.default_rng(5)
    known = rng.integers(0, 30, 5_000).astype(np.int32)
    wanted = (known // 2 + rng.integers(0, 3, 5_000)).astype(np.int32)
    order = rng.permutation(5_000)
    other = rng.permutation(40).astype(np.int32)
    share = taken(known, wanted)
    assert share > 0.4 and taken(other[known][order], wanted[order]) == share


def test_a_small_table_that_agrees_by_accident_is_not_refused() -> None:
    six = np.array([0, 0, 0, 1, 1, 1], np.int32)
    assert taken(six, six) == 0, "one of ten ways to shuffle it agrees"
    twenty = np.repeat(np.arange(4, dtype=np.int32), 5)
    assert taken(twenty, twenty) > 0.4
    unique = np.arange(50, dtype=np.int32)
    assert taken(unique, np.repeat(np.arange(5, dtype=np.int32), 10)) == 0, "tells nothing"


def _amounts(comma: bool) -> list[str]:
    rng = np.random.default_rng(8)
    texts = [f"{amount:.2f}" for amount in rng.exponential(500, ROWS)]
    return [each.replace(".", ",") for each in texts] if comma else texts


def _days(spelling: str) -> list[str]:
    rng = np.random.default_rng(8)
    days = np.datetime64("2001-01-01") + rng.permutation(9_000)[:ROWS]
    return [day.item().strftime(spelling) for day in days]


NO_NAMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "amounts below a top": ([float(text) for text in _amounts(False)], {"top": {"cost": 1000}}),
    "amounts below a percentile": (
        [float(each) for each in _amounts(False)], {"top": {"cost": "p95"}}
    ),
    "amounts with a comma": (_amounts(True), {}),
    "amounts with a comma below a top": (_amounts(True), {"top": {"cost": "p95"}}),
    "amounts with a comma, rounded": (_amounts(True), {"round": {"cost": 0.5}}),
    "whole amounts with a currency": ([f"{i * i} €" for i in range(ROWS)], {}),
    "dates": (pa.array(_days("%Y-%m-%d")).cast(pa.date32()), {}),
    "dates below a top": (
        pa.array(_days("%Y-%m-%d")).cast(pa.date32()), {"top": {"cost": "2020-01-01"}}
    ),
    "dates in text": (_days("%d.%m.%Y"), {}),
    "dates in text above a bottom": (_days("%d.%m.%Y"), {"bottom": {"cost": "2003-01-01"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES)
@pytest.mark.parametrize("engine", ["local", "disk"])
def test_amounts_and_dates_are_no_names(name: str, engine: str, tmp_path: Any) -> None:
    costs, asked = NO_NAMES[name]
    people = crowd(cost=costs)
    csv.write_csv(people, tmp_path / "people.csv")
    pq.write_table(people, tmp_path / "people.parquet")
    for source in ("people.csv", "people.parquet"):
        release = published(tmp_path / source, sensitive=["cost"], engine=engine, **asked)
        release.write(tmp_path / "out.csv", force=True)
        certificate = tmp_path / "out.csv.certificate.json"
        again = shoal.verify(tmp_path / "out.csv", certificate, original=tmp_path / source)
        assert again.holds, [item for item in again.items if item.status == "differs"]


@pytest.mark.parametrize("top", [{}, {"number": "p95"}])
def test_running_numbers_below_a_top_are_identifiers(top: Any) -> None:
    table = crowd(number=[3 * i + 7 for i in range(ROWS)])
    with pytest.raises(PrivacyNotMet, match="'number' is an identifier"):
        published(table, sensitive=["number"], top=top)


def test_numbers_in_groups_of_digits_are_names() -> None:
    table = crowd(
        phone=[f"{301 + i % 600} {i * 7 % 1000:03d} {i * 13 % 1000:03d}" for i in range(ROWS)]
    )
    with pytest.raises(PrivacyNotMet, match="'phone' is an identifier"):
        published(table, sensitive=["phone"])
