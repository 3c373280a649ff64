"""The ledger of a desk: chosen, taken back, kept with its project; and the words about it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from shoal.handover.commands import python_lines, terminal_command
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.desk_state import opened, state_of
from shoal.studio.ledger_choice import LedgerChoice
from shoal.studio.pages.foreseen import headline, lacking, rounding, sticky, waiting
from shoal.studio.pages.published_before import _take
from shoal.studio.pages.timeline import ASKED, LOWEST, k_over_time
from shoal.studio.projects import write

WARD = LedgerChoice(place="/ward.ledger", across="sticky", leavers="keep", wait=2, recipient="A")
TOLD: dict[str, Any] = {"k": 5, "releases": 2, "people": 60, "exposed": 33, "only_moved": 13}
TOLD |= {"below": 20, "by_boxes": 80, "loss": 0.17}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    shop: Any = SimpleNamespace(start=lambda *_, **__: SimpleNamespace(cancel=lambda: None))
    made = Desk(tmp_path / "desk", shop)
    table = pa.table({"id": [1, 2], "age": [1, 2]})
    path = made.folder / "t.arrow"
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    kinds = dict.fromkeys(table.column_names, "category")
    made.sheet = Sheet("t", path, table, kinds, {"place": "t"})
    return made


def test_a_ledger_is_taken_back_like_all_else_that_is_asked(desk: Desk) -> None:
    desk.choose_ledger(WARD)
    desk.change(k=7)
    desk.undo()
    assert desk.ledger == WARD and desk.recipe.k == 5
    desk.undo()
    assert desk.ledger is None
    desk.redo()
    assert desk.ledger == WARD


def test_another_table_is_held_against_no_ledger(desk: Desk) -> None:
    desk.choose_ledger(WARD)
    assert desk.sheet is not None
    desk.lay(Sheet("u", desk.folder / "u", desk.sheet.table, desk.sheet.kinds, {"place": "u"}))
    assert desk.ledger is None


def test_a_project_keeps_its_ledger(desk: Desk) -> None:
    desk.choose_ledger(WARD)
    write(desk.folder, {**state_of(desk), "changed": 0.0})
    assert opened(desk.folder, desk.shop).ledger == WARD


@pytest.mark.parametrize("kept", [None, {"across": "guard"}, "ward.ledger", {"place": 7}])
def test_a_project_of_another_version_has_none(desk: Desk, kept: Any) -> None:
    state = {**state_of(desk), "changed": 0.0, "ledger": kept}
    write(desk.folder, state)
    assert opened(desk.folder, desk.shop).ledger is None
    write(desk.folder, {name: value for name, value in state.items() if name != "ledger"})
    assert opened(desk.folder, desk.shop).ledger is None


def test_the_column_that_told_people_apart_is_chosen_again(desk: Desk) -> None:
    _take(desk, {"place": "/ward.ledger", "releases": [{"person": "id"}]})
    assert desk.ledger == LedgerChoice(place="/ward.ledger") and desk.recipe.person == "id"
    assert desk.recipe.roles.identifiers == ("id",) and not lacking(desk)


def test_a_column_that_the_table_lacks_is_asked_for(desk: Desk) -> None:
    _take(desk, {"place": "/ward.ledger", "releases": [{"person": "number"}]})
    assert desk.ledger is not None and desk.recipe.person is None
    assert "who is who" in lacking(desk)[0]


def test_only_sticky_groups_wait_and_are_left() -> None:
    assert WARD.asked()["wait"] == 2 and WARD.asked()["leavers"] == "keep"
    assert WARD.asked(across="guard").keys() == {"ledger", "across", "recipient"}


def test_commands_hold_the_next_release_against_the_ledger_too() -> None:
    recipe = Recipe(quasi=("age",), person="id")
    typed = terminal_command(recipe, "p.csv", "r.csv", against=WARD.typed)
    for words in ("--ledger /ward.ledger", "--across sticky", "--leavers keep", "--wait 2"):
        assert words in typed
    usual = terminal_command(recipe, "p.csv", "r.csv", against=LedgerChoice(place="w").typed)
    assert "--ledger w " in usual and "--across" not in usual and "--recipient" not in usual
    lines = python_lines(recipe, "p.csv", "r.csv", against=WARD.typed)
    assert 'ledger="/ward.ledger",' in lines and "wait=2," in lines


def test_the_sentence_before_a_run_says_who_and_what_follows() -> None:
    said = headline(TOLD, LedgerChoice(place="w"))
    assert "about 33 people would be in the company of fewer than 5" in said
    assert said.endswith("A run would be refused as it stands.")
    assert headline(TOLD, WARD).startswith("Without sticky groups, together with 2 earlier")
    assert "nobody would be" in headline({**TOLD, "exposed": 0}, WARD)
    assert headline({**TOLD, "releases": 0}, WARD).startswith("Nothing was published before")


def test_what_would_change_it_is_said_with_figures() -> None:
    assert "hides 13 of them at best; 20 are grouped with others" in waiting(TOLD)
    assert "helps none" in waiting({**TOLD, "only_moved": 0})
    assert waiting({**TOLD, "only_moved": 33}).endswith("at best.")
    assert "80 of 100 people" in rounding(TOLD)
    assert "helps none" in rounding({**TOLD, "by_boxes": None})
    assert sticky(TOLD) == "Sticky groups are being tried ..."
    tried = {"loss": 0.31, "waiting": 4, "out": 7, "leavers": "withdraw"}
    assert sticky({**TOLD, "sticky": tried}) == (
        "Sticky groups leave nobody below 5; a cell loses 31 % of its detail, not 17 %; "
        "4 people wait for a later release; 7 are no longer published, as others left their "
        "groups."
    )
    assert "can't be had: no" in sticky({**TOLD, "sticky": {"refused": "no"}})


def test_what_is_asked_and_what_holds_differ_in_pattern() -> None:
    releases = [{"number": 1, "day": "2026-01-02", "k": 5, "lowest": 5}]
    releases += [{"number": 3, "day": "2026-02-02", "k": 5, "lowest": 2}]
    options = k_over_time(releases)
    assert options["xAxis"]["data"] == ["1: 2026-01-02", "3: 2026-02-02"]
    asked, lowest = options["series"]
    assert (asked["name"], asked["data"]) == (ASKED, [5, 5])
    assert (lowest["name"], lowest["data"]) == (LOWEST, [5, 2])
    assert "decal" in lowest["itemStyle"] and "decal" not in asked["itemStyle"]
