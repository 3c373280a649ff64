"""The step of running in a real browser: several runs, one cancelled, one refused, one removed and
brought back by undo.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from shoal.recipe import Recipe
from shoal.screen import percent
from shoal.studio.pages.running import summary
from shoal.studio.pages.runs_compared import _marked
from studio.conftest import Studio, started
from studio.test_protection_page import people


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with a table on every desk."""
    folder = tmp_path_factory.mktemp("running")
    running = started(folder / "studio", str(people(folder, 3_000)))
    yield running
    running.stop()


@pytest.fixture
def running(page: Any) -> Any:
    """The step, with roles taken as suggested."""
    page.get_by_role("link", name="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").get_by_text("alone with these columns").wait_for()
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_test_id("run").wait_for()
    return page


def card(page: Any, number: int) -> Any:
    return page.get_by_test_id("run-card").filter(has=page.get_by_text(f"Run {number}", exact=True))


def run(page: Any, state: str, number: int) -> Any:
    page.get_by_test_id("run").click()
    card(page, number).get_by_text(state).wait_for()
    return card(page, number)


@contextmanager
def begun(page: Any, studio: Studio, number: int) -> Iterator[None]:
    """A run that has begun and does not come to its end meanwhile."""
    with studio.standing_still() as still:
        page.get_by_test_id("run").click()
        card(page, number).get_by_text("...").wait_for()
        still()
        yield


def choose_k(page: Any, k: int) -> None:
    page.get_by_role("link", name="Protection").first.click()
    page.get_by_test_id("k").fill(str(k))
    page.get_by_test_id("k-words").get_by_text(f"1 in {k:,}").wait_for()
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_test_id("asked").get_by_text(f"k = {k:,}").wait_for()


def test_runs_side_by_side_used_again_removed_and_brought_back(running: Any) -> None:
    first = run(running, "Done: every promise was recounted", 1)
    assert first.get_by_text("detail that a cell lost").count()
    first.get_by_text("at most 1 in 50 before").first.wait_for()
    choose_k(running, 3_000)
    everybody_alike = run(running, "Done and recounted, but columns are lost", 2)
    everybody_alike.get_by_test_id("lost-column").get_by_text("tells nearly nothing").wait_for()
    everybody_alike.get_by_role("button", name="Keep age more exact").click()
    running.get_by_test_id("asked").get_by_text("age 3 times as much").wait_for()
    running.get_by_role("button", name="Undo").click()
    running.get_by_test_id("asked").get_by_text("every column as usual").wait_for()
    table = running.get_by_test_id("compared")
    table.get_by_text("(lowest)").nth(1).wait_for()
    card(running, 1).get_by_test_id("again").click()
    running.get_by_test_id("asked").get_by_text("k = 5").wait_for()
    running.get_by_role("button", name="Undo").click()
    running.get_by_test_id("asked").get_by_text("k = 3,000").wait_for()
    card(running, 1).get_by_test_id("remove").click()
    card(running, 1).wait_for(state="detached")
    running.keyboard.press("Control+z")
    card(running, 1).get_by_text("Done").wait_for()
    running.get_by_test_id("asked").get_by_text("k = 3,000").wait_for()
    running.get_by_test_id("run").focus()
    running.keyboard.press("Meta+Shift+z")  # also while a button has the focus
    card(running, 1).wait_for(state="detached")
    running.keyboard.press("Control+z")
    card(running, 1).get_by_text("Done").wait_for()
    kept_or_thrown_away_with_another_table(running)
    running.set_viewport_size({"width": 768, "height": 1024})
    assert running.evaluate("document.documentElement.scrollWidth") <= 768


def kept_or_thrown_away_with_another_table(page: Any) -> None:
    """Runs are about one table: another one is asked about first."""
    page.get_by_role("link", name="Table").first.click()
    for take in ("demo", "read-again"):
        if take == "read-again":
            page.get_by_text("What each column was taken for").click()
        page.get_by_test_id(take).click()
        page.get_by_text("All 2 runs that were made").wait_for()
        page.get_by_test_id("keep").click()
        page.get_by_text("All 2 runs that were made").wait_for(state="detached")
    page.set_input_files(
        "input[type=file]",
        {"name": "other.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n3,4\n5,6\n"},
    )
    page.get_by_test_id("throw-away").click()
    page.get_by_test_id("table-shown").get_by_text("other.csv").wait_for()
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_test_id("asked").get_by_text("other.csv").wait_for()
    page.get_by_text("The table has 3 rows: no 5 of them can look alike.").wait_for()
    assert page.get_by_test_id("run").is_disabled() and not page.get_by_test_id("run-card").count()


def test_what_is_refused_shows_the_whole_reason_and_the_button_keeps_the_focus(
    running: Any,
) -> None:
    running.get_by_role("link", name="Protection").first.click()
    running.get_by_test_id("model-l-diversity").click()
    running.locator(".model", has=running.get_by_test_id("model-l-diversity")).locator(
        "input[type=number]"
    ).first.fill("9")
    running.get_by_role("link", name="Run", exact=True).click()
    running.get_by_test_id("asked").get_by_text("l = 9").wait_for()
    running.get_by_test_id("run").focus()
    running.keyboard.press("Enter")
    card(running, 1).get_by_text("Refused: nothing was published").wait_for()
    assert running.evaluate("document.activeElement.dataset.testid") == "run"
    card(running, 1).locator(".problem").get_by_text("diagnosis").wait_for()


def test_a_cancelled_or_killed_run_leaves_nothing_and_the_studio_alive(
    running: Any, studio: Studio
) -> None:
    others = set(studio.folder.rglob("run-*"))
    with begun(running, studio, 1):
        card(running, 1).get_by_test_id("cancel").click()
        card(running, 1).get_by_text("Cancelled: nothing was kept").wait_for()
    with begun(running, studio, 2):
        for process in studio.workers():
            os.kill(process, signal.SIGKILL)
        card(running, 2).get_by_text("Failed: nothing was published").wait_for()
    assert not set(studio.folder.rglob("run-*")) - others
    run(running, "Done", 3)


def test_a_run_goes_on_when_the_tab_is_closed(running: Any, studio: Studio) -> None:
    context = running.context
    with begun(running, studio, 1):
        running.close()
    again = context.new_page()
    again.goto(f"http://127.0.0.1:{studio.port}/run")
    card(again, 1).get_by_text("Done").wait_for()


def test_nothing_can_be_run_before_there_are_roles(page: Any) -> None:
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_text("no quasi-identifier is named").wait_for()
    assert page.get_by_test_id("run").is_disabled()


def test_a_summary_says_all_that_is_asked() -> None:
    recipe = Recipe.of(
        quasi=["age"],
        sensitive=["ill"],
        identifiers=["name"],
        models=["t-closeness(t=0.2)"],
        withhold=0.01,
    )
    said = {what: words for _, what, words in summary(recipe, "people.csv")}
    assert said["Table"] == "people.csv"
    assert said["Roles"] == "generalized: age; sensitive: ill; removed: name"
    assert (
        said["Protection"]
        == "k = 5; t-closeness (t = 0.2, distance = equal); at most 1 % of the rows left out"
    )


def test_the_lowest_is_marked_where_they_differ() -> None:
    assert _marked([0.5, None, 0.25], percent) == ["50 %", "-", "25 % (lowest)"]
    assert _marked([0.5, 0.5], percent) == ["50 %", "50 %"]
