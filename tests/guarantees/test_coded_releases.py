"""Coded columns: no door, method or form publishes a value beyond the ends; `verify` sees it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest

import shoal
from shoal.errors import PrivacyNotMet
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.recipe import Recipe
from shoal.registry import names
from terminal import shoal as run

TOP = 90
ROWS = 120
ASKED = {
    "quasi": ["age", "zone"],
    "sensitive": ["cost"],
    "k": 4,
    "seed": 5,
    "effort": "low",
    "top": {"age": TOP, "cost": 1200},
    "bottom": {"age": 5},
    "round": {"cost": 300},
}


def people(seed: int = 1, rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(seed)
    return pa.table(
        {
            "age": pa.array(rng.integers(0, 110, rows)),
            "zone": pa.array(rng.integers(0, 4, rows)),
            "cost": pa.array(np.round(rng.exponential(600, rows), 2)),
        }
    )


PEOPLE = people()


def ends_in(table: pa.Table, names: list[str]) -> set[str]:
    """All numbers that some columns print, with their marks."""
    texts = {str(text) for name in names for text in table[name].to_pylist()}
    return {end for text in texts for end in text.strip("[]").split(", ")} - {"*", "None"}


def number(end: str) -> float:
    return float(end.removeprefix("<=").removesuffix("+"))


def check(release: shoal.Release) -> None:
    """Nothing beyond the ends, multiples alone, and a certificate that holds."""
    table = release.table
    ages = ends_in(table, [name for name in table.column_names if name.startswith("age")])
    assert all(5 <= number(end) <= TOP for end in ages)
    assert {end for end in ages if "+" in end or "<" in end} <= {"90+", "<=5"}
    costs = ends_in(table, ["cost"])
    assert costs <= {"0", "300", "600", "900", "1200+"}
    found = shoal.verify(table, release.certificate)
    assert found.holds
    said = [item.what for item in found.items if "coded" in item.what]
    assert said == ["'age' is published as coded", "'cost' is published as coded"]


@pytest.mark.parametrize("method", sorted(names(Method)))
def test_no_method_publishes_beyond_the_ends(method):
    check(shoal.anonymize(PEOPLE, **ASKED, method=method))


@pytest.mark.parametrize("publish", ["snapped", "tight", "bounds", "centre"])
def test_no_form_publishes_beyond_the_ends(publish):
    check(shoal.anonymize(PEOPLE, **ASKED, method="mondrian", publish=publish))


@pytest.mark.parametrize("method", sorted(names(Overlap)))
def test_overlapping_boxes_pass_no_end_either(method):
    asked = {**ASKED, "quasi": ["age", "zone"], "method": method}
    release = shoal.anonymize(PEOPLE, **{name: asked[name] for name in asked if name != "effort"})
    ages = ends_in(release.table, ["age"])
    assert all(5 <= number(end) <= TOP for end in ages)
    assert "90+" in ages and "<=5" in ages
    assert shoal.verify(release.table, release.certificate, original=PEOPLE).holds


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("age", "[80, 97]"),
        ("age", "[80, 90]"),
        ("age", "97"),
        ("age", "95+"),
        ("cost", "1200"),
        ("cost", "310"),
        ("cost", "4800"),
        ("cost", "1500+"),
    ],
)
def test_what_lies_beyond_the_ends_is_seen_later(column, cell):
    release = shoal.anonymize(PEOPLE, **ASKED, method="mondrian")
    place = release.table.column_names.index(column)
    first = release.table[column].to_pylist()[0]
    told = [cell if text == first else text for text in release.table[column].to_pylist()]
    forged = release.table.set_column(place, column, pa.array(told))
    found = shoal.verify(forged, release.certificate)
    differs = [item.what for item in found.items if item.status == "differs"]
    assert f"'{column}' is published as coded" in differs


def test_the_gate_refuses_what_a_broken_coding_would_publish(monkeypatch):
    monkeypatch.setattr("shoal.declare.coding.Coding.written", lambda coding, text: text)
    with pytest.raises(PrivacyNotMet, match="coding does not allow"):
        shoal.anonymize(PEOPLE, **ASKED, method="mondrian")


def test_models_work_on_the_coded_position():
    models = ["k-e(e=300)", "t-closeness(t=0.8,distance=ordered)"]
    release = shoal.anonymize(PEOPLE, **ASKED, models=models)
    stated = {model.model: model.measured for model in release.certificate.public.models}
    assert 300 <= stated["k-e"] <= 1200
    assert shoal.verify(release.table, release.certificate).holds
    audited = shoal.audit(release.table, quasi=["age", "zone"], sensitive=["cost"])
    assert audited.models["k-e"]["cost"] >= 300


def test_a_percentile_is_published_as_its_number_and_repeats():
    asked = {**ASKED, "top": {"age": "p95", "cost": "p95"}}
    release = shoal.anonymize(PEOPLE, **asked)
    top = release.certificate.public.recipe["top"]
    assert top["age"] % 5 == 0 and top["cost"] % 300 == 0
    assert release.recipe.top == top
    again = shoal.anonymize(PEOPLE, recipe=release.recipe, seed=5)
    assert again.certificate.public.hash == release.certificate.public.hash
    on_disk = shoal.anonymize(PEOPLE, **asked, engine="disk")
    assert on_disk.recipe == release.recipe


def test_tables_with_equal_releases_have_equal_public_recipes():
    """Whoever is 91 or 109 is published alike, and the certificate says nothing else."""
    older = PEOPLE.set_column(
        0, "age", pa.array([109 if age > TOP else age for age in PEOPLE["age"].to_pylist()])
    )
    one, other = (shoal.anonymize(table, **ASKED) for table in (PEOPLE, older))
    assert one.certificate.public.as_dict() == other.certificate.public.as_dict()


def test_coding_is_the_remedy_for_a_kept_column():
    table = PEOPLE.append_column("weight", pa.array(np.linspace(40, 139.5, ROWS)))
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(table, **ASKED, keep=["weight"])
    asked = {**ASKED, "round": {"cost": 300, "weight": 50}}
    release = shoal.anonymize(table, **asked, keep=["weight"])
    assert set(release.table["weight"].to_pylist()) <= {50.0, 100.0, 150.0}


def test_people_of_a_population_are_coded_too():
    everyone = pa.concat_tables([PEOPLE, people(2)]).select(["age", "zone"])
    asked = {**ASKED, "round": {"cost": 300, "zone": 3}}
    release = shoal.anonymize(PEOPLE, **asked, population=everyone)
    assert shoal.verify(release.table, release.certificate, population=everyone).holds
    found = shoal.attack(release.table, original=PEOPLE, certificate=release.certificate)
    assert found.holds


def command(folder: Path, *more: str) -> tuple[int, str]:
    source = folder / "people.csv"
    if not source.exists():
        named = PEOPLE.append_column("job", pa.array(["nurse", "cook"] * (ROWS // 2)))
        pcsv.write_csv(named, source)
    words = ["anonymize", source, "-o", folder / "out.csv", "-q", "age,zone", "-s", "cost"]
    said = run(*words, "-k", "4", "--seed", "5", "--effort", "low", *more)
    return said.code, said.err


def test_the_terminal_takes_and_saves_codings(tmp_path):
    more = ["--top", "age=p95", "--top", "cost=1200", "--bottom", "age=5", "--round", "cost=300"]
    code, words = command(tmp_path, *more, "--save-recipe", str(tmp_path / "recipe.toml"))
    assert code == 0, words
    saved = Recipe.read(tmp_path / "recipe.toml")
    assert isinstance(saved.top["age"], int) and saved.top["cost"] == 1200
    assert saved.round == {"cost": 300} and saved.bottom == {"age": 5}
    certificate = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert certificate["recipe"]["top"] == saved.top
    assert run("verify", tmp_path / "out.csv", tmp_path / "out.csv.certificate.json").code == 0
    assert "rows" in words and "90" not in certificate.get("notices", "")


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--top", "age=5", "--bottom", "age=9"], 2, "must lie above its bottom"),
        (["--top", "age=p101"], 2, "top of 'age'"),
        (["--top", "age=nan"], 2, "top of 'age'"),
        (["--top", "age="], 2, "top of 'age'"),
        (["--top", "age"], 2, "COLUMN=VALUE"),
        (["--top", "nobody=5"], 2, "neither quasi-identifier, sensitive nor kept"),
        (["--top", "job=5"], 2, "neither quasi-identifier, sensitive nor kept"),
        (["--keep", "job", "--top", "job=5"], 2, "neither numbers nor dates"),
        (["--keep", "job", "--top", "job=p99"], 2, "neither numbers nor dates"),
        (["--keep", "nobody", "--top", "nobody=p99"], 2, "no column 'nobody'"),
        (["--round", "cost=0"], 2, "round of 'cost'"),
        (["--round", "cost=-1"], 2, "round of 'cost'"),
        (["--round", "cost=nan"], 2, "round of 'cost'"),
        (["--round", "cost=much"], 2, "must be a number"),
        (["--round", "zone=0.75"], 2, "can't hold the coded values"),
        (["--top", "age=2000-01-01"], 2, "it holds numbers"),
        (["--top", "age=90", "--hierarchy", "age=intervals:width=10"], 2, "has a hierarchy"),
        (["--round", "cost=1e-14"], 3, "too large to be rounded"),
    ],
)
def test_bad_codings_are_one_clear_error(tmp_path, more, code, words):
    found, said = command(tmp_path, *more)
    assert (found, words in said) == (code, True), said
    assert not (tmp_path / "out.csv").exists()
