"""A desk without a browser: what was asked, and taken back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from shoal.errors import RecipeError
from shoal.studio.desk import Desk, shown_name
from shoal.studio.desk_items import Sheet, StudioRun
from shoal.studio.jobs import Job
from shoal.studio.pages.roles import give


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    shop: Any = SimpleNamespace(start=None)
    made = Desk(tmp_path / "desk", shop)
    table = pa.table({"age": [1, 2], "zip": ["a", "b"], "ill": ["x", "y"]})
    kinds = dict.fromkeys(table.column_names, "category")
    made.sheet = Sheet("t", tmp_path / "t", table, kinds, {"place": "t"})
    return made


def test_a_change_can_be_taken_back_and_made_again(desk: Desk) -> None:
    heard = []
    desk.listeners.append(lambda: heard.append(desk.recipe.k))
    desk.change(k=7)
    desk.change(k=9)
    desk.undo()
    assert desk.recipe.k == 7
    desk.redo()
    assert desk.recipe.k == 9
    desk.undo()
    desk.change(k=3)
    desk.redo()  # what was taken back is gone once something else was asked
    assert desk.recipe.k == 3
    assert heard == [7, 9, 7, 9, 7, 3]


def test_what_no_recipe_can_hold_changes_nothing(desk: Desk) -> None:
    with pytest.raises(RecipeError, match="k is not right"):
        desk.change(k=0)
    assert desk.recipe.k == 5 and not desk.before


def test_a_column_that_loses_its_role_loses_what_was_said_of_it(desk: Desk) -> None:
    give(desk, {"age": "quasi", "zip": "quasi", "ill": "sensitive"})
    desk.change(
        hierarchies={"zip": "flat", "age": "intervals:width=5"},
        importance={"zip": 2},
        publish={"zip": "tight"},
    )
    give(desk, {"zip": "drop"})
    assert desk.recipe.hierarchies.keys() == {"age"}
    assert not desk.recipe.importance and not desk.recipe.publish
    desk.recipe.check()
    desk.undo()
    assert desk.recipe.hierarchies.keys() == {"age", "zip"}


def test_what_is_looked_at_again_has_one_key_and_none_once_its_run_is_gone(desk: Desk) -> None:
    folder = desk.folder / "run-1"
    job = Job("anonymize", {}, state="done")
    assert desk.sheet is not None
    run = StudioRun(1, desk.recipe, folder, job, desk.sheet)
    desk.made.append(run)
    keys = {desk.show(folder / "after", desk.sheet.table) for _ in range(5)}
    addresses = {desk.offer(folder / "handed" / "released.csv", "released.csv") for _ in range(5)}
    elsewhere = desk.offer(desk.folder / "other.csv", "other.csv")
    assert len(keys) == len(addresses) == 1 and len(desk.files) == 2
    desk._forget(run)
    assert not desk.shown and [f"/download/{key}" for key in desk.files] == [elsewhere]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\x\\y.csv", "y.csv"),
        ("a\nb\0.csv", "ab.csv"),
        ("", "table"),
        ("x" * 200, "x" * 80),
    ],
)
def test_a_name_is_for_showing(name: str, shown: str) -> None:
    assert shown_name(name) == shown
