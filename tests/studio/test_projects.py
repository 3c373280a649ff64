"""Projects: what was asked and made is there again, whatever happened to the studio."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from shoal.recipe import Recipe
from shoal.studio import projects
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet, StudioRun
from shoal.studio.desk_state import TOLD, keep, opened
from shoal.studio.desks import Desks
from shoal.studio.guard import AccessGuard
from shoal.studio.jobs import Job
from shoal.studio.projects import KEPT_FOR, Projects
from shoal.studio.work.anonymizing import laid_out
from studio.conftest import PATIENCE, Studio

PEOPLE = pa.table({"age": [1, 2], "zip": ["a", "b"], "ill": ["x", "y"]})


class Begun:
    """A shop that begins work and never ends it."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def start(self, do: str, *, then: Any = None, **asked: Any) -> Job:
        self.asked.append((do, asked))
        return Job(do, asked)


@pytest.fixture
def shelf(tmp_path: Path) -> Projects:
    return Projects(tmp_path / "state")


def laid(shelf: Projects, shop: Any = None, place: str = "") -> Desk:
    """A desk with a table, as it is after an upload."""
    desks = Desks(shelf, shop or Begun())
    desk = desks.of("browser")
    path = desk.new_place(".arrow")
    laid_out(PEOPLE, path)
    upload = desk.new_place()
    upload.write_text("age,zip,ill\n1,a,x\n2,b,y\n")
    kinds = dict.fromkeys(PEOPLE.column_names, "category")
    desk.lay(Sheet("ward.csv", path, PEOPLE, kinds, {"place": place or str(upload), "table": None}))
    return desk


def finished(desk: Desk, k: int) -> StudioRun:
    assert desk.sheet is not None
    desk.count += 1
    folder = desk.folder / f"run-{desk.count}"
    folder.mkdir()
    job = Job("anonymize", {}, state="done", result={"k": k, "facts": {}}, began=0.0, ended=3.5)
    desk.made.append(StudioRun(desk.count, desk.recipe, folder, job, desk.sheet))
    desk.changed()
    return desk.made[-1]


def test_what_was_asked_and_made_comes_back_after_a_kill(shelf: Projects) -> None:
    desk = laid(shelf)
    desk.change(quasi=["age", "zip"], sensitive=["ill"], k=2, importance={"age": 4})
    finished(desk, 2)
    desk.change(k=9)
    desk.rename("the ward")
    (desk.folder / "run-7").mkdir()  # a run that was cut off; nothing else was closed or told
    again = opened(desk.folder, Begun())  # type: ignore[arg-type]
    assert again.recipe == desk.recipe and again.recipe.k == 9 and again.title == "the ward"
    assert again.sheet is not None and again.sheet.table.equals(PEOPLE)
    [run] = again.finished
    assert (run.number, run.told["k"], run.recipe.k, run.job.seconds) == (1, 2, 2, 3.5)
    assert again.count == 1 and not (desk.folder / "run-7").exists()


def test_it_is_for_its_owner_alone(shelf: Projects) -> None:
    desk = laid(shelf)
    assert shelf.folder.stat().st_mode & 0o777 == 0o700
    assert desk.folder.stat().st_mode & 0o777 == 0o700
    assert (desk.folder / projects.NAME).stat().st_mode & 0o777 == 0o600


def test_addresses_of_databases_are_not_kept(shelf: Projects) -> None:
    desk = laid(shelf, place="postgresql://me:hunter2@host/ward")
    desk.change(k=3)
    assert "hunter2" not in (desk.folder / projects.NAME).read_text()


def aged(folder: Path, seconds: float) -> None:
    state = projects.read(folder)
    assert state is not None
    projects.write(folder, {**state, "changed": time.time() - seconds})


def test_after_seven_days_settings_stay_and_wait_for_their_table(shelf: Projects) -> None:
    desk = laid(shelf)
    trees = desk.folder / "trees"
    trees.mkdir()
    (trees / "zip.csv").write_text("a;*\nb;*\n")
    asked = {"quasi": ["age", "zip"], "k": 2, "hierarchies": {"zip": str(trees / "zip.csv")}}
    desk.change(**asked)
    finished(desk, 2)
    desk.close()
    aged(desk.folder, KEPT_FOR - 60)
    shelf.tidy()
    assert len(list(desk.folder.glob("*.arrow"))) == 1
    aged(desk.folder, KEPT_FOR + 60)
    shelf.tidy()
    assert sorted(path.name for path in desk.folder.iterdir()) == [projects.NAME, "trees"]
    again = opened(desk.folder, Begun())  # type: ignore[arg-type]
    assert again.sheet is None and again.awaiting == "ward.csv" and again.recipe == desk.recipe
    other = Sheet("other.csv", again.new_place(), PEOPLE.drop(["zip"]), {}, {"place": "x"})
    assert desk.sheet is not None
    again.lay(desk.sheet)
    assert again.recipe == desk.recipe, "the settings were waiting for this table"
    again.lay(other)
    assert again.recipe == Recipe(), "and not for another"


def test_a_file_of_the_users_own_is_read_again_from_its_place(
    shelf: Projects, tmp_path: Path
) -> None:
    (tmp_path / "ward.csv").write_text("age,zip,ill\n1,a,x\n")
    desk = laid(shelf, place=str(tmp_path / "ward.csv"))
    desk.change(quasi=["age"], k=2)
    desk.close()
    aged(desk.folder, KEPT_FOR + 60)
    shelf.tidy()
    shop = Begun()
    opened(desk.folder, shop)  # type: ignore[arg-type]
    [(do, asked)] = shop.asked
    assert do == "read" and asked["place"] == str(tmp_path / "ward.csv")


def test_two_studios_never_have_one_project(shelf: Projects) -> None:
    desk = laid(shelf)
    assert not shelf.recent()[0].is_busy
    (desk.folder / projects.OPEN).write_text(str(os.getppid()))
    assert shelf.recent()[0].is_busy
    aged(desk.folder, KEPT_FOR + 60)
    Projects(shelf.folder)
    assert list(desk.folder.glob("*.arrow")), "the other studio still works with it"
    assert not Desks(shelf, Begun()).open("browser", desk.folder.name)  # type: ignore[arg-type]


def test_projects_are_listed_renamed_opened_and_removed(shelf: Projects) -> None:
    desk = laid(shelf)
    desks = Desks(shelf, Begun())  # type: ignore[arg-type]
    empty = desks.of("browser")
    desk.close()
    key = desk.folder.name
    assert [(one.key, one.title) for one in shelf.recent()] == [(key, "ward.csv")]
    shelf.rename(key, "  my\nward ")
    assert desks.open("browser", key) and desks.of("browser").title == "myward"
    assert not empty.folder.exists(), "nothing was on it"
    desks.of("browser").rename("again")
    assert shelf.recent()[0].title == "again"
    desks.open("another browser", key)
    assert desks.of("another browser") is desks.of("browser")
    desks.begin("browser")
    assert desks.of("browser").sheet is None and desk.folder.exists()
    desks.remove("browser", key)
    assert not desk.folder.exists() and desks.of("another browser").sheet is None


def test_nothing_is_half_written(shelf: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = laid(shelf)
    before = (desk.folder / projects.NAME).read_text()

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    run = finished(desk, 2)
    desk.change(k=77)
    assert not list(run.folder.iterdir()), "what a run told is whole or not there"
    assert (desk.folder / projects.NAME).read_text() == before
    assert [path.name for path in desk.folder.glob("project*")] == [projects.NAME]
    monkeypatch.undo()
    keep(desk)
    assert json.loads((desk.folder / projects.NAME).read_text())["recipe"]["k"] == 77
    assert json.loads((run.folder / TOLD).read_text())["k"] == 2


def test_a_new_table_is_kept_before_the_old_one_goes(shelf: Projects) -> None:
    """A kill in between leaves a project with a table, and never one without."""
    desk = laid(shelf)
    assert desk.sheet is not None
    old = desk.sheet.path
    run = finished(desk, 2)
    there: list[bool] = []
    desk.listeners.append(lambda: there.append(old.exists() and run.folder.exists()))
    new = desk.new_place(".arrow")
    laid_out(PEOPLE, new)
    desk.lay(Sheet("other.csv", new, PEOPLE, {}, {"place": "x", "table": None}))
    assert there[0] and not old.exists() and not run.folder.exists()
    state = projects.read(desk.folder)
    assert state is not None and state["table"]["file"] == new.name and not state["runs"]


def cookie_for(studio: Studio, path: str, cookie: str = "") -> str:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=PATIENCE)
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    given = connection.getresponse().headers["set-cookie"]
    return str(given).partition(";")[0]


def test_the_printed_address_leads_back_to_the_same_desk(studio: Studio) -> None:
    address = f"/?token={studio.token}"
    first = cookie_for(studio, f"{address}&new=1")
    assert cookie_for(studio, address, first) == first
    assert cookie_for(studio, f"{address}&new=1", first) != first


def test_who_lost_the_cookie_comes_to_the_desk_that_nobody_looks_at(shelf: Projects) -> None:
    looked_at: set[str] = set()
    desks = Desks(shelf, Begun(), looked_at=looked_at.__contains__)  # type: ignore[arg-type]
    assert desks.last_left() is None
    desks.of("first")
    desks.of("second")
    assert desks.last_left() == "second"
    looked_at.add("second")
    assert desks.last_left() == "first"
    looked_at.add("first")
    assert desks.last_left() is None
    app: Any = SimpleNamespace()
    assert AccessGuard(app, port=1, token="t", most=1).last_left() is None


def test_killed_together_with_the_browser_a_project_is_whole(browser: Any) -> None:
    """Three rounds of `studio.killing`: in a run, in an upload, in a save; it can do fifty."""
    done = subprocess.run(
        [sys.executable, "-m", "studio.killing", "3"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
    )
    assert done.stdout == "whole in 3 of 3 rounds\n", done.stderr
