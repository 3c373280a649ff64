"""From a file to a verified release in a real browser, step by step, as someone would do it.

With SHOAL_PICTURES=docs/pictures the pictures of the documentation are taken on the way.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from shoal.studio.work.handing import FORMS
from studio.conftest import PATIENCE, Studio, choose
from studio.test_result_pages import on_tab

# of a run that works: its moves, what they gained, and the time that may remain
GAINED = re.compile(
    r"so far.*: \d.* %; \d.* % gained in [\d,]+ rounds?; at most about [\d,]+ s more"
)
PICTURES = os.environ.get("SHOAL_PICTURES")


def pictured(page: Any, name: str, *, top: bool = True) -> None:
    """A picture for the documentation, where they are asked for."""
    if PICTURES:
        if top:
            page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(700)  # until charts have come to rest
        page.screenshot(path=Path(PICTURES) / f"{name}.png")


def step(page: Any, name: str) -> None:
    page.locator("nav a.step", has_text=name).click()
    page.locator("main .title", has_text=name).wait_for()


def rows_are_there(page: Any) -> None:
    page.wait_for_function("document.querySelector('.ag-row [col-id=c0]')?.textContent?.length > 0")


def suggestions_are_taken(page: Any) -> None:
    step(page, "Roles")
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").filter(has_text="alone").wait_for()


def curve_is_drawn(page: Any) -> None:
    page.wait_for_function(
        "document.querySelector('[data-testid=curve-state]')?.textContent === ''"
    )


def k_is(page: Any, k: int) -> None:
    field = page.locator("[data-testid=k] input, input[data-testid=k]").first
    field.fill(str(k))
    field.press("Enter")
    page.get_by_test_id("k-words").filter(has_text=f"1 in {k}").wait_for()


def ran(page: Any, number: int) -> Any:
    """Click, and wait for what comes of it."""
    page.get_by_test_id("run").click()
    card = page.get_by_test_id("run-card").filter(has_text=f"Run {number}")
    card.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    return card


def taken(page: Any, form: str, folder: Path) -> list[Path]:
    """The archive of a release, unpacked."""
    choose(page, page.get_by_test_id("form"), form)
    # The archive of the form before it is there until the page has heard of the choice.
    suffix = next(suffix for suffix, name in FORMS.items() if name == form)
    archive = page.locator(f"[data-testid=archive][data-form='{suffix}']")
    with page.expect_download() as coming:
        archive.click()
    with zipfile.ZipFile(coming.value.path()) as packed:
        packed.extractall(folder)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def verified(folder: Path, release: str) -> str:
    """What `shoal verify` says of a download; it must hold."""
    command = [
        sys.executable,
        "-c",
        "from shoal.cli import main; main()",
        "verify",
        release,
        f"{release}.certificate.json",
    ]
    trees = ["--hierarchies", "hierarchies"] if (folder / "hierarchies").is_dir() else []
    done = subprocess.run(
        [*command, *trees], cwd=folder, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_the_demo_table_becomes_a_verified_release(
    page: Any, studio: Studio, tmp_path: Path
) -> None:
    page.get_by_test_id("demo").click()
    rows_are_there(page)
    pictured(page, "studio-table")
    suggestions_are_taken(page)
    pictured(page, "studio-roles")
    a_tree_is_edited(page)
    step(page, "Protection")
    curve_is_drawn(page)
    k_is(page, 10)
    pictured(page, "studio-protection")
    two_runs_and_one_that_is_cancelled(page, studio)
    results_are_seen(page)
    step(page, "Hand over")
    found = taken(page, "CSV", tmp_path)
    pictured(page, "studio-hand-over")
    assert {"released.csv", "released.csv.certificate.json", "recipe.toml", "report.html"} <= {
        path.name for path in found
    }
    assert not [path for path in found if "private" in path.name]
    assert "seed" not in (tmp_path / "recipe.toml").read_text()
    assert "verified: all " in verified(tmp_path, "released.csv")
    page.get_by_text("shoal anonymize").first.wait_for()
    for secret in ("Georg Hagshoff", "1979-10-25", "Sigrún"):
        assert secret not in studio.said()


def a_tree_is_edited(page: Any) -> None:
    """Two nationalities become one group, and the run goes by it."""
    step(page, "Hierarchies")
    page.get_by_test_id("trial-words").filter(has_text="Taken: postcode: digit by digit").wait_for()
    page.locator(".trees-columns button", has_text="nationality").click()
    page.locator(".trees-panel [role=heading]", has_text="nationality").wait_for()
    page.get_by_role("button", name="Flat").click()
    page.locator(".tree [role=treeitem]", has_text="Austrian").click()
    page.locator(".tree [role=treeitem]", has_text="Belgian").click(modifiers=["ControlOrMeta"])
    page.locator(".tree-chosen").nth(1).wait_for()
    page.get_by_role("button", name="Merge", exact=True).click()
    page.get_by_test_id("name").fill("Neighbours")
    page.get_by_test_id("ok").click()
    page.locator(".tree [role=treeitem]", has_text="Neighbours").first.wait_for()
    page.locator(".q-dialog").wait_for(state="detached")
    page.get_by_test_id("trial-words").filter(has_text=":").wait_for()
    pictured(page, "studio-hierarchies")


def two_runs_and_one_that_is_cancelled(page: Any, studio: Studio) -> None:
    step(page, "Run")
    ran(page, 1)
    step(page, "Protection")
    k_is(page, 25)
    step(page, "Run")
    ran(page, 2)
    page.get_by_test_id("compared").wait_for()
    pictured(page, "studio-run")
    with studio.standing_still():
        page.get_by_test_id("run").click()
        card = page.get_by_test_id("run-card").filter(has_text="Run 3")
        card.get_by_test_id("cancel").click()
        card.get_by_test_id("run-state").filter(has_text="ancelled").wait_for()


def results_are_seen(page: Any) -> None:
    step(page, "Result")
    page.locator(".changed-cell").first.wait_for()
    pictured(page, "studio-result")
    for tab in ("Distributions", "Correlations", "Risk", "Attacks", "Cost", "Groups and notes"):
        on_tab(page, tab)
        pictured(page, f"studio-{tab.lower().replace(' ', '-')}")


def test_adult_becomes_a_verified_release(page: Any, adult_csv: Path, tmp_path: Path) -> None:
    page.locator("input[type=file]").first.set_input_files(str(adult_csv))
    rows_are_there(page)
    page.get_by_test_id("size").filter(has_text="30,162 rows").wait_for()
    suggestions_are_taken(page)
    step(page, "Run")
    page.get_by_test_id("run").click()
    page.get_by_test_id("run-loss").filter(has_text=GAINED).wait_for()
    page.get_by_test_id("run-card").locator("svg:visible").wait_for()  # the live curve
    page.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    step(page, "Hand over")
    found = {path.name for path in taken(page, "Parquet", tmp_path)}
    assert {
        "released.parquet",
        "released.parquet.certificate.json",
        "recipe.toml",
        "report.html",
    } <= found
    assert "verified: all " in verified(tmp_path, "released.parquet")


def test_a_curve_chooses_k(page: Any) -> None:
    page.get_by_test_id("demo").click()
    rows_are_there(page)
    suggestions_are_taken(page)
    step(page, "Protection")
    curve_is_drawn(page)
    page.get_by_test_id("curve-table").click()
    page.get_by_test_id("curve-table").get_by_role("button", name="choose k = 20").click()
    page.get_by_test_id("k-words").filter(has_text="1 in 20").wait_for()
    page.get_by_role("button", name="Undo (Ctrl+Z)").click()
    page.get_by_test_id("k-words").filter(has_text="1 in 5").wait_for()


def test_two_browsers_have_two_desks(enter: Any, patients_csv: Path) -> None:
    mine = enter()
    theirs = enter()
    mine.locator("input[type=file]").first.set_input_files(str(patients_csv))
    rows_are_there(mine)
    theirs.reload()
    theirs.get_by_test_id("demo").wait_for()
    assert theirs.get_by_test_id("table-shown").count() == 0
    assert mine.evaluate("fetch('/rows/table/0/1').then((answer) => answer.status)") == 200


def test_a_table_of_traps_is_shown_as_text(page: Any, tmp_path: Path) -> None:
    script = "<img src=x onerror='window.trapped=1'>"
    named = tmp_path / "<script>window.trapped=2<∕script>.csv"
    lines = [f'"{script}",":age","=cmd|calc"'] + [
        f'"{script}{i % 3}",{20 + i % 40},"=1+{i % 5}"' for i in range(200)
    ]
    named.write_text("\n".join(lines))
    page.locator("input[type=file]").first.set_input_files(str(named))
    rows_are_there(page)
    page.get_by_test_id("table-shown").filter(has_text="<script>").wait_for()
    step(page, "Roles")
    page.get_by_test_id("column").filter(has_text=script).wait_for()
    for column in range(3):
        page.get_by_test_id("column").nth(column).get_by_text("Quasi", exact=True).click()
    page.get_by_test_id("alone").wait_for()
    for name in ("Hierarchies", "Protection", "Run"):
        step(page, name)
    ran(page, 1)
    step(page, "Result")
    rows_are_there(page)
    for tab in ("Distributions", "Correlations", "Cost"):
        on_tab(page, tab)
    step(page, "Hand over")
    page.get_by_text("should not become a CSV file").wait_for()
    assert page.evaluate("window.trapped") is None


@pytest.mark.parametrize("width", [390, 1366])
def test_no_step_runs_off_the_screen_in_the_dark(enter: Any, width: int) -> None:
    page = enter(
        viewport={"width": width, "height": 844 if width < 1000 else 768}, color_scheme="dark"
    )
    page.get_by_test_id("demo").click()
    rows_are_there(page)
    suggestions_are_taken(page)
    seen = {
        "Hierarchies": "[data-testid=build-all]",
        "Protection": "canvas, svg",
        "Run": "[data-testid=asked]",
        "Result": ".paper:visible",
        "Hand over": ".paper:visible",
        "Table": ".ag-row",
    }
    for name, drawn in seen.items():
        step(page, name)
        page.locator(".content").locator(drawn).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
    assert page.evaluate("document.body.classList.contains('body--dark')")
