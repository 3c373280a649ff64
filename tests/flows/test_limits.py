"""What engines can't do is said once: refusals, help and documentation follow from it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from conftest import ROOT
from shoal.cli.spelling import typed
from shoal.engines.disk import DiskEngine
from shoal.engines.local import LocalEngine
from shoal.engines.spark import SparkEngine
from shoal.errors import RecipeError
from shoal.flows.limits import LIMITS, refusals, table_of
from shoal.flows.port import Engine, Request
from shoal.recipe import Recipe, Run, options_of
from shoal.wording import Sentence
from terminal import shoal as terminal

PEOPLE = pa.table({"age": [31, 33, 52, 58], "ill": ["flu", "cold"] * 2, "who": [1, 2, 3, 4]})


def test_documentation_has_the_table_as_it_is() -> None:
    told = table_of((LocalEngine, DiskEngine, SparkEngine))
    assert told in (ROOT / "docs/scale.md").read_text("utf-8")


def test_help_names_every_limit_of_an_engine() -> None:
    said = " ".join(terminal("anonymize", "--help").out.split())
    for name in {*DiskEngine.cannot, *SparkEngine.cannot} - {"groups"}:
        assert typed(Sentence(LIMITS[name].words)) in said
    for spelled in ("The disk engine (--memory)", "--keep-order", "--publish centre", "-k 1"):
        assert spelled in said
    for python in ("keep_order", "release.groups", "publish=", "k=1"):
        assert python not in said


def test_all_that_is_asked_and_can_not_be_done_is_said_together() -> None:
    recipe = Recipe.of(quasi=["age"], k=1, keep_order=True, weight="many", publish="bounds")
    request = Request.of(recipe, 900, bound=True)
    said = [error.problem for error in refusals(DiskEngine(), request)]
    expected = ["weight", "population", "keep_order", "k=1", 'publish="bounds"', "bound"]
    assert said == [f"the disk engine (memory) can't do {what}" for what in expected]
    assert refusals(LocalEngine(), request) == []


def test_wrong_columns_and_limits_are_one_refusal() -> None:
    with pytest.raises(RecipeError) as refused:
        shoal.anonymize(PEOPLE, quasi=["agee"], k=2, keep_order=True, memory="2GB")
    assert "agee" in str(refused.value) and "keep_order" in str(refused.value)


@pytest.mark.parametrize("engine", [DiskEngine, SparkEngine])
def test_declarations_of_options_and_limits_of_engines_agree(engine: type[Engine[Any]]) -> None:
    declared = {n for n, each in options_of(Recipe, Run).items() if engine.name in each.not_with}
    stated = {*engine.cannot} & {*options_of(Recipe, Run)}
    assert stated == declared & {*LIMITS}
