"""`shoal mine` through the terminal."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal as door
from attacks.people import people
from terminal import shoal

ROLES = ("-q", "age,city", "-s", "ill")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(7, 200), "people.parquet")
    pq.write_table(people(8, 80), "others.parquet")
    for name, k in (("a.csv", 4), ("b.csv", 40)):
        said = shoal(
            "anonymize",
            "people.parquet",
            "-o",
            name,
            *ROLES,
            "-k",
            k,
            "--seed",
            1,
            "--method",
            "mondrian",
        )
        assert said.code == 0, said.err
    return tmp_path


def test_two_releases_side_by_side(folder):
    tasks = "classification:classifiers=[naive-bayes],distributions,queries"
    said = shoal(
        "mine",
        "a.csv",
        "b.csv",
        "--original",
        "people.parquet",
        "--test",
        "others.parquet",
        "--tasks",
        tasks,
    )
    assert said.code == 0, said.err
    for part in (
        "utility: classification",
        "utility: queries",
        "unchanged",
        "a.csv",
        "b.csv",
        "highest-prosecutor-risk",
        "\nk ",
    ):
        assert part in said.out
    assert (
        "gain of naive-bayes" in said.out
        and "oslo" not in said.out + said.err
        and "flu" not in said.out + said.err
    )


def test_more_privacy_costs_utility(folder):
    said = shoal(
        "mine",
        "a.csv",
        "b.csv",
        "--original",
        "people.parquet",
        "--tasks",
        "queries,distributions",
        "--json",
    )
    assert said.code == 0, said.err
    a, b = (said.json["releases"][name] for name in ("a.csv", "b.csv"))
    assert a["risk"]["k"] < b["risk"]["k"]
    assert (
        a["utility"]["queries"]["median error"]["value"]
        < b["utility"]["queries"]["median error"]["value"]
    )
    assert a["utility"]["queries"]["median error"]["unchanged"] == 0.0


def test_without_rows_to_test_on_folds_are_anonymized_as_the_certificate_says(folder):
    options = ("--tasks", "classification:classifiers=[naive-bayes]", "--json")
    said = shoal("mine", "a.csv", "--original", "people.parquet", *options)
    assert said.code == 0, said.err
    gain = said.json["releases"]["a.csv"]["utility"]["classification"]["gain of naive-bayes"]
    assert gain["low"] <= gain["value"] <= gain["high"]
    Path("a.csv.certificate.json").unlink()
    said = shoal("mine", "a.csv", "--original", "people.parquet", *ROLES, *options)
    found = said.json["releases"]["a.csv"]
    assert (
        said.code == 0
        and found["utility"] == {}
        and "--test FILE" in found["notices"][0]
        and found["risk"]["k"] >= 4
    )


def test_a_perturbed_table(folder):
    said = shoal(
        "distort", "people.parquet", "-o", "noisy.csv", "--columns", "age", "--as-published"
    )
    assert said.code == 0, said.err
    options = ("--original", "people.parquet", "--class", "ill", "--json")
    said = shoal(
        "mine",
        "noisy.csv",
        *options,
        "--tasks",
        "classification:classifiers=[naive-bayes],distributions",
    )
    assert said.code == 0, said.err
    found = said.json["releases"]["noisy.csv"]
    assert (
        found["utility"]["classification"]
        and 0 < found["utility"]["distributions"]["worst column"]["value"] < 0.5
    )
    assert found["risk"]


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("a.csv",), 2, "--original"),
        (("a.csv", "--original", "missing.csv"), 3, "missing.csv"),
        (("missing.csv", "--original", "people.parquet", *ROLES), 3, "missing.csv"),
        (("a.csv", "--original", "people.parquet", "--class", "il"), 2, "did you mean 'ill'"),
        (
            ("a.csv", "--original", "people.parquet", "--tasks", "querys"),
            2,
            "did you mean 'queries'",
        ),
        (("a.csv", "--original", "people.parquet", "--tables", "0"), 2, "--tables 10"),
        (
            (
                "a.csv",
                "b.csv",
                "--original",
                "people.parquet",
                "--certificate",
                "a.csv.certificate.json",
            ),
            2,
            "one release",
        ),
        (("a.csv", "--original", "people.parquet", "--hierarchies", "nowhere"), 3, "no folder"),
        (("people.parquet", "--original", "people.parquet"), 2, "quasi"),
        (("a.csv", "--original", "a.csv", "-q", "age,zip"), 3, "zip"),
    ],
)
def test_refusals(folder, options, code, told):
    said = shoal("mine", *options)
    assert said.code == code and told in said.err, said.err


def test_the_door_takes_frames_and_a_recipe(folder):
    table = people(7, 200)
    release = door.anonymize(
        table, quasi=["age", "city"], sensitive=["ill"], k=4, method="mondrian", seed=1
    )
    asked = {
        "tasks": ["classification:classifiers=[naive-bayes]"],
        "quasi": ["age", "city"],
        "sensitive": ["ill"],
    }
    found = door.mine(release.table, table, recipe=release.recipe, **asked)
    assert found.utility["classification"] and found.risk["k"] >= 4 and "mine" in dir(door)
