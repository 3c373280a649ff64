"""`shoal attack` and `shoal attacks` through the terminal."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal as door
from attacks.people import people
from shoal.errors import PrivacyNotMet
from terminal import shoal, write

ROLES = ("-q", "age,city", "-s", "ill")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(7, 120), "people.parquet")
    said = shoal("anonymize", "people.parquet", "-o", "out.csv", *ROLES, "-k", 4, "--seed", 1)
    assert said.code == 0, said.err
    return tmp_path


def test_roles_come_from_the_certificate_beside_the_release(folder):
    said = shoal("attack", "out.csv", "--original", "people.parquet", "--json")
    assert said.code == 0, said.err
    found = {finding["name"]: finding for finding in said.json["attacks"]}
    assert said.json["holds"] and found["record-linkage"]["conceded"] == 0.25
    assert found["record-linkage"]["attack"] <= 0.25 and found["homogeneity"]["column"] == "ill"


def test_figures_words_and_remedies_are_shown(folder):
    said = shoal("attack", "out.csv", "--original", "people.parquet", "--verbose")
    assert said.code == 0 and "95 % interval" in said.out and "what would stop it" in said.out
    assert "not possible without another release" in said.out


def test_a_table_published_as_it_is_exits_with_4(folder):
    said = shoal("attack", "people.parquet", "--original", "people.parquet", *ROLES, "-k", 4)
    assert said.code == 4 and "attacks succeed" in said.err and "record-linkage" in said.err
    with pytest.raises(PrivacyNotMet):
        door.attack(
            "people.parquet", original="people.parquet", quasi=["age", "city"], sensitive="ill", k=4
        ).require()


def test_one_attack_with_parameters(folder):
    said = shoal(
        "attack",
        "out.csv",
        "--original",
        "people.parquet",
        "--attack",
        "background-knowledge:values=2",
        "--json",
    )
    assert said.code == 0 and [finding["name"] for finding in said.json["attacks"]] == [
        "background-knowledge"
    ]
    said = shoal("attack", "out.csv", "--original", "people.parquet", "--attack", "homogenity")
    assert said.code == 2 and "did you mean 'homogeneity'" in said.err


def test_earlier_releases_and_registers(folder):
    shoal("anonymize", "people.parquet", "-o", "other.csv", *ROLES, "-k", 4, "--method", "mondrian")
    write(folder / "register.csv", "age,city\n30,oslo\n41,\n")
    options = (
        "--original",
        "people.parquet",
        "--earlier",
        "other.csv",
        "--register",
        "register.csv",
        "--json",
    )
    said = shoal("attack", "out.csv", *options)
    assert said.code == 0, said.err
    found = {finding["name"]: finding for finding in said.json["attacks"]}
    assert found["intersection"]["trials"] > 0 and found["record-linkage"]["trials"] == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("missing.csv", "-q", "age"), 3),
        (("out.csv", "--original", "missing.csv"), 3),
        (("out.csv", "-q", "agee"), 2),
        (("out.csv", "--hierarchies", "nowhere"), 3),
        (("out.csv", "--certificate", "nowhere.json"), 3),
        (("people.parquet",), 2),
        (("out.csv", "--attack", "distance-linkage:wrong=2"), 2),
    ],
)
def test_refusals(folder, options, code):
    said = shoal("attack", *options)
    assert said.code == code, said.err


def test_the_list_of_attacks(folder):
    said = shoal("attacks")
    assert (
        said.code == 0
        and "record-linkage" in said.out
        and "minimality(draws=200, seed=0)" in said.out
    )


def test_the_door_bears_the_name_of_its_room():
    found = door.attack(
        people(1), original=people(1), quasi=["age", "city"], attacks="record-linkage"
    )
    assert not found.holds and "attack" in dir(door)


def test_an_original_or_a_certificate_that_does_not_fit_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("released.csv").write_text("age,ill\n" + '"[20, 29]",flu\n"[20, 29]",cold\n' * 3)
    Path("people.csv").write_text("age\n" + "21\n25\n" * 3)
    said = shoal(
        "attack", "released.csv", "--original", "people.csv", "-q", "age", "-s", "ill", "-k", 5
    )
    assert said.code == 3 and "the original lacks columns" in said.err
    Path("odd.json").write_text('{"recipe": [1]}')
    said = shoal("attack", "released.csv", "--certificate", "odd.json", "-q", "age")
    assert said.code == 3 and "is not a certificate" in said.err


@pytest.mark.parametrize("command", ["attack", "mine", "verify"])
def test_a_hierarchy_is_looked_for_beside_the_release(command, folder, tmp_path):
    release = tmp_path / "release"
    release.mkdir()
    values = sorted({city for city in people(7, 120)["city"].to_pylist() if city})
    write(release / "city.csv", "".join(f"{value},all\n" for value in values))
    asked = ("-q", "age,city", "-s", "ill", "-k", 4, "--hierarchy", "city=release/city.csv")
    said = shoal("anonymize", "people.parquet", "-o", release / "out.csv", *asked)
    assert said.code == 0, said.err
    # another file of this name, in the folder where someone works, is not opened
    write(tmp_path / "city.csv", "nowhere,all,too,many\nelsewhere\n")
    given = (release / "out.csv", "--original", "people.parquet")
    if command == "mine":
        given = (*given, "--tasks", "queries")  # every task finds hierarchies in the same way
    if command == "verify":
        given = (release / "out.csv", release / "out.csv.certificate.json", *given[1:])
    beside = shoal(command, *given, "--json")
    assert beside.code == 0, beside.err
    named = shoal(command, *given, "--json", "--hierarchies", release)
    assert beside.json.get("items") == named.json.get("items")
    if command == "attack":
        figures = [(one["name"], one["attack"]) for one in beside.json["attacks"]]
        assert figures == [(one["name"], one["attack"]) for one in named.json["attacks"]]
