"""What every task of a data miner promises, whichever are in the folder."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import shoal as door
from attacks.people import ILLS, people, recipe
from shoal import registry
from shoal.mining import mining
from shoal.mining.task import GIVE, MiningMaterial, Task

TASKS = registry.names(Task)
CELL = re.compile(
    r"oslo|bergen|rome|bari|pisa|north|south|\b(" + "|".join(ILLS) + r")\b", re.IGNORECASE
)


def material(released: pa.Table, **known: Any) -> MiningMaterial:
    """A small table and a release of it, with all that a task may need."""
    trees = recipe().plan().hierarchies
    given = {"target": "ill", "test": people(12, 60), "tables": 3, **known}
    return MiningMaterial(people(11, 160), released, ("age", "city"), ("ill",), trees, **given)


def generalized() -> MiningMaterial:
    return material(
        door.anonymize(people(11, 160), recipe=recipe(k=4, method="mondrian")).published
    )


def baskets() -> MiningMaterial:
    """Some tasks are about transactions alone."""
    original = pa.table(
        {"transaction": [i // 3 for i in range(90)], "item": ["a", "b", "c", "a", "b", "d"] * 15}
    )
    return MiningMaterial(original, original, (), ("transaction", "item"), tables=2)


def measured(name: str, of: MiningMaterial) -> mining.Mined:
    return mining.mine(of, [TASKS[name]()], {})


@pytest.mark.parametrize("name", TASKS)
def test_a_task_says_what_it_is(name):
    task = TASKS[name]
    assert inspect.getmodule(task).__name__ == f"shoal.mining.{name.replace('-', '_')}"
    assert (inspect.getdoc(import_module(task.__module__)) or "").startswith(f"`{name}`")
    assert (
        set(task.needs) <= set(GIVE) and registry.summary(task) and registry.spell(task()) == name
    )


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("way", ["sampled", "midpoint", "expanded"])
def test_a_release_that_is_the_original_loses_nothing(name, way):
    of = material(people(11, 160), way=way)
    of = baskets() if TASKS[name]().lacks(of) else of
    found = measured(name, of).utility[name]
    assert found
    for figure in found.values():
        if figure.unchanged is not None:
            assert figure.value == pytest.approx(figure.unchanged, abs=1e-6)


@pytest.mark.parametrize("name", TASKS)
def test_figures_of_a_release_repeat_and_tell_no_cell(name):
    found = measured(name, generalized())
    assert found == measured(name, generalized())
    assert name in found.utility or found.notices
    for called, figure in found.utility.get(name, {}).items():
        assert figure.value is None or math.isfinite(figure.value)
        assert figure.low is None or figure.low <= figure.value <= figure.high
        assert not CELL.search(called)
    assert not any(CELL.search(notice) for notice in found.notices)


@pytest.mark.parametrize("name", TASKS)
def test_columns_without_any_value_do_no_harm(name):
    """Ages are missing throughout, before and after."""
    empty = pa.array([None] * 160, pa.float64())
    table = people(11, 160).set_column(0, "age", empty)
    of = replace(material(table), original=table, known={})
    assert name in measured(name, of).utility or measured(name, of).notices


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.needs])
def test_without_its_material_a_task_says_so(name):
    found = measured(name, material(people(11, 160), target=None, test=None))
    assert name not in found.utility and "not possible without" in found.notices[0]


def test_the_folder_holds_every_task_that_is_listed():
    files = {path.stem for path in (Path(inspect.getfile(Task)).parent).glob("*.py")}
    assert {name.replace("-", "_") for name in TASKS} <= files and len(TASKS) >= 6
