"""The best choices of levels: each is what a run at these levels gives."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import PrivacyNotMet
from shoal.recipe.scheme import at_levels
from shoal.studio.work import levels
from shoal.studio.work.telling import Tell

TREE = {"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"]}
ASKED: dict[str, Any] = {
    "quasi": ["home town", "age"],
    "k": 4,
    "hierarchies": {"home town": TREE},
    "method": "full-domain",
    "withhold": 0.2,
}


@pytest.fixture(autouse=True)
def not_nicer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that come after shall not be slow for it."""
    monkeypatch.setattr(os, "nice", lambda by: 0)


@pytest.fixture
def people(tmp_path: Path) -> tuple[pa.Table, str]:
    towns = [town for towns in TREE.values() for town in towns]
    ages = [None if i % 29 == 0 else 18 + i * 7919 % 71 for i in range(200)]
    table = pa.table({"age": ages, "home town": [towns[i * 31 % 4] for i in range(200)]})
    path = tmp_path / "people.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return table, str(path)


def found(path: str, **more: Any) -> dict[str, Any]:
    return levels.do(Tell(io.StringIO()), path, {**ASKED, **more})


def test_each_choice_is_what_a_run_at_its_levels_gives(people: tuple[pa.Table, str]) -> None:
    table, path = people
    told = found(path)
    assert 3 < len(told["choices"]) <= levels.MOST
    losses = [choice["loss"] for choice in told["choices"]]
    assert losses == sorted(losses)
    for choice in told["choices"][:6]:
        at = dict(zip(ASKED["quasi"], choice["levels"], strict=True))
        release = shoal.anonymize(
            table, **{**ASKED, "method": at_levels(ASKED["method"], at)}, seed=1
        )
        groups = release.outcome.groups
        assert groups is not None and groups.levels == tuple(choice["levels"])
        sizes = groups.sizes
        assert choice["left out"] == groups.withheld
        assert choice["highest"] == 1 / sizes.min()
        assert choice["average"] == len(sizes) / sizes.sum()
    best = shoal.anonymize(table, **ASKED, seed=1).outcome.groups
    assert best is not None and best.levels == tuple(told["choices"][0]["levels"])


def test_levels_are_said_in_words_without_values_of_the_table(people: tuple[pa.Table, str]) -> None:
    town, age = found(people[1])["ladders"]
    assert town["column"] == "home town" and age["column"] == "age"
    assert town["rungs"] == ["as it is", "level 1, such as north", "nothing (*)"]
    assert age["rungs"] == [
        "as it is",
        *(f"bands of {width}" for width in (5, 10, 20, 40)),
        "nothing (*), but for missing cells",
        "nothing (*)",
    ]


def test_levels_that_were_taken_are_let_free_and_those_forbidden_are_not_offered(
    people: tuple[pa.Table, str],
) -> None:
    free = found(people[1])
    taken = at_levels("full-domain", {"age": 5, "home town": 2})
    assert found(people[1], method=taken) == free
    told = found(people[1], at_least={"age": 10}, at_most={"age": 20}, withhold=0.5)
    assert told["ladders"][1]["rungs"] == ["bands of 10", "bands of 20"]
    assert {choice["levels"][1] for choice in told["choices"]} <= {0, 1}


def test_where_no_choice_is_safe_it_says_so(people: tuple[pa.Table, str]) -> None:
    with pytest.raises(PrivacyNotMet, match="no choice of one level"):
        found(people[1], k=150, at_most={"home town": "level:1"}, withhold=0.0)
