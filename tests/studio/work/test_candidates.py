"""Candidates: each is what a run of its settings gives, with little effort."""

from __future__ import annotations

import io
import json
import os
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.recipe import Recipe
from shoal.studio.pages.candidates import Candidate, moving, of_try, promises_of
from shoal.studio.work import candidates
from shoal.studio.work.anonymizing import laid_out
from shoal.studio.work.frontier import SEED
from shoal.studio.work.telling import Tell

ILL = ["flu", "cold", "gout", "asthma"]
ASKED: dict[str, Any] = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 4}
DIVERSE = "l-diversity(l=3)"


@pytest.fixture(autouse=True)
def not_nicer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that come after shall not be slow for it."""
    monkeypatch.setattr(os, "nice", lambda by: 0)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[pa.Table, str]:
    rows = 120
    table = pa.table(
        {
            "age": [18 + i * 7919 % 71 for i in range(rows)],
            "city": [("Oslo", "Rome", "Bergen")[i * 31 % 3] for i in range(rows)],
            "ill": [ILL[i * 13 % 4] for i in range(rows)],
        }
    )
    path = tmp_path_factory.mktemp("candidates") / "people.arrow"
    laid_out(table, path)
    return table, str(path)


def tried(path: str, promises: list[list[str]], **asked: Any) -> list[dict[str, Any]]:
    said = io.StringIO()
    candidates.do(Tell(said), path, {**ASKED, **asked}, promises)
    told = [json.loads(line) for line in said.getvalue().splitlines()]
    return [one for one in told if one["says"] == "candidate"]


def test_each_is_what_a_run_gives(people: tuple[pa.Table, str]) -> None:
    table, path = people
    told = tried(path, [[], [DIVERSE]])
    choices = [(one["k"], tuple(one["models"]), one["method"]) for one in told]
    expected = {
        (k, models, method)
        for k in (3, 4, 5, 10, 20, 50)
        for models in ((), (DIVERSE,))
        for method in ("shoal", "full-domain")
    }
    assert set(choices) == expected and len(choices) == len(expected)
    for one in (told[1], told[-3]):
        chosen = {name: one[name] for name in ("k", "models", "method")}
        release = shoal.anonymize(table, **{**ASKED, **chosen}, effort="low", seed=SEED)
        assert one["loss"] == pytest.approx(release.losses["published-height-share"])
        after = release.risks["after"]
        assert one["highest"] == after["highest-prosecutor-risk"]
        assert one["average"] == after["average-prosecutor-risk"]
        assert one["guessed"] == after["best-guess"]["ill"]
        assert one["groups"] == release.certificate.public.groups


def test_what_can_not_be_had_is_told_and_is_no_dot(people: tuple[pa.Table, str]) -> None:
    told = tried(people[1], [["l-diversity(l=5)"]])
    assert all("'ill'" in one["refused"] for one in told)
    assert [of_try(one) for one in told] == [None] * len(told)


def test_losses_are_weighed_by_what_matters(people: tuple[pa.Table, str]) -> None:
    usual = tried(people[1], [[]], method="full-domain")
    weighed = tried(people[1], [[]], method="full-domain", importance={"city": 1_000})
    assert {one["method"] for one in usual} == {"shoal", "full-domain"}
    assert usual[0]["loss"] != weighed[0]["loss"]


def test_promises_are_tried_without_each_and_with_each_of_the_recommended() -> None:
    assert promises_of(Recipe.of(quasi=["age"])) == [[]]
    more = promises_of(Recipe.of(**ASKED))
    assert more[0] == [] and [len(one) for one in more] == [0, 1, 1, 1]
    asked = Recipe.of(**ASKED, models=[DIVERSE])
    names = [[text.partition("(")[0] for text in one] for one in promises_of(asked)]
    assert names == [
        ["l-diversity"],
        [],
        ["l-diversity", "alpha-k"],
        ["l-diversity", "t-closeness"],
    ]


def test_what_a_candidate_chooses_does_not_throw_the_others_away() -> None:
    recipe = Recipe.of(**ASKED)
    taken = Recipe.of(**{**ASKED, "k": 20, "models": [DIVERSE], "method": "full-domain"})
    assert moving(recipe) == moving(taken)
    assert moving(recipe) != moving(Recipe.of(**ASKED, withhold=0.01))
    one = Candidate("uniform", "", 20, (DIVERSE,), "full-domain", 0.1, {})
    assert one.is_asked(taken) and not one.is_asked(recipe)
    assert one.words.startswith("k = 20; ") and one.words.endswith("same bands for everyone")
