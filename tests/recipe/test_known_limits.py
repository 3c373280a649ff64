"""Known limits: nobody is published as born in the future, and the recipe says so."""

from __future__ import annotations

from datetime import date, timedelta

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError
from shoal.recipe import Recipe
from shoal.recipe.known_limits import with_known_limits

TODAY = date.today()
BORN = [TODAY - timedelta(days=300 * i) for i in range(60)]
PEOPLE = pa.table({"birth_date": pa.array(BORN), "seen": pa.array(BORN)})


def last_of(release: shoal.Release, name: str) -> str:
    return max(cell.strip("[]").split(", ")[-1] for cell in release.table[name].to_pylist())


@pytest.mark.parametrize("engine", ["local", "disk"])
def test_no_birth_is_published_after_this_year(engine):
    release = shoal.anonymize(PEOPLE, quasi=["birth_date"], k=20, engine=engine)
    assert last_of(release, "birth_date") == f"{TODAY.year}-12-31"
    stated = release.certificate.public.recipe["publish"]
    assert stated == {"birth_date": f"snapped(last=end-of-{TODAY.year})"}
    assert shoal.verify(release.table, release.certificate, original=PEOPLE).holds


def test_a_rerun_of_the_saved_recipe_agrees_in_another_year():
    recipe = with_known_limits(Recipe.of(quasi=["birth_date"], k=20), date(2150, 6, 1))
    assert with_known_limits(recipe, date(2160, 1, 1)) == recipe
    release = shoal.anonymize(PEOPLE, recipe=recipe)
    assert release.recipe.publish == {"birth_date": "snapped(last=end-of-2150)"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("dob", True),
        ("DateOfBirth", True),
        ("Geburtsdatum", True),
        ("date_naissance", True),
        ("birth_weight", False),
        ("birthplace", False),
        ("admission_date", False),
        ("newborns", False),
    ],
)
def test_limits_follow_from_names(name, found):
    recipe = with_known_limits(Recipe.of(quasi=[name]))
    assert (recipe.publish != "snapped") == found


@pytest.mark.parametrize(
    "asked",
    [{"publish": {"born": "snapped"}}, {"publish": "tight"}, {"hierarchies": {"born": "dates"}}],
)
def test_what_is_said_wins(asked):
    recipe = Recipe.of(quasi=["born"], **asked)
    assert with_known_limits(recipe) == recipe


def test_numbers_have_no_calendar():
    table = pa.table({"dob": pa.array([19_790_000 + i for i in range(40)])})
    assert shoal.anonymize(table, quasi=["dob"], k=5).table.num_rows == 40


def test_births_in_the_future_are_refused_with_what_helps():
    table = pa.table({"born": pa.array([date(2999, 1, 1), date(2999, 5, 2), *BORN])})
    with pytest.raises(DataError, match="beyond the limits") as refused:
        shoal.anonymize(table, quasi=["born"], k=2)
    assert "2999" not in str(refused.value)
    release = shoal.anonymize(table, quasi=["born"], k=2, publish={"born": "snapped"})
    assert release.table.num_rows == 62
