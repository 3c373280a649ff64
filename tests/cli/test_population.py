"""`--population` at every door: a number, a fraction, a file; refused where it can't be true."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest

from shoal.adapters import databases, files
from shoal.registry import names
from shoal.review.risks.risk import Risk
from terminal import shoal, write

HEAD = "name,age,sex,disease\n"
ROWS = [f"p{i},{20 + i % 13},{'fm'[i % 2]},{'abcde'[i * i % 5]}\n" for i in range(120)]
ASKED = ("-q", "age,sex", "-s", "disease", "-i", "name", "-k", 4, "--seed", 1)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", HEAD + "".join(ROWS[:40]))
    write(tmp_path / "everyone.csv", HEAD + "".join(ROWS))
    return tmp_path


def audited(*more: object) -> dict:
    said = shoal("audit", "people.csv", "-q", "age,sex", "-s", "disease", "--json", *more)
    assert said.code == 0
    assert set(said.json["risks"]) == set(said.json["baselines"]) == set(names(Risk))
    return said.json["risks"]


def test_an_audit_among_everyone(folder):
    alone = audited()
    some = audited("--population", 0.5)
    few = audited("--population", 80)
    assert some == few
    assert alone["marketer-risk"] is None and alone["population-uniqueness"] is None
    assert some["marketer-risk"] == pytest.approx(alone["average-prosecutor-risk"] / 2)
    assert set(alone["best-guess"]) == {"disease"}
    counted = audited("--population", "everyone.csv")
    assert 0 < counted["marketer-risk"] < alone["average-prosecutor-risk"]


def test_people_read_the_same(folder):
    alone = shoal("audit", "people.csv", "-q", "age,sex", "-s", "disease", "--verbose")
    assert alone.code == 0
    for question in ("singling out", "linkability", "inference", "if it told nothing"):
        assert question in alone.out
    assert "not computable without --population: average-journalist-risk" in alone.out
    assert "best-guess of 'disease'" in alone.out
    among = shoal("audit", "people.csv", "-q", "age,sex", "--population", 0.5, "--verbose")
    assert "not computable without" not in among.out and "marketer-risk" in among.out


@pytest.mark.parametrize(
    ("population", "code"),
    [
        ("0", 2),
        ("-5", 2),
        ("1.5", 2),
        ("nan", 2),
        ("39", 3),
        ("nobody.csv", 3),
        ("strangers.csv", 3),
        ("fewer.csv", 3),
    ],
)
def test_what_can_not_be_true_is_refused(folder, population, code):
    write(folder / "strangers.csv", HEAD + "".join(ROWS[50:90]))
    write(folder / "fewer.csv", "age\n30\n")
    assert shoal("audit", "people.csv", "-q", "age,sex", "--population", population).code == code
    assert (
        shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED, "--population", population).code
        == code
    )
    assert not Path("out.csv").exists()


def test_a_release_its_certificate_and_its_recipe(folder):
    (folder / "lists").mkdir()
    Path("everyone.csv").rename("lists/everyone.csv")
    asked = (
        *ASKED,
        "--population",
        "lists/everyone.csv",
        "--save-recipe",
        "lists/recipe.toml",
        "--json",
    )
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *asked)
    assert said.code == 0
    after = said.json["risks"]["after"]
    assert 0 < after["marketer-risk"] < said.json["risks"]["before"]["marketer-risk"]
    assert 'population = "everyone.csv"' in Path("lists/recipe.toml").read_text()
    certificate = json.loads(Path("out.csv.certificate.json").read_text())
    assert certificate["recipe"]["population"] == "everyone.csv"
    again = shoal(
        "anonymize",
        "people.csv",
        "-o",
        "b.csv",
        "--recipe",
        "lists/recipe.toml",
        "--seed",
        1,
        "--json",
    )
    assert again.json["risks"]["after"] == after
    status = {item["what"]: item["status"] for item in verified().json["items"]}
    assert status["marketer-risk"] == "not checkable" and status["sample-uniqueness"] == "recounted"
    status = {
        item["what"]: item["status"]
        for item in verified("--population", "lists/everyone.csv").json["items"]
    }
    assert status["marketer-risk"] == status["population-uniqueness"] == "recounted"
    certificate["risks"]["marketer-risk"] /= 2
    Path("out.csv.certificate.json").write_text(json.dumps(certificate))
    assert verified().code == 0
    assert verified("--population", "lists/everyone.csv").code == 4


def verified(*more: object):
    return shoal("verify", "out.csv", "out.csv.certificate.json", "--json", *more)


def test_an_address_is_taken_from_the_call_and_never_from_a_recipe_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARD_SECRET", "Zweig-Secret")
    people = pa.table({"age": [20 + i % 9 for i in range(40)], "ill": ["flu", "gout"] * 20})
    files.write(people, "people.csv")
    with databases.Written("sqlite:///all.db", "everyone") as written:
        written.fill(people)
        written.place()
    address = "sqlite:///all.db#everyone"
    for named in (address, "postgresql://u:x@127.0.0.1:1/${WARD_SECRET}#t"):
        text = f'[roles]\nquasi = ["age"]\n[protection]\nk = 4\npopulation = "{named}"\n'
        Path("recipe.toml").write_text(text)
        said = shoal("anonymize", "people.csv", "-o", "out.csv", "--recipe", "recipe.toml")
        assert said.code == 2 and "names a population by its address" in said.err
        assert "Zweig" not in said.err and "WARD" not in said.err and "--population" in said.err
        assert not Path("out.csv").exists()
    asked = ("anonymize", "people.csv", "-o", "out.csv", "--recipe", "recipe.toml")
    assert shoal(*asked, "--population", address).code == 0
    assert "all.db" not in Path("out.csv.certificate.json").read_text()
