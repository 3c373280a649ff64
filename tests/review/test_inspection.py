"""Inspection: sensible roles on real tables, figures by hand, commands that a shell reads, and no
cell anywhere.
"""

from __future__ import annotations

import shlex
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import data_file
from shoal.errors import DataError
from shoal.review.inspection import PAIRED, Inspection, inspect
from shoal.review.vocabulary import rule_for, words_of


def roles(found: Inspection) -> dict[str, str]:
    return {column.name: column.role for column in found.columns}


def read(name: str) -> pa.Table:
    return pq.read_table(data_file(name))


REAL = {
    "adult.parquet": {
        "quasi": "age workclass education marital-status occupation relationship race sex "
        "native-country",
        "sensitive": "capital-gain capital-loss income",
        "identifier": "",
        "drop": "fnlwgt education-num hours-per-week",
    },
    "sdcmicro_testdata.parquet": {
        "quasi": "urbrur roof walls water electcon relat sex age hhcivil",
        "sensitive": "expend income savings",
        "identifier": "ori_hid",
        "drop": "sampling_weight household_weights",
    },
    "bank_marketing.parquet": {
        "quasi": "age job marital education housing",
        "sensitive": "default balance loan poutcome y",
        "identifier": "",
        "drop": "contact day month duration campaign pdays previous",
    },
    "credit_default.parquet": {
        "quasi": "SEX EDUCATION MARRIAGE AGE",
        "identifier": "ID",
        "drop": "",
    },
}


@pytest.mark.parametrize("name", REAL)
def test_roles_on_real_tables(name: str) -> None:
    found = inspect(read(name))
    for role, names in REAL[name].items():
        assert found.names(role) == names.split(), role  # type: ignore[arg-type]


def hospital(rows: int = 400) -> pa.Table:
    rng = np.random.default_rng(1)
    day = date(1940, 1, 1)
    return pa.table(
        {
            "name": [f"Person {i}" for i in range(rows)],
            "birth date": [day + timedelta(int(d)) for d in rng.integers(0, 25_000, rows)],
            "sex": rng.choice(["f", "m"], rows),
            "postcode": [f"{n:04d}" for n in rng.integers(0, 3000, rows)],
            "nationality": rng.choice(["A", "B", "C"], rows),
            "admission date": [
                date(2024, 1, 1) + timedelta(int(d)) for d in rng.integers(0, 365, rows)
            ],
            "diagnosis": rng.choice(["flu", "asthma", "gout"], rows),
            "cost": rng.integers(100, 90_000, rows),
        }
    )


def test_a_hospital() -> None:
    found = inspect(hospital())
    assert roles(found) == {
        "name": "identifier",
        "birth date": "quasi",
        "sex": "quasi",
        "postcode": "quasi",
        "nationality": "quasi",
        "admission date": "quasi",
        "diagnosis": "sensitive",
        "cost": "sensitive",
    }
    assert found.alone == 1.0
    assert found.most_telling(1)[0].name == "name"
    assert {"birth date", "postcode"} == set(found.pairs[0].columns)


def test_the_command_is_what_a_shell_reads() -> None:
    words = shlex.split(inspect(hospital()).command("my ward/people's.csv"))
    assert words == [
        *("shoal", "anonymize", "my ward/people's.csv", "-o", "my ward/people's.released.csv"),
        *(
            "-q",
            "birth date,sex,postcode,nationality,admission date",
            "-s",
            "diagnosis,cost",
            "-i",
            "name",
            "--hierarchy",
            "postcode=masks:length=4",
            "-k",
            "5",
        ),
    ]


@pytest.mark.parametrize(
    ("name", "written", "released"),
    [
        ("-", "-", "-"),
        ("-x.csv", "./-x.csv", "./-x.released.csv"),
        ("people", "people", "people.released.csv"),
    ],
)
def test_odd_file_names(name: str, written: str, released: str) -> None:
    words = shlex.split(inspect(hospital()).command(name))
    assert (words[2], words[4]) == (written, released)


def test_figures_by_hand() -> None:
    found = inspect(
        pa.table({"age": [1, 1, 2, 3], "sex": ["f", "m", "f", None], "city": ["a", "a", "b", "b"]})
    )
    age, sex, _ = found.columns
    assert (age.different, age.missing, age.alone, age.entropy) == (3, 0, 0.5, 1.5)
    assert (sex.different, sex.missing, sex.alone) == (2, 1, 0.5)
    assert {frozenset(pair.columns): pair.alone for pair in found.pairs} == {
        frozenset(("age", "sex")): 1.0,
        frozenset(("age", "city")): 0.5,
        frozenset(("sex", "city")): 1.0,
    }
    assert found.alone == 1.0


tables = st.lists(st.tuples(*[st.sampled_from(["a", "b", "", None])] * 2), min_size=1, max_size=30)


@given(tables)
def test_who_is_alone_is_counted_literally(rows: list[tuple[str | None, str | None]]) -> None:
    found = inspect(
        pa.table({"age": pa.array([a for a, _ in rows], pa.string()), "x": [b for _, b in rows]})
    )
    for column, values in zip(found.columns, zip(*rows, strict=True), strict=True):
        assert column.alone == sum(values.count(value) == 1 for value in values) / len(rows)
        assert column.missing == values.count(None)


def test_columns_with_nothing_in_them() -> None:
    table = pa.table(
        {
            "age": pa.nulls(30),
            "sex": [""] * 30,
            "note": [""] * 15 + ["x"] * 15,
            "city": pa.nulls(30, pa.int64()),
        }
    )
    found = inspect(table)
    assert roles(found) == {"age": "drop", "sex": "drop", "note": "drop", "city": "drop"}
    assert [column.reason for column in found.columns[:2]] == [
        "it holds no value at all",
        "all rows hold the same value",
    ]
    assert (found.pairs, found.alone) == ((), 0.0)
    assert "-q COLUMNS" in found.command("t.csv")


def test_unknown_columns_that_are_nearly_unique() -> None:
    table = pa.table(
        {
            "k1": [f"x{i}" for i in range(50)],
            "k2": np.arange(50) / 7,
            "icd": [f"d{i}" for i in range(50)],
        }
    )
    assert roles(inspect(table)) == {"k1": "identifier", "k2": "drop", "icd": "identifier"}


def test_a_double_of_a_quasi_identifier_is_dropped() -> None:
    cities = ["a", "b", "c", "b"] * 9
    codes = [3, 1, 2, 1] * 9
    found = inspect(pa.table({"city": cities, "zip": codes, "region": ["a", "b", "c", "a"] * 9}))
    assert roles(found) == {"city": "quasi", "zip": "drop", "region": "quasi"}
    assert found.columns[1].reason == "says the same as 'city'"


@pytest.mark.parametrize(
    ("cities", "codes"),
    [
        (["a", "b", "c", "b"], [3, 1, 2, 1]),  # too few rows
        ([f"c{i}" for i in range(30)], list(range(30))),  # all different
        (["a"] * 29 + ["b"], [1] * 29 + [2]),  # one rare row
    ],
)
def test_columns_that_agree_by_chance_stay(cities: list[str], codes: list[int]) -> None:
    assert roles(inspect(pa.table({"city": cities, "zip": codes}))) == {
        "city": "quasi",
        "zip": "quasi",
    }


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("PatientID", "identifier"),
        ("E-Mail", "identifier"),
        ("lastName", "identifier"),
        ("Geburtsdatum", "quasi"),
        ("Código Postal", "quasi"),
        ("country_name", "quasi"),
        ("country-of-birth", "quasi"),
        ("Hauptdiagnose", "sensitive"),
        ("wage", "sensitive"),
        ("Einkommen", "sensitive"),
        ("Fallkosten", "sensitive"),
        ("Rechnungsbetrag", "sensitive"),
        ("Fachabteilung", "sensitive"),
        ("Geschl.", "quasi"),
        ("weight", "quasi"),
        ("pspwght", "drop"),
        ("Post-stratification weight", "drop"),
        ("Population size weight", "drop"),
        ("Gewichtungsfaktor", "drop"),
        ("Bemerkung", "drop"),
        ("Free text comments", "drop"),
        ("company name", "identifier"),
        ("average", None),
        ("trace", None),
        ("sussex", None),
        ("", None),
    ],
)
def test_names_tell_roles(name: str, role: str | None) -> None:
    rule = rule_for(name, points=True)
    assert (rule.role if rule else None) == role


def test_an_id_of_few_kinds_points_at_nobody() -> None:
    assert roles(inspect(pa.table({"id": [1, 2, 3, 4] * 50})))["id"] == "drop"
    assert roles(inspect(pa.table({"id": list(range(200))})))["id"] == "identifier"
    assert roles(inspect(pa.table({"own_phone": ["y", "n"] * 50})))["own_phone"] == "drop"


def test_names_as_words() -> None:
    assert words_of("PAY_AMT1") == "pay amt 1"
    assert words_of("Straße") == "strasse"


def test_no_cell_is_shown() -> None:
    table = hospital(60)
    found = inspect(table)
    said = repr(found.as_dict()) + found.command("f.csv")
    assert not any(
        f"{value}" in said
        for name in ("name", "birth date", "diagnosis")
        for value in table[name].to_pylist()
    )


def test_a_thousand_columns_and_a_million_rows_are_bounded() -> None:
    rng = np.random.default_rng(1)
    wide = pa.table({f"age {i}": rng.integers(0, 9, 300) for i in range(1000)})
    assert len(inspect(wide).pairs) == PAIRED * (PAIRED - 1) // 2
    million = rng.integers(0, 90, (12, 1_000_000), np.int16)
    long = pa.table({f"age {i}": column for i, column in enumerate(million)})
    assert 0 < len(inspect(long).pairs) <= 50


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(DataError, match="no rows"):
        inspect(hospital().slice(0, 0))
    with pytest.raises(DataError, match="no rows"):
        inspect(pa.table({}))


WORDS = {
    "sensitive": "diabetes asthma stroke Bluthochdruck Krebs Schlaganfall maladie asthme grossesse "
    "enfermedad ictus cancer malattia cancro ipertensione asma febbre ziekte beroerte kanker "
    "suikerziekte medicijn Medikament farmaco traitement tratamiento terapia behandeling "
    "Einkommen Gehalt salaire loyer sueldo hipoteca reddito stipendio affitto inkomen salaris huur "
    "Partei Wahlabsicht Gewerkschaft syndicat partido vakbond",
    "quasi": "Postleitzahl Wohnort commune departement municipio barrio comune provincia gemeente "
    "woonplaats Alter edad eta leeftijd Geschlecht sexe sexo sesso geslacht Familienstand "
    "yob gebjahr "
    "stato_civile figli kinderen Beruf metier profesion lavoro beroep opleiding istruzione",
}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in WORDS.items() for name in names.split()]
)
def test_words_of_several_languages_tell_roles(role: str, name: str) -> None:
    rule = rule_for(name, points=True)
    assert rule is not None and rule.role == role


def with_words(name: str, values: list[str], *words: str) -> pa.Table:
    """A column of these values, each some times, and words for missing among them."""
    return pa.table(
        {name: [*values * 6, *words * 3], "sex": ["f"] * (6 * len(values) + 3 * len(words))}
    )


POSTCODES = [f"{n:05}" for n in range(1067, 1077)]


def test_a_column_is_seen_without_its_words_for_missing() -> None:
    found = inspect(with_words("PLZ", POSTCODES, "keine Angabe", "-")).columns[0]
    assert (found.role, found.hierarchy, found.read_as) == ("quasi", "masks:length=5", None)
    assert found.understood == "postcodes of 4 or 5 digits; missing: keine Angabe, -"
    assert (found.missing, found.different) == (6, 10)


def test_words_that_a_suggestion_leans_on_stand_in_its_command() -> None:
    seen = inspect(with_words("PLZ", POSTCODES, "keine Angabe", "-"))
    command = shlex.split(seen.command("people.csv"))
    assert command[command.index("--na") + 1] == "PLZ=keine Angabe,PLZ=-"
    assert 'na={"PLZ": ["keine Angabe", "-"]}' in seen.call("people.csv")
    assert any("is understood without words for missing" in str(note) for note in seen.notices)


def test_words_among_categories_and_sensitive_values_are_only_proposed() -> None:
    for name, values in (("occupation", ["cook", "smith"]), ("income", ["900,50", "1200,75"])):
        seen = inspect(with_words(name, values, "unknown"))
        assert seen.columns[0].missing_words == ("unknown",)
        assert not seen.columns[0].leans_on_words
        assert "--na" not in seen.command("people.csv")


def test_an_unclear_column_names_its_words_beside_both_readings() -> None:
    days = [f"{day}/{month}/1980" for day in range(1, 6) for month in range(1, 6)]
    found = inspect(with_words("birth date", days, "n/a")).columns[0]
    assert found.role == "drop"
    assert str(found.reason).endswith(' and na=["birth date=n/a"]')


def test_numbers_that_are_codes_by_their_name_are_suggested_as_such() -> None:
    """Concepts of OMOP were numbers, and published as intervals of concepts."""
    concepts = pa.table({"gender_concept_id": [8507, 8532] * 20, "age": list(range(40))})
    seen = inspect(concepts)
    found = seen.columns[0]
    assert (found.role, found.read_as) == ("quasi", "code")
    assert found.understood == "whole numbers; codes by their name"
    assert "--as gender_concept_id=code" in seen.command("people.csv")
    assert not seen.notices
    few = inspect(pa.table({"race_concept_id": [8527, 8516, 8515, 8527], "age": [1, 2, 3, 4]}))
    assert few.columns[0].role == "quasi"  # and no identifier


def test_a_count_with_an_open_end_is_no_code() -> None:
    """`5+` people in a household were asked about: codes?"""
    homes = pa.table({"Haushalt": [*"1234", "5+"] * 10, "age": list(range(50))})
    seen = inspect(homes)
    assert seen.columns[0].understood == "numbers with open ends"
    assert not seen.columns[0].may_be_code
    counted = inspect(pa.table({"Haushaltsgröße": [1, 2, 3, 4] * 10, "age": list(range(40))}))
    assert not counted.columns[0].may_be_code


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pa.array([timedelta(days=n) for n in range(40)]), "spans of time"),
        (pa.array([["a"]] * 40), "list<item: string>"),
        (pa.array([{"city": "Berlin"}] * 40), "struct<city: string>"),
    ],
)
def test_columns_that_hold_no_single_value_are_left_to_their_owner(
    values: pa.Array, said: str
) -> None:
    """One list among forty columns ended the inspection."""
    seen = inspect(pa.table({"age": list(range(40)), "odd": values}))
    odd = seen.columns[1]
    assert (odd.role, odd.understood) == ("drop", said)
    assert "leave the column out" in str(odd.reason)
    assert seen.names("quasi") == ["age"] and "odd" not in seen.call("people.parquet")


def test_a_call_without_a_file_names_the_table() -> None:
    seen = inspect(pa.table({"age": [31, 33, 52, 58], "diagnosis": ["flu", "cold"] * 2}))
    call = 'shoal.anonymize(table, quasi=["age"], sensitive=["diagnosis"], k=5)'
    assert seen.call() == call
    assert call in repr(seen) and "diagnosis" in seen._repr_html_()


def test_codes_are_known_by_the_label_of_a_column() -> None:
    """ESS calls it isco08, others v17, with the label `Occupation, ISCO08`."""
    codes = pa.array([1120, 2221, 2310, 2512, 4110, 5223, 7115, 9112] * 5)
    (column,) = inspect(pa.table({"v17": codes}), {"v17": "Occupation, ISCO08"}).columns
    assert column.hierarchy == "masks:length=4,steps=[1,2,3]"
    codes = pa.concat_arrays([codes, pa.array([99999])])
    (column,) = inspect(pa.table({"v17": codes}), {"v17": "Occupation, ISCO08"}).columns
    assert column.leans_on_words and column.missing_words == ("99999",)
    assert column.hierarchy == "masks:length=4,steps=[1,2,3]"
