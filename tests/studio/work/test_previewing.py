"""Recipes tried on a sample: what is suggested loses least, and ten people show it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.adapters.demo_data import patients
from shoal.studio.work import previewing
from shoal.studio.work.anonymizing import laid_out
from shoal.studio.work.telling import Tell

DEMO = {
    "quasi": ["birth_date", "sex", "postcode", "nationality", "admission_date"],
    "sensitive": ["diagnosis", "cost"],
    "identifiers": ["name"],
    "k": 5,
}
SUITED = {"birth_date": "dates", "postcode": "masks(length=5)", "admission_date": "dates"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("preview") / "patients.arrow"
    laid_out(patients(), path)
    return str(path)


def tried(path: str, recipes: dict[str, Any], **further: Any) -> tuple[list[Any], dict[str, Any]]:
    said = io.StringIO()
    result = previewing.do(Tell(said), path, recipes, **further)
    told = [json.loads(line) for line in said.getvalue().splitlines()]
    return [one for one in told if one["says"] in ("preview", "tried")], result


def test_what_is_suggested_loses_less_than_every_hierarchy_that_suits(demo: str) -> None:
    _, result = tried(demo, {"now": DEMO}, suggest=True)
    best = {**DEMO, "hierarchies": result["hierarchies"]}
    told, _ = tried(demo, {"best": best, "none": DEMO, "all": {**DEMO, "hierarchies": SUITED}})
    losses = {one["name"]: one["loss"] for one in told}
    assert losses["best"] < losses["none"] and losses["best"] < losses["all"]
    assert "birth_date" not in result["hierarchies"], "it was * for 95 % of the people"
    assert told[0]["columns"]["birth_date"]["lost"] == 0


def test_edited_hierarchies_are_never_replaced(demo: str) -> None:
    chosen = {**DEMO, "hierarchies": {"postcode": "flat"}}
    _, result = tried(demo, {"now": chosen}, suggest=True)
    assert "postcode" not in result["hierarchies"]


def test_ten_people_stay_the_same_while_weights_move_their_cells(demo: str) -> None:
    heavy = {**DEMO, "importance": {"postcode": 8}}
    (usual, weighed), _ = tried(demo, {"usual": DEMO, "heavy": heavy})
    for name in DEMO["quasi"]:
        assert [cell[0] for cell in usual["cells"][name]] == [
            cell[0] for cell in weighed["cells"][name]
        ]
    assert len(usual["cells"]["sex"]) == 10
    assert weighed["columns"]["postcode"]["lost"] < usual["columns"]["postcode"]["lost"] / 2
    assert weighed["cells"]["postcode"] != usual["cells"]["postcode"]
    weights = {name: 8 if name == "postcode" else 1 for name in DEMO["quasi"]}
    by_hand = sum(weighed["columns"][name]["loss"] * weights[name] for name in weights) / 12
    assert weighed["loss"] == pytest.approx(by_hand)


def test_groups_that_share_one_value_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    people = pa.table(
        {
            "age": np.repeat(np.arange(20, 60), 10),
            "ill": rng.choice(["flu", "cold"], 400, p=[0.9, 0.1]),
        }
    )
    laid_out(people, tmp_path / "people.arrow")
    (told,), _ = tried(
        str(tmp_path / "people.arrow"), {"now": {"quasi": ["age"], "sensitive": ["ill"], "k": 10}}
    )
    ages = people.to_pandas().groupby("age")["ill"].nunique()
    assert told["groups"] == 40 and told["agreed"] == {"ill": int((ages == 1).sum())}


def test_what_can_not_be_had_is_said_and_the_others_are_tried(demo: str) -> None:
    never = {**DEMO, "models": ["l-diversity(l=4000)"]}
    (refused, fine), _ = tried(demo, {"never": never, "fine": DEMO})
    assert "refused" in refused and "try:" not in refused["refused"]
    assert "refused" not in fine
