"""What the step of hierarchies does behind the screen: the recipe says all, files are never
changed, huge trees stay small.
"""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from shoal.declare.hierarchies.editing import ROOT
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.pages import hierarchy_work
from shoal.studio.pages.hierarchy_panel import LARGEST, Panel
from shoal.studio.pages.hierarchy_text import TextPane
from shoal.studio.pages.hierarchy_work import AT_A_NODE, Work, profile_of, shown_spec
from studio.conftest import in_a_loop

CITIES = ["Oslo", "Rome", "Oslo", "Bergen", None, "Milan"]


@pytest.fixture
def desk(tmp_path) -> Desk:
    made = Desk(tmp_path / "desk", None)  # type: ignore[arg-type]
    made.recipe = Recipe.of(quasi=["city", "age"], hierarchies={"age": "intervals(width=10)"})
    return made


@pytest.fixture
def work(desk) -> Work:
    made = Work(desk, profile_of(pa.table({"city": CITIES}), "city"))
    desk.listeners.append(made.follow)
    return made


def labels(work: Work) -> list[str]:
    return [row.get("label", "more") for row in work.rows()]


def test_none_then_built_then_none_again(work):
    assert work.rows() == [] and shown_spec(work.spec) == "none"
    work.build(work.usual("flat"))
    assert work.spec == "flat" and labels(work) == ["*", "Bergen", "Milan", "Oslo", "Rome"]
    work.build(None)
    assert work.spec is None and work.desk.recipe.hierarchies == {"age": "intervals(width=10)"}


def test_an_edited_tree_is_a_new_file_and_undo_goes_back(work):
    work.build(Hierarchy.flat())
    grouped = work.draft.group(work.draft.children[ROOT][:2], "Some")
    work.take(grouped)
    first = work.spec
    assert (
        Path(first).parent.parent == work.desk.folder
        and work.desk.folder.stat().st_mode & 0o077 == 0
    )
    assert {grouped.labels[node] for node in work.chosen} == {"Some"}
    work.take(work.draft.rename(*work.chosen, "Others"))
    assert (
        work.spec != first
        and "Others" in labels(work)
        and work.text == "Bergen;Others;*\nMilan;Others;*\nOslo;Oslo;*\nRome;Rome;*\n"
    )
    work.desk.undo()
    assert work.spec == first and "Some" in labels(work)
    work.desk.undo()
    assert work.spec == "flat" and not work.chosen
    work.desk.redo()
    assert "Some" in labels(work)


def test_rows_have_the_share_of_those_who_have_a_value(work):
    work.build(Hierarchy.flat())
    shares = {row["label"]: (row["rows"], row["share"]) for row in work.rows()}
    assert shares["*"] == ("5", 1.0) and shares["Oslo"] == ("2", 0.4)


def test_what_does_not_fit_is_refused_and_changes_nothing(work):
    work.build(Hierarchy.flat())
    with pytest.raises(DataError, match="no dates"):
        work.build(work.usual("dates"))
    with pytest.raises(DataError, match="no intervals"):
        work.build(work.usual("intervals"))
    with pytest.raises(RecipeError, match="one sign"):
        work.build(Hierarchy.masks(character=","))
    assert work.spec == "flat" and labels(work)[0] == "*"


def test_a_text_is_taken_only_if_nothing_is_wrong(work):
    report = work.take_text("Oslo;North;*\nRome;South;*\n")
    assert [finding.kind for finding in report.fatal] == ["uncovered"] and work.spec is None
    assert not work.take_text("Oslo,North,*\nRome,South,*\nBergen,North,*\nMilan,South,*\n").fatal
    assert labels(work) == ["*", "North", "South"] and work.text.startswith("Oslo,North")


def test_a_recipe_that_names_a_bad_file_says_so(work):
    work.desk.change(hierarchies={"city": "nowhere.csv"})
    assert work.rows() == [] and "can't be read" in work.problem and work.text == ""


def test_only_so_many_children_are_shown_and_the_others_are_found(desk):
    work = Work(desk, profile_of(pa.table({"city": [f"C{i:04}" for i in range(1000)]}), "city"))
    desk.listeners.append(work.follow)
    work.build(Hierarchy.flat())
    rows = work.rows()
    assert len(rows) == AT_A_NODE + 2 and rows[-1]["more"] == "800"
    work.wanted = "c099"
    assert len(work.rows()) == 11
    work.build(Hierarchy.flat())
    work.take(work.draft.add_level(ROOT, 100))
    assert [way for _, way in work.groups("c0400")] == ["* › C0400 .. C0499"]


def test_too_many_values_are_not_drawn_but_can_have_a_hierarchy(desk, monkeypatch):
    monkeypatch.setattr(hierarchy_work, "MOST", 3)
    work = Work(desk, profile_of(pa.table({"city": CITIES}), "city"))
    desk.listeners.append(work.follow)
    work.build(Hierarchy.flat())
    assert work.spec == "flat" and work.rows() == [] and "too many to be drawn" in work.problem


def test_an_empty_text_can_be_flat_but_not_edited(desk):
    work = Work(desk, profile_of(pa.table({"city": ["", "a"]}), "city"))
    desk.listeners.append(work.follow)
    work.build(Hierarchy.flat())
    assert work.spec == "flat" and "empty text" in work.problem


def test_what_a_browser_chooses_must_be_in_the_tree(work):
    work.build(Hierarchy.flat())
    work.choose([1, 99, -1])
    assert work.chosen == {1}


class Upload:
    """A file that a browser sent, whatever it had been told."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.was_read = False

    def size(self) -> int:
        return len(self.content)

    async def read(self) -> bytes:
        self.was_read = True
        return self.content


@pytest.mark.parametrize(
    ("size", "says"), [(LARGEST + 1, "larger than 4 MB"), (LARGEST, "not UTF-8")]
)
def test_a_file_that_is_too_large_is_not_even_read(size, says):
    panel = Panel.__new__(Panel)
    said = list[str]()
    panel.upload = SimpleNamespace(reset=lambda: None)  # type: ignore[assignment]
    panel.problem = SimpleNamespace(set_text=said.append)  # type: ignore[assignment]
    file = Upload(b"\xff" * size)
    in_a_loop(lambda: panel._upload(SimpleNamespace(file=file)))  # type: ignore[arg-type]
    assert says in said[0] and file.was_read == (size <= LARGEST)


def pane_of(work: Work, text: str) -> tuple[TextPane, list[Any]]:
    pane = TextPane.__new__(TextPane)
    shown = list[Any]()
    # type: ignore[assignment]
    pane.work = work
    pane.mine = False
    pane.taken = None
    pane.editor = SimpleNamespace(value=text)
    pane._show = shown.append  # type: ignore[method-assign]
    return pane, shown


def test_texts_are_checked_aside(work, monkeypatch):
    threads = set()
    fit = work.prepared
    monkeypatch.setattr(
        work, "prepared", lambda text: (threads.add(threading.get_ident()), fit(text))[1]
    )
    pane, shown = pane_of(work, "Oslo;North;*\nRome;South;*\nBergen;North;*\nMilan;South;*\n")
    loops = in_a_loop(lambda: taken(pane))
    assert (
        threads
        and loops not in threads
        and not shown[0].fatal
        and labels(work) == ["*", "North", "South"]
    )


async def taken(pane: TextPane) -> int:
    await pane.take()
    return threading.get_ident()


def test_what_was_typed_meanwhile_counts(work, monkeypatch):
    pane, shown = pane_of(work, "Oslo;North;*\nRome;South;*\nBergen;North;*\nMilan;South;*\n")
    fit = work.prepared
    monkeypatch.setattr(
        work, "prepared", lambda text: (setattr(pane.editor, "value", "Oslo;*"), fit(text))[1]
    )
    in_a_loop(lambda: pane.take())
    assert work.spec is None and not shown
