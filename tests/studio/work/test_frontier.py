"""The curve of loss against k: each point is what a run would give."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import RecipeError
from shoal.recipe import Recipe
from shoal.studio.pages.protection_curve import mattering
from shoal.studio.work import frontier
from shoal.studio.work.telling import Tell

ILL = ["flu", "cold", "gout", "asthma"]
ASKED: dict[str, Any] = {"quasi": ["age", "city"], "sensitive": ["ill"]}


@pytest.fixture(autouse=True)
def not_nicer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that come after shall not be slow for it."""
    monkeypatch.setattr(os, "nice", lambda by: 0)


@pytest.fixture
def people(tmp_path: Path) -> tuple[pa.Table, str]:
    rows = 240
    table = pa.table(
        {
            "age": [18 + i * 7919 % 71 for i in range(rows)],
            "city": [("Oslo", "Rome", "Bergen")[i * 31 % 3] for i in range(rows)],
            "ill": [ILL[i * 13 % 4] for i in range(rows)],
        }
    )
    path = tmp_path / "people.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return table, str(path)


def points(path: str, **asked: Any) -> dict[int, dict[str, Any]]:
    said = io.StringIO()
    frontier.do(Tell(said), path, {**ASKED, **asked})
    told = [json.loads(line) for line in said.getvalue().splitlines()]
    return {point["k"]: point for point in told if point["says"] == "point"}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"models": ["l-diversity(l=2)"], "withhold": 0.05},
        {"publish": "centre"},
        {"method": "mondrian", "loss": "leaf-share"},
    ],
)
def test_each_point_is_what_a_run_gives(
    people: tuple[pa.Table, str], asked: dict[str, Any]
) -> None:
    table, path = people
    found = points(path, **asked)
    assert sorted(found) == [2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100]
    for k in (2, 20):
        release = shoal.anonymize(table, **ASKED, **asked, k=k, seed=frontier.SEED)
        point = found[k]
        assert point["loss"] == release.losses[point["measure"]]
        assert point["groups"] == release.certificate.public.groups
        assert point["risk"] == release.risks["after"]["highest-prosecutor-risk"]
    losses = [found[k]["loss"] for k in sorted(found)]
    assert losses[0] < losses[4] < losses[-1]


def test_the_loss_is_that_of_printed_cells_where_they_name_a_box(
    people: tuple[pa.Table, str],
) -> None:
    assert points(people[1])[5]["measure"] == "published-height-share"
    assert points(people[1], loss="leaf-share")[5]["measure"] == "published-leaf-share"
    assert points(people[1], publish="centre")[5]["measure"] == "span-share"
    assert points(people[1], method="mdav")[5]["measure"] == "squared-error-share"


def test_a_long_table_is_sampled_and_its_ks_cut(
    people: tuple[pa.Table, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier, "MOST", 40)
    found = points(people[1])
    assert sorted(found) == [2, 3, 5, 7, 10, 15, 20, 30]
    assert {(point["rows"], point["of"]) for point in found.values()} == {(40, 240)}
    assert frontier.sampled(people[0], 40) == frontier.sampled(people[0], 40)


def test_little_effort_is_spent_on_many_rows_and_said(
    people: tuple[pa.Table, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not points(people[1])[2]["little_effort"]
    monkeypatch.setattr(frontier, "QUICKLY", 100)
    table = people[0]
    assert points(people[1])[2]["little_effort"]
    assert not points(people[1], method="mondrian")[2]["little_effort"]
    assert (
        frontier.FrontierBench(table, Recipe.of(**ASKED, effort="high")).recipe(2).effort == "high"
    )
    assert frontier.FrontierBench(table, Recipe.of(**ASKED)).recipe(2).effort == "low"


def test_what_one_k_refuses_is_told_and_what_every_k_would_is_refused(
    people: tuple[pa.Table, str],
) -> None:
    found = points(people[1], models=["l-diversity(l=4)"])
    assert "refused" not in found[100]
    assert "'ill'" in points(people[1], models=["l-diversity(l=5)"])[5]["refused"]
    with pytest.raises(RecipeError, match="height"):
        points(people[1], quasi=["height"])


def test_boxes_that_overlap_have_a_curve_too(
    people: tuple[pa.Table, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier, "KS", (2, 5))
    monkeypatch.setattr(frontier, "MOST_OVERLAPPING", 60)
    found = points(people[1], method="nsvdist")
    assert found[2]["loss"] < found[5]["loss"]
    assert found[2]["rows"] == 60
    assert found[5]["groups"] is None
    assert 0.2 <= found[5]["risk"] <= found[2]["risk"]


def test_k_itself_does_not_begin_the_curve_anew() -> None:
    recipe = Recipe.of(**ASKED, k=5)
    assert mattering(recipe) == mattering(Recipe.of(**ASKED, k=11, preset="ema", seed=3))
    assert mattering(recipe) != mattering(Recipe.of(**ASKED, withhold=0.01))
    assert mattering(recipe) != mattering(Recipe.of(**ASKED, hierarchies={"age": "none"}))
