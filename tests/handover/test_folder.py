"""Handing over: folders are whole or not there, archives hold what is public, commands and recipes
make such a release.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as door
from conftest import data_file
from shoal.adapters import files
from shoal.adapters.demo_data import patients
from shoal.adapters.keys import make_keys
from shoal.adapters.signing import Signer
from shoal.cli.demo import RECIPE
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.handover.commands import python_lines, released_name, terminal_command
from shoal.handover.folder import Handed, following, handed, named_beside, run_in_trees
from shoal.recipe import Recipe
from terminal import PATIENCE, shoal, snapshot

SEED = 918_273_645
QUASI = ["age", "workclass", "education", "sex", "native-country"]


def adult() -> pa.Table:
    return pq.read_table(data_file("adult.parquet")).slice(0, 1500)


@cache
def demo() -> door.Release:
    return door.anonymize(patients().slice(0, 1000), **RECIPE, seed=SEED)


def raw(release: Any) -> pa.Table:
    """The table that one of these is made of."""
    return patients().slice(0, 1000) if release is demo else adult()


def of_adult(**more: Any) -> door.Release:
    trees = {
        name: str(data_file(f"hierarchies/adult_arx/{name}.csv")) for name in QUASI if name != "age"
    }
    asked = {
        "quasi": QUASI,
        "sensitive": "occupation",
        "hierarchies": trees,
        "k": 7,
        "models": ["l-diversity:l=2"],
    }
    return door.anonymize(adult(), **{**asked, **more}, seed=SEED)


def asked_of(certificate: Path) -> Recipe:
    return plainly(Recipe.of(**json.loads(certificate.read_text())["recipe"]))


def typed(command: str) -> list[str]:
    """The words behind `shoal`, as a shell takes a command apart."""
    told = subprocess.run(
        ["bash", "-c", f"shoal() {{ printf '%s\\0' \"$@\"; }}; {command}"],
        capture_output=True,
        check=True,
    )
    return told.stdout.decode().split("\0")[:-1]


def plainly(recipe: Recipe) -> Recipe:
    """The same with a way to publish for each column, as the terminal spells it out."""
    ways = (
        recipe.publish
        if isinstance(recipe.publish, dict)
        else dict.fromkeys(recipe.quasi, recipe.publish)
    )
    return msgspec.structs.replace(
        recipe, publish={name: ways.get(name, "snapped") for name in recipe.quasi}
    )


@pytest.mark.parametrize("release", [demo, of_adult])
def test_public_and_private_halves(release, tmp_path):
    made = release()
    found = handed(made, raw(release), tmp_path / "out", "people.csv", all_trees=True)
    public = snapshot(found.public)
    private = snapshot(found.private)
    trees = {name for name in public if name.startswith("hierarchies/")}
    assert set(public) - trees == {
        "people.csv",
        "people.csv.certificate.json",
        "recipe.toml",
        "report.html",
    }
    assert (
        set(private) == {"people.csv.private.json", "report.html"}
        and found.release == found.public / "people.csv"
    )
    with zipfile.ZipFile(found.pack(tmp_path / "out.zip")) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == public
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
    assert not any(
        str(SEED).encode() in held or b"squared-error" in held for held in public.values()
    )
    assert not list(tmp_path.glob(".*"))
    assert door.verify(
        found.release, f"{found.release}.certificate.json", hierarchies=trees_in(found)
    ).holds


def trees_in(found: Handed) -> dict[str, Path]:
    return {path.stem: path for path in (found.public / "hierarchies").glob("*.csv")}


@pytest.mark.parametrize("release", [demo, of_adult])
def test_the_recipe_runs_from_its_folder(release, tmp_path):
    made = release()
    found = handed(made, raw(release), tmp_path / "out", "people.csv", all_trees=True)
    recipe = Recipe.read(found.public / "recipe.toml")
    assert recipe.seed is None and (recipe.k, recipe.quasi, recipe.models) == (
        made.recipe.k,
        made.recipe.quasi,
        made.recipe.models,
    )
    again = door.anonymize(raw(release), recipe=recipe, seed=SEED)
    assert again.certificate.public.hash == made.certificate.public.hash


@pytest.mark.parametrize(
    ("release", "name"),
    [
        (demo, "my patients.csv"),
        (of_adult, "-adult.parquet"),
        (lambda: of_adult(**MORE), "adult.csv"),
    ],
    ids=["demo", "adult", "more options"],
)
def test_what_is_typed_makes_such_a_release(release, name, tmp_path, monkeypatch):
    made = release()
    found = handed(made, raw(release), tmp_path / "out", "people.csv", all_trees=True)
    monkeypatch.chdir(found.public)
    files.write(raw(release), found.public / name)
    beside = named_beside(made.recipe)
    words = shlex.split(terminal_command(beside, name, "typed.csv"))
    assert words[0] == "shoal" and shoal(*words[1:]).code == 0
    exec(python_lines(beside, name, "lines.csv"), {})
    wanted = asked_of(found.public / "people.csv.certificate.json")
    # What was written down in the recipe stands in a file by now.
    by_now = {
        name: f"{name}.csv" if spec == "nested" else spec
        for name, spec in wanted.hierarchies.items()
    }
    wanted = msgspec.structs.replace(wanted, hierarchies=by_now)
    assert str(SEED) not in " ".join(words) + python_lines(beside, name, "lines.csv")
    for typed in ("typed.csv", "lines.csv"):
        assert asked_of(found.public / f"{typed}.certificate.json") == wanted


MORE: dict[str, Any] = {
    "withhold": 0.25,
    "publish": {"age": "bounds"},
    "importance": {"age": 2.5, "sex": 1},
    "loss": "leaf-share",
    "effort": "low",
    "missing": "own",
    "population": 50_000,
    "method": "mondrian:relaxed=true",
    "refine": True,
    "keep_order": True,
    "identifiers": ["race"],
    "keep": "income",
    "force_keep": "income",
}


def test_odd_names_are_typed_or_left_to_the_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    names = ['a,"b', "it's", "x=y", "--z"]
    table = pa.table({name: rng.integers(0, 9, 30) for name in names})
    files.write(table, tmp_path / "odd names.csv")
    for number, asked in enumerate(
        (
            {"quasi": names},
            {"quasi": names, "importance": {"x=y": 2}},
            {"quasi": names, "publish": {"x=y": "tight"}},
        )
    ):
        recipe = Recipe.of(**asked, k=2)
        (tmp_path / "recipe.toml").write_text(recipe.to_toml())
        words = shlex.split(terminal_command(recipe, "odd names.csv", f"{number}.csv"))
        assert ("--recipe" in words) == ("publish" in asked)
        assert shoal(*words[1:]).code == 0 and asked_of(
            tmp_path / f"{number}.csv.certificate.json"
        ) == plainly(recipe)


@pytest.mark.parametrize(
    "reading",
    [{"encoding": "latin-1"}, {"delimiter": "\t", "encoding": "cp1252"}, {"delimiter": "|"}],
)
def test_what_is_typed_reads_a_file_as_it_was_read(reading, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    towns = ["Zürich", "Genève"] if "encoding" in reading else ["Bern", "Chur"]
    rows = [("age", "town"), *((str(age), towns[age % 2]) for age in range(20))]
    text = "".join(f"{reading.get('delimiter', ',').join(row)}\n" for row in rows)
    (tmp_path / "p.csv").write_bytes(text.encode(reading.get("encoding", "utf-8")))
    recipe = Recipe.of(quasi=["age"], sensitive=["town"], k=2)
    assert shoal(*typed(terminal_command(recipe, "p.csv", "typed.csv", reading=reading))).code == 0
    exec(python_lines(recipe, "p.csv", "lines.csv", reading=reading), {})
    for name in ("typed.csv", "lines.csv"):
        assert set(files.read(tmp_path / name)["town"].to_pylist()) == set(towns)


def test_of_a_database_python_names_the_table():
    lines = python_lines(
        Recipe.of(quasi=["age"]), "sqlite:///p.db", "out.csv", reading={"table": "people"}
    )
    assert 'shoal.anonymize(\n    "sqlite:///p.db",\n    table="people",\n' in lines


@pytest.mark.parametrize("sign", ["\x1b[201~", "\x03", "\x7f", "\x9b", "\u202e", "\n", "\t"])
def test_no_key_is_pressed_by_what_is_pasted(sign):
    name = f"a{sign}'\\; touch x"
    for asked in (
        {"quasi": [name]},
        {"sensitive": [name]},
        {"person": name},
        {"weight": name},
        {"hierarchies": {"a": f"{name}.csv"}},
        {"quasi": [name], "importance": {name: 2}},
        {"quasi": [name], "publish": {name: "tight"}},
        {},
    ):
        recipe = Recipe.of(**{"quasi": ["a"], "k": 2, **asked})
        command = terminal_command(recipe, "p.csv", "out.csv", reading={"table": name})
        assert command.isprintable() and ("--recipe" in command) == bool(asked)
        lines = python_lines(recipe, "p.csv", "out.csv", reading={"table": name})
        assert all(line.isprintable() for line in lines.split("\n"))
    assert typed(command)[:4] == ["anonymize", "p.csv", "--table", name]


def test_a_tree_in_the_recipe_is_not_typed():
    recipe = Recipe.of(**RECIPE)
    assert (
        terminal_command(recipe, "p.csv", "out.csv")
        == "shoal anonymize p.csv -o out.csv --recipe recipe.toml"
    )
    assert 'recipe="recipe.toml",' in python_lines(recipe, "p.csv", "out.csv")
    plain = Recipe.of(quasi=["age"], sensitive=["ill"], seed=3)
    assert (
        terminal_command(plain, "p.csv", "out.csv")
        == "shoal anonymize p.csv -o out.csv -q age -s ill -k 5"
    )
    assert python_lines(plain, "p.csv", "out.csv") == (
        'import shoal\n\nrelease = shoal.anonymize(\n    "p.csv",\n    quasi=["age"],\n    '
        'sensitive=["ill"],\n    k=5,\n)\n'
        'release.write("out.csv")\n'
    )


def test_nothing_taken_from_the_data_is_handed_over(tmp_path):
    ages = [731_003, 731_017, 731_029, 731_048, 731_055, 731_072] * 5
    people = pa.table({"age": ages, "pay": [one + 0.5 for one in ages]})
    asked = {
        "quasi": ["age", "pay"],
        "hierarchies": {"age": "intervals(quantiles=3)"},
        "k": 5,
        "seed": SEED,
    }
    found = handed(door.anonymize(people, **asked), people, tmp_path / "out", "out.csv")
    text = (found.public / "recipe.toml").read_text()
    assert (
        "intervals(quantiles=3)" in text
        and "7310" not in text
        and "edges" not in text
        and "seed" not in text
    )


def test_another_form_of_the_same(tmp_path):
    first = handed(demo(), raw(demo), tmp_path / "one", "people.parquet")
    other = first.again(tmp_path / "two", "mine.csv")
    assert set(snapshot(other.public)) == {
        "mine.csv",
        "mine.csv.certificate.json",
        "recipe.toml",
        "report.html",
    }
    assert (
        # the tree of the recipe lists nationalities of fewer than k people
        set(snapshot(other.private))
        == {"mine.csv.private.json", "report.html", "hierarchies/nationality.csv"}
        and other.release.name == "mine.csv"
    )
    assert door.verify(other.release, f"{other.release}.certificate.json").holds


def test_a_form_that_lost_something_does_not_appear(tmp_path, monkeypatch):
    first = handed(demo(), raw(demo), tmp_path / "one", "people.parquet")
    write = files.write
    monkeypatch.setattr(files, "write", lambda table, place: write(table.slice(1), place))
    with pytest.raises(ShoalError, match="does not hold the release"):
        first.again(tmp_path / "two", "mine.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]


def test_whole_or_not_at_all(tmp_path, monkeypatch):
    made = demo()
    (tmp_path / "there").mkdir()
    with pytest.raises(RecipeError, match="exists"):
        handed(made, raw(demo), tmp_path / "there")
    with pytest.raises(DataError, match="no folder"):
        handed(made, raw(demo), tmp_path / "no" / "out")
    monkeypatch.setattr(
        door.Release, "report", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full"))
    )
    with pytest.raises(OSError):
        handed(made, raw(demo), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


KILLED = """
import os, sys
from pathlib import Path
from shoal.handover import folder
place = Path(sys.argv[1])
appearing = folder._appearing(place / "out")
made = appearing.__enter__()
made.public.mkdir()
(made.public / "released.csv").write_text("age")
folder.os.replace = lambda *_: os.kill(os.getpid(), 9)
made.pack(place / "out.zip")
"""


def test_a_killed_hand_over_is_cleaned_by_the_next(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], timeout=PATIENCE, check=False
    )
    assert done.returncode == -9
    assert len([*tmp_path.iterdir()]) == 2
    handed(demo(), raw(demo), tmp_path / "out").pack(tmp_path / "out.zip")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.zip"]


def test_formulas_stay_out_of_csv(tmp_path):
    people = pa.table({"age": [1, 2, 3, 4] * 5, "note": ["=1+1", "fine", "@x", "good", "well"] * 4})
    made = door.anonymize(people, quasi="age", sensitive="note", k=2, force_keep="note")
    with pytest.raises(DataError, match="8 texts would be run"):
        handed(made, people, tmp_path / "out", "out.csv")
    assert not list(tmp_path.iterdir())
    found = handed(made, people, tmp_path / "out", "out.parquet")
    with pytest.raises(DataError, match="8 texts"):
        found.again(tmp_path / "two", "out.csv")


def test_hierarchies_of_columns_that_can_not_be_files(tmp_path):
    (tmp_path / "t.csv").write_text("1;low;*\n2;low;*\n3;high;*\n4;high;*\n")
    names = ["a/b", "a_b", "..", "A_B"]
    table = pa.table({name: [1, 2, 3, 4] * 3 for name in names})
    asked = {"quasi": names, "hierarchies": dict.fromkeys(names, str(tmp_path / "t.csv")), "k": 2}
    found = handed(door.anonymize(table, **asked), table, tmp_path / "out")
    recipe = Recipe.read(found.public / "recipe.toml")
    assert (
        len(set(recipe.hierarchies.values())) == 4
        and len(list((found.public / "hierarchies").iterdir())) == 4
    )
    assert all(
        Path(str(path)).parent == found.public / "hierarchies"
        for path in recipe.hierarchies.values()
    )
    typed = named_beside(msgspec.structs.replace(recipe, seed=4))
    assert typed.seed is None and typed.hierarchies["a/b"] == "hierarchies/a_b.csv"


def test_names_of_releases():
    assert (
        released_name("patients.csv") == "patients.released.csv"
        and released_name("x", ".arrow") == "x.released.arrow"
    )
    assert released_name("a.b.parquet", ".csv") == "a.b.released.csv"


def test_hierarchies_that_follow_the_table_stay_at_home(tmp_path):
    (tmp_path / "age.csv").write_text(
        "".join(f"{age};[731000, 731099];*\n" for age in (731_003, 731_017, 731_029))
    )
    (tmp_path / "town.csv").write_text("Oslo;north;*\nRome;south;*\nNobody;south;*\n")
    ages = [731_003, 731_017] * 10 + [731_029]
    towns = ["Oslo", "Rome", "Rome"] * 7
    trees = {name: str(tmp_path / f"{name}.csv") for name in ("age", "town")}
    people = pa.table({"age": ages, "town": towns})
    made = door.anonymize(people, quasi=["age", "town"], hierarchies=trees, k=3)
    assert following(made, people) == {"age": 1}
    found = handed(made, people, tmp_path / "out")
    assert [path.name for path in (found.public / "hierarchies").iterdir()] == ["town.csv"]
    assert [path.name for path in found.kept_back] == ["age.csv"]
    assert 'age = "hierarchies/age.csv"' in (found.public / "recipe.toml").read_text()
    assert not any(b"731029" in held for held in snapshot(found.public).values())
    known = found.again(tmp_path / "known", "out.csv", all_trees=True)
    assert not known.kept_back and {
        path.name for path in (known.public / "hierarchies").iterdir()
    } == {"age.csv", "town.csv"}
    frequent = pa.table({"age": ages[:-1]})
    assert (
        following(
            door.anonymize(frequent, quasi="age", hierarchies={"age": trees["age"]}, k=3), frequent
        )
        == {}
    )


def of_tree(folder: Path, tree: str, people: pa.Table, **more: Any) -> door.Release:
    (folder / "land.csv").write_text(tree)
    asked = {
        "quasi": ["land"],
        "hierarchies": {"land": str(folder / "land.csv")},
        "k": 5,
        "seed": SEED,
    }
    return door.anonymize(people, **{**asked, **more})


def test_a_made_up_leaf_does_not_make_a_list_public(tmp_path):
    people = pa.table({"land": ["A", "B"] * 10 + ["Rare"]})
    made = of_tree(tmp_path, "A;w;*\nB;w;*\nRare;w;*\nAndorra;w;*\n", people)
    assert following(made, people) == {"land": 1}
    found = handed(made, people, tmp_path / "out", "out.csv")
    assert not any(b"Rare" in held for held in snapshot(found.public).values())


def test_rare_is_what_few_persons_hold(tmp_path):
    lands = ["A", "B"] * 10 + ["R"] * 8
    who = [*range(20), *[20] * 8]
    people = pa.table({"land": lands, "who": who})
    made = of_tree(tmp_path, "A;w;*\nB;w;*\nR;w;*\n", people, person="who")
    assert following(made, people) == {"land": 1}
    apart = pa.table(
        {"land": lands, "who": [*who[:20], *[None] * 8]}
    )  # rows of nobody are persons of their own
    assert following(of_tree(tmp_path, "A;w;*\nB;w;*\nR;w;*\n", apart, person="who"), apart) == {}


@pytest.mark.parametrize("ills", [["flu", "cold", "plague"], [1, 2, 3]])
def test_a_sensitive_value_that_is_shown_nowhere_is_not_listed(ills, tmp_path):
    common, other, rare = ills
    lands = ["A"] * 10 + ["B"] * 10 + ["C"] * 2
    found = [common] * 19 + [other] + [rare] * 2
    people = pa.table(
        {"land": lands, "ill": found}
    )  # few have `other`, and it is shown all the same
    (tmp_path / "ill.csv").write_text("".join(f"{ill};any;*\n" for ill in (*ills, 9)))
    asked = {
        "quasi": "land",
        "sensitive": "ill",
        "hierarchies": {"ill": str(tmp_path / "ill.csv")},
        "k": 5,
    }
    asked |= {
        "models": ["t-closeness:t=1,distance=hierarchical"],
        "method": "threshold:small=withhold",
        "withhold": 0.5,
    }
    made = door.anonymize(people, **asked)
    assert made.certificate.private.withheld == 2 and following(made, people) == {"ill": 1}
    assert [path.name for path in handed(made, people, tmp_path / "out").kept_back] == ["ill.csv"]
    shown = people.slice(0, 20)
    assert following(door.anonymize(shown, **asked), shown) == {}


@pytest.mark.parametrize("known", [True, False])
def test_a_tree_that_a_spreadsheet_would_run_stays_at_home(known, tmp_path):
    people = pa.table({"land": ["A", "B"] * 10})
    made = of_tree(tmp_path, 'A;"=HYPERLINK(""x"")";*\nB;"=HYPERLINK(""x"")";*\n', people, k=10)
    assert run_in_trees(made.recipe) == {"land": 2} and following(made, people) == {}
    found = handed(made, people, tmp_path / "out", "out.parquet", all_trees=known)
    for one in (found, found.again(tmp_path / "again", "out.arrow", all_trees=True)):
        assert [path.name for path in one.kept_back] == ["land.csv"] and not list(
            (one.public / "hierarchies").glob("*")
        )


def test_what_is_handed_over_is_signed_in_each_form(tmp_path: Path) -> None:
    make_keys(tmp_path / "my.key")
    signer = Signer.of(tmp_path / "my.key")
    assert signer is not None
    made = handed(demo(), raw(demo), tmp_path / "first", "released.parquet")
    assert made.signature is None
    made.sign(signer)
    assert made.signature is not None
    public = tmp_path / "my.key.pub"
    assert door.verify(made.release, Path(f"{made.release}.certificate.json"), key=public).signed_by
    packed = zipfile.ZipFile(made.pack(tmp_path / "all.zip")).namelist()
    assert "released.parquet.certificate.sig" in packed
    # Another form is another file, which nobody has signed yet.
    other = made.again(tmp_path / "second", "released.csv")
    assert other.signature is None
    assert not list(other.public.glob("*.sig"))
    other.sign(signer)
    assert door.verify(other.release, f"{other.release}.certificate.json", key=public).signed_by
