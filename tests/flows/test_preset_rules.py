"""Safe Harbor: what the preset writes into a recipe, what it refuses, what is published."""

from __future__ import annotations

from datetime import date

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RecipeError
from shoal.flows.preset_rules import under_rules
from shoal.recipe import Recipe

BORN = pa.array([date(1930, 5, 1), date(1980, 1, 2)])
PRESET = "hipaa-safe-harbor"


def ruled(values, **asked):
    """Apply the preset to columns of these values, in the year 2026."""
    return under_rules(Recipe.of(preset=PRESET, **asked), values, date(2026, 11, 18))


def test_the_preset_names_no_k():
    assert Recipe.of(preset=PRESET, quasi=["age"]).k == 5
    assert Recipe.of(preset=PRESET, quasi=["age"], k=2).k == 2


def test_dates_ages_and_zip_codes_are_coded():
    values = {"birth_date": BORN, "age": pa.array([34, 95]), "zip": pa.array(["10027", "03601"])}
    recipe = ruled(values, quasi=list(values))
    assert recipe.at_least == {"birth_date": "year", "zip": "3-digits"}
    assert recipe.top == {"age": 90}
    assert recipe.bottom == {"birth_date": "1936-12-31"}
    assert recipe.hierarchies == {"zip": "us-zip"}


def test_what_is_stricter_stands():
    values = {"born": BORN, "age": pa.array([34]), "zip": pa.array(["10027"])}
    asked = {"at_least": {"born": "5-years", "zip": "1-digits"}, "top": {"age": 80}}
    recipe = ruled(values, quasi=list(values), **asked)
    assert recipe.at_least == asked["at_least"]
    assert recipe.top == asked["top"]


@pytest.mark.parametrize(
    ("name", "cells", "asked"),
    [
        ("age", pa.array([34]), {"top": {"age": 95}}),
        ("zip", pa.array(["10027"]), {"at_least": {"zip": "4-digits"}}),
        ("zip", pa.array(["10027"]), {"hierarchies": {"zip": "masks:length=5"}}),
        ("admitted", BORN, {"at_least": {"admitted": "month"}}),
        ("birth_date", BORN, {"bottom": {"birth_date": "1920-01-01"}}),
    ],
)
def test_what_is_weaker_is_refused(name, cells, asked):
    with pytest.raises(RecipeError, match="less is asked"):
        ruled({name: cells}, quasi=[name], **asked)


@pytest.mark.parametrize(
    ("role", "name", "cells"),
    [
        ("keep", "zip", pa.array(["10027"])),
        ("sensitive", "discharged", BORN),
        ("quasi", "city", pa.array(["Albany"])),
        ("sensitive", "phone", pa.array(["555-1234"])),
        ("quasi", "seen_at", pa.array([0], pa.timestamp("s"))),
    ],
)
def test_what_may_not_be_published_is_refused_by_name(role, name, cells):
    other = {"quasi": ["sex"]} if role != "quasi" else {}
    values = {name: cells, **({"sex": pa.array(["f"])} if other else {})}
    with pytest.raises(RecipeError, match="does not let be published") as refused:
        ruled(values, **{role: [name]}, **other)
    assert name in str(refused.value)


def test_a_release_shows_years_three_digits_and_90_plus():
    ages = [34, 36, 38, 95, 97, 101] * 4
    table = pa.table(
        {
            "age": ages,
            "zip": ["10027", "10025", "10001", "03601", "03601", "05901"] * 4,
            "seen": [date(2024, 1 + i % 12, 3) for i in range(24)],
            "ill": ["flu", "gout"] * 12,
        }
    )
    release = shoal.anonymize(
        table, quasi=["age", "zip", "seen"], sensitive=["ill"], k=2, preset=PRESET, seed=1
    )
    cells = release.table.to_pydict()
    assert {cell for cell in cells["age"] if "9" in cell} == {"90+"}
    assert set(cells["zip"]) <= {"100**", "000**", "1****", "*"}
    assert set(cells["seen"]) == {"[2024-01-01, 2024-12-31]"}
    assert release.recipe.at_least == {"zip": "3-digits", "seen": "year"}
    assert shoal.verify(release.table, release.certificate).holds
