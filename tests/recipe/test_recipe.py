"""Recipes: plain data that survives TOML, shows all its faults at once, and repeats a release."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as door
from shoal.errors import DataError, RecipeError
from shoal.recipe import SECTIONS, Recipe, hierarchy_of
from terminal import shoal, write

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=8)
TREES = st.recursive(
    st.none() | st.lists(NAMES, min_size=1, max_size=3),
    lambda below: st.dictionaries(NAMES, below, min_size=1, max_size=3),
    max_leaves=6,
)
SPECS = st.sampled_from(
    ["flat", "none", "masks:length=5", "intervals(width=0.5)", "no/such/file.csv"]
) | st.dictionaries(NAMES.filter(lambda name: name != "kind"), TREES, min_size=1, max_size=3)


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    columns = draw(st.lists(NAMES, min_size=4, max_size=9, unique=True))
    quasi = columns[:2]
    asked: dict[str, object] = {
        "quasi": quasi,
        "sensitive": columns[2:3],
        "identifiers": columns[3:4],
        "keep": columns[4:],
        "force_keep": columns[4:5],
        "k": draw(st.integers(1, 10**6)),
        "models": draw(
            st.lists(st.sampled_from(["l-diversity(l=2)", "l-diversity:l=3"]), max_size=2)
        ),
        "withhold": draw(st.floats(0, 1, exclude_max=True)),
        "missing": draw(st.sampled_from(["own", "refuse"])),
        "method": draw(
            st.sampled_from(["k-member", "k-member:seed_rule=last-added", "mondrian(relaxed=true)"])
        ),
        "loss": draw(st.none() | st.just("height")),
        "importance": draw(st.dictionaries(st.sampled_from(quasi), st.floats(1e-9, 1e9))),
        "publish": draw(
            st.sampled_from(["tight", "snapped"])
            | st.fixed_dictionaries({quasi[0]: st.just("tight")})
        ),
        "keep_order": draw(st.booleans()),
        "hierarchies": draw(st.dictionaries(st.sampled_from(quasi), SPECS)),
    }
    return Recipe.of(**{name: value for name, value in asked.items() if value is not None})


def no_nones(spec: object) -> object:
    """A name with nothing below it is a value, however the nothing is written."""
    if isinstance(spec, dict):
        return {name: no_nones(below) for name, below in spec.items()}
    return [] if spec is None else spec


def plain(recipe: Recipe) -> dict[str, object]:
    asked = recipe.as_dict()
    return {**asked, "hierarchies": no_nones(asked.get("hierarchies", {}))}


@given(recipes())
@settings(max_examples=50)
def test_a_recipe_survives_toml(tmp_path_factory, recipe):
    path = tmp_path_factory.mktemp("r") / "recipe.toml"
    path.write_bytes(recipe.to_toml().encode())
    assert plain(Recipe.read(path)) == plain(recipe)


@given(recipes(), st.integers(0, 2**63))
@settings(max_examples=30)
def test_a_saved_recipe_holds_no_seed(recipe, seed):
    asked = {**recipe.as_dict(), "seed": seed}
    assert Recipe.of(**asked).seed == seed
    assert Recipe.of(**asked).to_toml() == recipe.to_toml()
    assert "seed" not in tomllib.loads(recipe.to_toml()).get("grouping", {})


def test_every_field_has_a_section():
    assert {name for names in SECTIONS.values() for name in names} | {"hierarchies"} == set(
        Recipe.__struct_fields__
    )


def test_schema():
    schema = Recipe.schema()
    properties = schema["$defs"]["Recipe"]["properties"]
    assert set(properties) == set(Recipe.__struct_fields__)
    assert properties["k"]["minimum"] == 1 and properties["k"]["default"] == 5
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"k": 0}, "k is not right"),
        ({"k": "5"}, "k is not right"),
        ({"k": 5.5}, "k is not right"),
        ({"k": True}, "k is not right"),
        ({"kk": 5}, "did you mean 'k'?"),
        ({"withhold": 1.01}, "withhold"),
        ({"withhold": float("nan")}, "withhold"),
        ({"importance": {"age": float("inf")}}, "importance"),
        ({"importance": {"age": 0}}, "importance"),
        ({"seed": -1}, "seed"),
        ({"missing": "wildcard"}, "missing"),
        ({"quasi": "age"}, "quasi is not right: expected a list, got text"),
        ({"publish": 3}, "publish"),
    ],
)
def test_bad_values(asked, words):
    with pytest.raises(RecipeError) as refusal:
        Recipe.of(**{"quasi": ["age"], **asked})
    assert words in str(refusal.value)
    assert "`" not in str(refusal.value)  # no types of other people's libraries


def test_all_faults_are_shown_at_once():
    with pytest.raises(RecipeError) as refusal:
        Recipe.of(
            quasi=["age", "age"],
            sensitive=["age"],
            k=0,
            method="kmember",
            publish="x",
            models=["y"],
            nothing=1,
        )
    assert str(refusal.value).count("\n- ") == 7


def test_bounds_that_would_have_a_name_that_is_taken():
    for role in ("sensitive", "keep", "quasi"):
        asked = {
            "quasi": ["age"],
            "publish": {"age": "bounds"},
            **({role: ["age_hi"]} if role != "quasi" else {}),
        }
        asked = {**asked, "quasi": ["age", "age_hi"]} if role == "quasi" else asked
        with pytest.raises(RecipeError, match="'age_hi', which is another column"):
            Recipe.of(**asked).plan()
    Recipe.of(
        quasi=["age"], identifiers=["age_lo"], publish="bounds"
    ).plan()  # dropped: nothing collides


def test_numbers_of_numpy_are_numbers():
    recipe = Recipe.of(quasi=["age"], k=np.int64(3), withhold=np.float64(0.5), seed=np.int32(7))
    assert (recipe.k, recipe.withhold, recipe.seed) == (3, 0.5, 7)


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("masks:length=5", "masks"),
        ("flat", "flat"),
        ("x.csv", "file"),
        ({"a": ["b"]}, "nested"),
        ({"kind": "dates"}, "dates"),
    ],
)
def test_hierarchies_by_what_is_written(spec, kind):
    assert hierarchy_of(spec).name == kind


def test_no_hierarchy():
    assert hierarchy_of("none") is None and hierarchy_of(None) is None


def test_a_file_called_like_a_kind_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "masks", "a;*\n")
    assert hierarchy_of("masks").name == "file"


TABLE = pa.table(
    {
        "age": [i * 7 % 53 for i in range(60)],
        "city": list("abcdef") * 10,
        "ill": [f"d{i * i % 11 % 4}" for i in range(60)],
    }
)
TREE = {"west": ["a", "b"], "east": {"far": ["c", "d"], "e": None}, "f": None}


def test_a_saved_recipe_and_its_seed_repeat_the_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    write(tmp_path / "city.csv", "a;w;*\nb;w;*\nc;e;*\nd;e;*\ne;e;*\nf;f;*\n")
    for hierarchy in ("city.csv", door.Hierarchy.nested(TREE), door.Hierarchy.flat()):
        first = door.anonymize(
            TABLE,
            quasi=["age", "city"],
            sensitive="ill",
            k=3,
            models=["l-diversity(l=2)"],
            hierarchies={"city": hierarchy},
            method="k-member:seed_rule=last-added",
            importance={"age": 2},
            publish={"age": "bounds"},
            withhold=0.1,
        )
        first.write("deep/out.csv", recipe="deep/er/saved.toml", force=True)
        seed = first.certificate.private.seed
        again = door.anonymize(TABLE, recipe="deep/er/saved.toml", seed=seed)
        assert np.array_equal(first.groups, again.groups)
        assert first.certificate.public.hash == again.certificate.public.hash
        (tmp_path / "elsewhere").mkdir(exist_ok=True)
        monkeypatch.chdir(
            tmp_path / "elsewhere"
        )  # hierarchy files are found from the recipe, wherever one stands
        assert door.anonymize(
            TABLE, recipe=Path("../deep/er/saved.toml"), seed=seed
        ).certificate.public.hash
        monkeypatch.chdir(tmp_path)


def test_a_recipe_with_a_seed_is_repeated_at_the_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "t.csv",
        "age,city\n" + "".join(f"{i * 7 % 53},{'abc'[i % 3]}\n" for i in range(40)),
    )
    assert (
        shoal(
            "anonymize",
            "t.csv",
            "-o",
            "a.csv",
            "-q",
            "age,city",
            "-k",
            4,
            "--seed",
            5,
            "--save-recipe",
            "r.toml",
        ).code
        == 0
    )
    assert shoal("anonymize", "t.csv", "-o", "b.csv", "--recipe", "r.toml", "--seed", 5).code == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert (
        shoal("anonymize", "t.csv", "-o", "c.csv", "--recipe", "r.toml", "-k", 8).code == 0
    )  # what is typed wins
    assert shoal("audit", "c.csv", "-q", "age,city", "--require", "k=8").code == 0


def test_what_is_given_beside_a_recipe_wins():
    recipe = Recipe.of(quasi=["age"], k=2)
    assert door.anonymize(TABLE, recipe=recipe, k=20).certificate.public.k >= 20
    assert door.anonymize(TABLE, recipe=recipe).recipe is recipe
    assert door.anonymize(TABLE, recipe=recipe, quasi="city").recipe.quasi == ("city",)


def test_no_recipe(tmp_path):
    with pytest.raises(DataError):
        Recipe.read(tmp_path / "none.toml")


@pytest.mark.parametrize("words", ["agee=999", {"agee": 999}, ["NA", "agee=999"]])
def test_words_for_missing_of_a_column_without_a_role_are_refused(words: Any) -> None:
    """`agee=999` was taken as a word that no cell holds."""
    people = pa.table({"age": [1, 2, 999], "sex": ["f", "f", "f"]})
    with pytest.raises(RecipeError, match="did you mean 'age'") as refused:
        door.anonymize(people, quasi=["age"], k=2, na=words)
    assert "words for missing are named for 'agee'" in str(refused.value)


def test_words_for_missing_may_hold_an_equals_sign() -> None:
    """`=` in front is a word of all columns; behind a column it belongs to the word."""
    assert Recipe.of(quasi=["age"], na=["=", "age=a=b"]).problems() == []
