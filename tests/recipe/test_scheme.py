"""Schemes: the next table gets the same bands and codes, and what does not fit is named."""

from __future__ import annotations

import tomllib
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import shoal
from shoal.errors import DataError, RecipeError
from shoal.recipe.scheme import Scheme
from terminal import shoal as typed
from terminal import write

QUASI = ["age", "city", "zip"]


def people(rows: int = 300, seed: int = 0, ages=(17, 91)) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": rng.integers(*ages, rows),
            "city": np.array(["Oslo", "Bergen", "Rome"])[rng.integers(0, 3, rows)],
            "zip": np.array(["10115", "10117", "20095", "20097"])[rng.integers(0, 4, rows)],
            "cost": rng.integers(100, 999, rows),
        }
    )


def released(table: pa.Table, **asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shoal.anonymize(
            table, **{"quasi": QUASI, "k": 5, "method": "banded", "seed": 1, **asked}
        )


@pytest.fixture
def saved(tmp_path):
    release = released(
        people(),
        hierarchies={"zip": "masks:length=5"},
        top={"age": 85},
        sensitive=["cost"],
        round={"cost": 10},
    )
    release.write(tmp_path / "out.csv", scheme=tmp_path / "bands.toml")
    return tmp_path / "bands.toml"


def changed(path, old: str, new: str):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


COST = {"sensitive": ["cost"]}


def test_a_scheme_holds_bands_codes_and_the_values_that_are_shown(saved):
    assert tomllib.loads(saved.read_text()) == {
        "scheme": {"format": 1, "method": "banded", "new": "refuse"},
        "columns": {
            "age": {"top": 85, "kind": "number", "hierarchy": "ladder:widths=5-10-20-40"},
            "city": {"kind": "category", "values": ["Bergen", "Oslo", "Rome"]},
            "zip": {"hierarchy": "masks:length=5"},
        },
        "beside": {"cost": {"round": 10}},
    }


def test_the_same_table_under_its_scheme_gives_the_same_release(saved):
    first = released(
        people(), hierarchies={"zip": "masks:length=5"}, top={"age": 85}, round={"cost": 10}, **COST
    )
    again = released(people(), scheme=saved, **COST)
    assert again.table.equals(first.table)
    assert again.certificate.public.recipe["scheme"] == "bands.toml"
    assert again.scheme() == Scheme.read(saved)


def bands(release) -> set[str]:
    return {text for text in release.table["age"].to_pylist() if "[" in text}


def test_one_person_of_104_changes_no_band(tmp_path):
    before = released(people())
    before.write(tmp_path / "out.csv", scheme=tmp_path / "bands.toml")
    old = people(1).set_column(0, "age", pa.array([104]))
    after = released(pa.concat_tables([people(), old]), scheme=tmp_path / "bands.toml")
    stated = after.recipe.hierarchies["age"]
    assert stated == before.recipe.hierarchies["age"]
    for text in bands(before) | bands(after):
        low, high = (int(end) for end in text[1:-1].split(", "))
        assert high - low + 1 in (5, 10, 20, 40)
        assert low % (high - low + 1) == 0
    # Without a scheme and a ladder, one row moves the ends of many bands.
    plain = [
        released(table, method="shoal") for table in (people(), pa.concat_tables([people(), old]))
    ]
    assert bands(plain[0]) - bands(plain[1])


def test_a_table_of_the_young_has_the_bands_of_all(saved):
    young = released(people(200, seed=5, ages=(18, 30)), scheme=saved, **COST)
    assert young.recipe.hierarchies["age"] == "ladder:widths=5-10-20-40"
    alone = released(people(200, seed=5, ages=(18, 30)))
    assert alone.recipe.hierarchies["age"] != young.recipe.hierarchies["age"]


def test_a_new_category_is_refused_by_counts_or_becomes_what_the_scheme_says(saved):
    new = people(6).set_column(1, "city", pa.array(["Tromsø"] * 6))
    table = pa.concat_tables([people(), new])
    with pytest.raises(DataError) as refusal:
        released(table, scheme=saved, **COST)
    assert refusal.value.facts["rows concerned"] == 6
    assert "Tromsø" not in str(refusal.value)
    for word in ("other", "*"):
        text = saved.read_text()
        other = saved.with_name("other.toml")
        other.write_text(text.replace('new = "refuse"', f'new = "{word}"'))
        cells = set(released(table, scheme=other, **COST).table["city"].to_pylist())
        assert "Tromsø" not in cells
        assert word in cells


def test_new_may_be_said_of_one_column(saved):
    changed(saved, "[columns.city]\n", '[columns.city]\nnew = "other"\n')
    new = people(6).set_column(1, "city", pa.array(["Tromsø"] * 6))
    release = released(pa.concat_tables([people(), new]), scheme=saved, **COST)
    assert "other" in release.table["city"].to_pylist()


# --- a scheme that does not fit


def test_a_scheme_for_other_columns_is_refused(saved):
    with pytest.raises(RecipeError, match="other quasi-identifiers") as refusal:
        released(people(), quasi=["age", "city"], scheme=saved, **COST)
    assert refusal.value.facts == {"in one of them alone": "'zip'"}


def test_a_scheme_for_other_types_is_refused(saved):
    table = people().set_column(0, "age", pa.array([f"n{i % 7}" for i in range(300)]))
    with pytest.raises(RecipeError, match="'age' holds text, and its scheme is for numbers"):
        released(table, scheme=saved, **COST)


def test_codes_of_columns_that_are_not_published_are_refused(saved):
    with pytest.raises(RecipeError, match="not published"):
        released(people(), scheme=saved)


@pytest.mark.parametrize(
    "asked",
    [
        {"top": {"age": 80}},
        {"round": {"cost": 100}},
        {"bottom": {"age": 20}},
        {"hierarchies": {"age": "ladder:widths=10-20"}},
        {"hierarchies": {"city": "flat"}},
    ],
)
def test_what_the_recipe_asks_otherwise_is_refused(saved, asked):
    with pytest.raises(RecipeError, match="is not that of the scheme"):
        released(people(), scheme=saved, **COST, **asked)


def test_what_the_recipe_asks_alike_is_no_contradiction(saved):
    released(people(), scheme=saved, top={"age": 85}, hierarchies={"age": "none"}, **COST)


@pytest.mark.parametrize("method", ["shoal", "mondrian"])
def test_a_method_without_a_scheme_is_refused(saved, method):
    with pytest.raises(RecipeError, match="has no scheme"):
        released(people(), scheme=saved, method=method, **COST)
    with pytest.raises(RecipeError, match="has no scheme"):
        released(people(), method=method).scheme()


@pytest.mark.parametrize(
    "old, new",
    [
        ("format = 1", "format = 2"),
        ("format = 1", ""),
        ("top = 85", "top = 85\ntopp = 3"),
        ("[columns.age]", "[columns.age"),
        ('new = "refuse"', 'new = "drop"'),
        ("widths=5-10-20-40", "widths=5-12"),
    ],
)
def test_a_damaged_scheme_is_refused(saved, old, new):
    with pytest.raises(RecipeError):
        released(people(), scheme=changed(saved, old, new), **COST)


def test_a_scheme_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="can't be read"):
        released(people(), scheme=tmp_path / "none.toml")


@pytest.mark.parametrize(
    "tree", [{"Norway": ["Oslo", "Bergen"], "Italy": ["Rome"]}, "intervals:quantiles=4"]
)
def test_a_hierarchy_that_tells_of_the_data_is_no_part_of_a_scheme(tree, tmp_path):
    column = "city" if isinstance(tree, dict) else "age"
    release = released(people(), hierarchies={column: tree})
    with pytest.raises(RecipeError, match="can't be part of a scheme"):
        release.write(tmp_path / "out.csv", scheme=tmp_path / "bands.toml")
    assert list(tmp_path.iterdir()) == []


def test_hierarchy_files_are_found_beside_the_scheme(tmp_path, monkeypatch):
    folder = tmp_path / "schemes"
    folder.mkdir()
    write(folder / "city.csv", "Oslo;Norway;*\nBergen;Norway;*\nRome;Italy;*\n")
    release = released(people(), hierarchies={"city": str(folder / "city.csv")})
    release.write(tmp_path / "out.csv", scheme=folder / "bands.toml")
    assert 'hierarchy = "city.csv"' in (folder / "bands.toml").read_text()
    monkeypatch.chdir(tmp_path)
    again = released(people(), scheme=folder / "bands.toml")
    assert again.table.equals(release.table)


# --- what it holds


@settings(max_examples=20, deadline=None)
@given(
    names=some.lists(some.text("abcdeé' \"=.", min_size=1, max_size=4), min_size=8, max_size=30),
    k=some.integers(1, 4),
)
def test_it_holds_no_value_that_the_release_does_not_show(names, k):
    release = released(pa.table({"x y": names}), quasi=["x y"], k=k, effort="low")
    scheme = release.scheme()
    shown = set(release.table["x y"].to_pylist())
    listed = scheme.columns["x y"].values
    assert listed is not None
    assert all(
        value in shown or f'"{value.replace(chr(34), chr(34) * 2)}"' in shown for value in listed
    )
    assert tomllib.loads(scheme.to_toml())["columns"]["x y"]["values"] == list(listed)


# --- at the terminal


def test_it_is_saved_and_followed_at_the_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = people()
    lines = [",".join(map(str, row.values())) for row in table.to_pylist()]
    write(tmp_path / "a.csv", "\n".join([",".join(table.column_names), *lines]) + "\n")
    asked = ["-q", "age,city,zip", "-k", 5, "--method", "banded", "--seed", 1]
    trees = ["--hierarchy", "zip=masks:length=5"]
    said = typed("anonymize", "a.csv", "-o", "b.csv", *asked, *trees, "--save-scheme", "s.toml")
    assert said.code == 0, said.err
    said = typed("anonymize", "a.csv", "-o", "c.csv", *asked, "--scheme", "s.toml")
    assert said.code == 0, said.err
    assert (tmp_path / "b.csv").read_text() == (tmp_path / "c.csv").read_text()
    asked = ["-q", "age,city", "-k", 5, "--method", "banded"]
    assert typed("anonymize", "a.csv", "-o", "d.csv", *asked, "--scheme", "s.toml").code == 2
    asked = ["-q", "age,city", "-k", 5]
    assert typed("anonymize", "a.csv", "-o", "d.csv", *asked, "--save-scheme", "t.toml").code == 2
    assert not (tmp_path / "d.csv").exists()
    assert not (tmp_path / "t.toml").exists()


# --- one level for all rows


def one_level(table: pa.Table, **asked):
    return released(table, **{"method": "full-domain", "withhold": 0.2, **asked})


def test_levels_of_a_global_recoding_are_those_of_its_scheme(tmp_path):
    coarse = one_level(people(), k=30)
    coarse.write(tmp_path / "out.csv", scheme=tmp_path / "levels.toml")
    scheme = Scheme.read(tmp_path / "levels.toml")
    levels = {name: column.level for name, column in scheme.columns.items()}
    assert tuple(levels.values()) == coarse.outcome.groups.levels
    # A weaker promise alone would be met by finer cells; the scheme keeps the levels.
    fine = one_level(people(), k=3)
    assert fine.outcome.groups.levels != coarse.outcome.groups.levels
    again = one_level(people(), k=3, scheme=tmp_path / "levels.toml")
    assert again.outcome.groups.levels == coarse.outcome.groups.levels
    assert set(again.table["age"].to_pylist()) >= set(coarse.table["age"].to_pylist())
    assert again.scheme() == scheme


def test_a_table_that_is_not_safe_at_these_levels_is_refused(tmp_path):
    one_level(people(), k=3).write(tmp_path / "out.csv", scheme=tmp_path / "levels.toml")
    with pytest.raises(shoal.errors.PrivacyNotMet):
        one_level(people(40), k=20, scheme=tmp_path / "levels.toml")


def test_levels_mean_nothing_to_a_method_of_many_rungs(tmp_path):
    one_level(people(), k=3).write(tmp_path / "out.csv", scheme=tmp_path / "levels.toml")
    release = released(people(), scheme=tmp_path / "levels.toml")
    assert release.recipe.method == "banded"
