"""Telling: plain data that says what the release says, for pages to draw."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.handover.figures import told

TREE = {"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"]}


def people(rows: int = 300) -> pa.Table:
    rng = np.random.default_rng(8)
    towns = [town for towns in TREE.values() for town in towns]
    return pa.table(
        {
            "name": [f"Nr {i}" for i in range(rows)],
            "age": rng.integers(0, 90, rows),
            "town": rng.choice(towns, rows),
            "ill": rng.choice(["flu", "cold", "gout"], rows),
            "pay": rng.normal(size=rows).round(1),
            "ward": rng.choice(["=a", "b"], rows),
        }
    )


def made(**given: Any) -> tuple[shoal.Release, dict[str, Any]]:
    asked = {
        "quasi": ["age", "town"],
        "sensitive": ["ill", "pay"],
        "keep": "ward",
        "identifiers": "name",
    }
    release = shoal.anonymize(
        people(), **{**asked, "hierarchies": {"town": TREE}, "k": 4, "seed": 1, **given}
    )
    return release, told(release, people())


@pytest.fixture(scope="module")
def both() -> tuple[shoal.Release, dict[str, Any]]:
    return made(models=["l-diversity:l=2"])


@pytest.mark.parametrize(
    "more",
    [{"withhold": 0.9, "method": "threshold:small=withhold"}, {"method": "nsvdist", "keep": ()}],
)
def test_it_is_plain_data(more, both):
    for found in (both[1], made(**more)[1]):
        assert json.loads(json.dumps(found, allow_nan=False)).keys() == found.keys()


def test_figures_are_those_of_the_release_and_have_meanings(both):
    release, found = both
    assert (
        found["rows"] == {"in": 300, "published": 300, "withheld": 0}
        and found["k"] == release.certificate.public.k
    )
    assert {one["name"]: one["value"] for one in found["losses"]} == {
        n: v for n, v in release.losses.items() if v is not None
    }
    highest = next(one for one in found["risks"] if one["name"] == "highest-prosecutor-risk")
    assert (
        highest["after"]
        == release.risks["after"]["highest-prosecutor-risk"]
        < highest["before"]
        == 1.0
    )
    assert [one["name"] for one in found["attacks"]] == [
        one.name for one in release.certificate.private.attacks
    ]
    measured = next(
        one for one in found["models"] if one["name"] == "l-diversity" and one["column"] == "ill"
    )
    assert measured["given"]["l"] == 2 and measured["measured"] >= 2
    assert all(
        one["meaning"] for kind in ("losses", "risks", "attacks", "models") for one in found[kind]
    )
    assert all(
        "people were attacked" in one["words"] and one["stops it"] for one in found["attacks"]
    )
    assert not any(re.search(r"\d\.\d+(?![\d ]*%)", one["words"]) for one in found["attacks"])
    assert (
        found["bound"]["least"] <= found["bound"]["lost"]
        and found["seconds"].keys() == release.seconds.keys()
    )
    assert sum(found["sizes"].values()) == 300 and found["formulas"] == {
        "ward": people()["ward"].to_pylist().count("=a")
    }


def test_every_published_column_has_its_shares(both):
    _, found = both
    spreads = {one["column"]: one for one in found["spreads"]}
    assert {name: one["role"] for name, one in spreads.items()} == {
        "age": "quasi",
        "town": "quasi",
        "ill": "sensitive",
        "pay": "sensitive",
        "ward": "kept",
    }
    for one in spreads.values():
        assert sum(one["before"]) == pytest.approx(1) == sum(one["after"]) and len(
            one["labels"]
        ) == len(one["after"])
    assert all(
        spreads[name]["apart"] == pytest.approx(0, abs=1e-12) for name in ("ill", "pay", "ward")
    )
    assert spreads["age"]["apart"] > 0
    assert found["dependence"]["columns"] == ("age", "town", "ill", "pay", "ward")


def test_columns_are_compared_as_the_recipe_reads_them():
    """German dates and decimals are no categories: ages follow from births, and costs have bars."""
    years = np.random.default_rng(3).integers(1940, 2000, 300)
    table = pa.table(
        {
            "born": [f"{1 + i % 28:02}.{1 + i % 12:02}.{year}" for i, year in enumerate(years)],
            "age": 2026 - years,
            "cost": [f"{1_000 + i % 97},{i % 10}0" for i in range(300)],
        }
    )
    asked = {"quasi": ["born", "age"], "sensitive": "cost", "read_as": {"cost": "number:comma"}}
    found = told(shoal.anonymize(table, **asked, k=4, seed=1), table)
    assert found["dependence"]["before"][0][1] > 0.8 and found["dependence"]["after"][0][1] > 0.5
    costs = next(one for one in found["spreads"] if one["column"] == "cost")
    assert all(" to " in label for label in costs["labels"])


def test_withheld_rows_change_what_is_published_of_the_others():
    release, found = made(withhold=0.9, method="threshold:small=withhold")
    assert found["rows"]["withheld"] == release.certificate.private.withheld > 0
    ill = next(one for one in found["spreads"] if one["column"] == "ill")
    assert ill["apart"] > 0 and sum(ill["after"]) == pytest.approx(1)
    assert min(found["changed"].values()) >= found["rows"]["withheld"]


def test_dearest_rows_are_numbered_as_people_count(both):
    _, found = both
    rows = [one["row"] for one in found["paid"]["dearest"]]
    assert all(1 <= row <= 300 for row in rows) and len(set(rows)) == len(rows)
    assert sum(found["paid"]["histogram"]["rows"]) == 300
    assert found["changed"]["ill"] == 0 < found["changed"]["age"]


def test_rows_with_boxes_of_their_own():
    _, found = made(method="nsvdist", keep=())
    assert (
        found["paid"] is found["changed"] is found["sizes"] is None
        and found["promise"] == "k-concealment"
    )
    assert (
        [one["column"] for one in found["spreads"]] == ["age", "town"]
        and found["losses"]
        and found["attacks"]
    )
