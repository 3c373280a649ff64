"""The last two steps in a real browser: before and after, two runs side by side, and what is handed
over.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pytest

import shoal
from shoal.adapters.keys import make_keys
from shoal.studio.pages.result import TABS
from studio.conftest import PATIENCE, choose

WITH_RUNS = """
import json, sys
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.server import serve

lay = Desk.lay

def with_runs(desk, sheet):
    lay(desk, sheet)
    for asked in json.loads(sys.argv[2]):
        desk.put(Recipe.of(**asked))
        desk.run()

Desk.lay = with_runs
serve(lambda address: print(address, flush=True), sys.argv[1], browser=False)
"""
NAME = "<b>age</b>"
OTHER = ':to"wn'
NOTE = "note"
SEED = 918_273_645
# Neither release has one level for each column.
PANELS = {words: name for name, words in TABS.items() if name != "levels"}


@dataclass
class Studio:
    address: str
    port: int


def people(rows: int = 400) -> pa.Table:
    rng = np.random.default_rng(2)
    notes = rng.choice(["=1+1", "<script>alert(1)</script>", "well"], rows)
    return pa.table(
        {
            NAME: rng.integers(0, 90, rows),
            OTHER: rng.choice(["<i>x</i>", "{b}", "__proto__"], rows),
            NOTE: notes,
        }
    )


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio on whose desks two releases have been made."""
    folder = tmp_path_factory.mktemp("studio")
    csv.write_csv(people(), folder / "people.csv")
    first = {"quasi": [NAME, OTHER], "sensitive": [NOTE], "k": 5, "seed": SEED}
    tree = folder / "tree.csv"
    tree.write_text(
        "".join(
            f"{age};{'young' if age < 40 else 'old'};*\n"
            for age in sorted(set(people()[NAME].to_pylist()))
        )
    )
    plain = {"quasi": [NAME, OTHER], "k": 3, "seed": SEED, "hierarchies": {NAME: str(tree)}}
    with (folder / "errors.txt").open("w") as said:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                WITH_RUNS,
                str(folder / "people.csv"),
                json.dumps([plain, first]),
            ],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env={**os.environ, "TMPDIR": str(folder), "SHOAL_STUDIO_STATE": str(folder / "state")},
        )
    assert process.stdout
    address = process.stdout.readline().strip()
    yield Studio(address, int(address.partition("127.0.0.1:")[2].partition("/")[0]))
    process.terminate()
    process.wait(PATIENCE)
    assert not (folder / "errors.txt").read_text()


@pytest.fixture(scope="module")
def page(studio: Studio, browser: Any) -> Iterator[Any]:
    """One browser with one desk for all, as each desk makes its releases anew; it complains of
    nothing, and to nobody.
    """
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    complaints = []
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    page.on("dialog", lambda asked: complaints.append(asked.message))
    page.on(
        "request",
        lambda asked: None if f":{studio.port}/" in asked.url else complaints.append(asked.url),
    )
    page.goto(studio.address)
    at(page, "Run", "Side by side")  # as soon as there are two
    yield page
    context.close()
    assert not complaints


def at(page: Any, step: str, seen: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=step, exact=True).click()
    page.get_by_text(seen).first.wait_for()


def on_tab(page: Any, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()
    page.get_by_test_id(f"panel-{PANELS[name]}").locator(
        "> *"
    ).first.wait_for()  # drawn when it is first looked at


def chosen(page: Any, label: str, option: str) -> None:
    choose(page, page.get_by_role("combobox", name=label), option)


def cell(grid: Any) -> Any:
    """The first cell of a grid."""
    return grid.locator("[row-index='0'] [col-id='c0']")


def test_before_and_after_stand_next_to_each_other(page):
    at(page, "Result", "rows published")
    chosen(page, "Release", "Run 2")
    page.get_by_text("in 1 of 3 columns").or_(page.get_by_text("in 2 of 3 columns")).wait_for()
    page.locator(".changed-cell").first.wait_for()
    before = page.locator(".ag-root").nth(0)
    after = page.locator(".ag-root").nth(1)
    cell(before).get_by_text(str(people()[NAME][0]), exact=True).wait_for()
    cell(after).get_by_text("[").wait_for()
    assert "changed-cell" in cell(after).get_attribute("class")
    assert not before.locator(".changed-cell").count()
    assert page.get_by_text(NAME).count() and page.get_by_text(OTHER).count(), (
        "names are shown as they are"
    )
    page.evaluate("document.querySelectorAll('.ag-body-viewport')[0].scrollTop = 3000")
    page.wait_for_function("document.querySelectorAll('.ag-body-viewport')[1].scrollTop == 3000")


@pytest.mark.parametrize(("width", "scheme"), [(1366, "light"), (768, "dark")])
def test_two_runs_side_by_side_on_every_tab(page, width, scheme):
    page.set_viewport_size({"width": width, "height": 768})
    page.emulate_media(color_scheme=scheme)
    at(page, "Table", "choose the table")
    at(page, "Result", "rows published")
    chosen(page, "Release", "Run 1")
    chosen(page, "Beside it", "Run 2")
    page.get_by_text("After: Run 2").wait_for()
    for tab in PANELS:
        on_tab(page, tab)
        page.wait_for_function(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    on_tab(page, "Risk")
    nobody = page.locator("tr", has_text="sample-uniqueness").locator("td")
    assert nobody.nth(2).inner_text() == "0 %", "a dash would mean that nobody knows"
    on_tab(page, "Cost")
    for words in ("Which columns cost most", "Every loss"):
        page.get_by_text(words).wait_for()
    tops = "all => all.map(one => new Set([...one.children].map(card => card.offsetTop)).size)"
    lines = page.get_by_test_id("who-paid").evaluate_all(tops)
    assert len(lines) == 2 and (width < 1000 or lines == [1, 1]), "a run's cards stay together"
    page.set_viewport_size({"width": 1366, "height": 768})
    page.emulate_media(color_scheme="light")


def test_the_loss_is_the_same_on_every_page(page):
    at(page, "Result", "rows published")
    tile = page.locator(".tile", has_text="detail that a cell lost").locator(".tile-value")
    chosen(page, "Release", "Run 2")
    page.get_by_text("After", exact=True).wait_for()
    loss = tile.inner_text()
    at(page, "Run", "Side by side")
    card = page.get_by_test_id("run-card").filter(has_text="Run 2")
    assert (
        card.locator("tr", has_text="detail that a cell lost").locator("td").last.inner_text()
        == loss
    )
    assert not card.get_by_text("begun with").is_visible(), (
        "what only the method's makers understand is folded away"
    )


def test_a_term_explains_itself_under_the_keyboard(page):
    at(page, "Result", "rows published")
    page.get_by_role("combobox", name="Beside it").focus()
    page.keyboard.press("Tab")
    page.locator(".q-tooltip", has_text="Rows of a group look alike").wait_for()
    page.keyboard.press("Shift+Tab")
    page.locator(".q-tooltip").wait_for(state="detached")


def test_the_dearest_row_is_found_in_all_grids(page):
    at(page, "Table", "choose the table")
    at(page, "Result", "rows published")
    on_tab(page, "Cost")
    number = page.locator(".gap-1 button").first
    row = int(number.inner_text().replace(",", "")) - 1
    number.click()
    page.locator(f".ag-root [row-index='{row}']").nth(1).wait_for()
    page.wait_for_function(
        "new Set([...document.querySelectorAll('.ag-body-viewport')].map(one => "
        "one.scrollTop)).size == 1"
    )


def test_the_most_exposed_rows_are_named_with_what_gives_them_away(page):
    at(page, "Result", "rows published")
    chosen(page, "Release", "Run 2")
    chosen(page, "Beside it", "none")
    on_tab(page, "Who is at risk")
    before = page.get_by_test_id("exposed-before").locator("tbody tr")
    before.first.wait_for()
    row = int(before.first.get_by_role("button").first.inner_text().replace(",", "")) - 1
    age = str(people()[NAME][row])
    assert f"{NAME} {age}" in before.first.locator("td").nth(2).inner_text()
    after = page.get_by_test_id("exposed-after").locator("tbody tr")
    k = 5
    assert all(
        int(words.partition(":")[0]) >= k
        for words in after.locator("td:nth-child(2)").all_inner_texts()
    )
    before.first.get_by_role("button").first.click()
    cell = page.locator(f".ag-root [row-index='{row}'] [col-id='c0']").first
    cell.get_by_text(age, exact=True).wait_for()


def test_runs_and_tries_stand_in_one_picture_and_one_is_taken(page):
    at(page, "Run", "Candidates at a glance")
    asked = page.get_by_test_id("asked")
    first = asked.inner_text()
    page.get_by_test_id("candidates-start").click()
    state = page.get_by_test_id("candidates-state")
    state.filter(has_text="choices tried on all 400 rows").wait_for()
    page.get_by_test_id("candidates-start").wait_for()  # all were tried
    place = page.get_by_test_id("candidates")
    for kind in ("#d0843a", "#12929b", "#8a979c"):  # runs, and both kinds of tries
        assert place.locator(f"svg path[fill='{kind}']").count() > 1, "more than in the legend"

    # by keyboard, in the table beside the dots
    place.get_by_text("The same as a table").click()
    line = place.get_by_role("button", name="take k = 20; no further promise", exact=True)
    line.focus()
    page.keyboard.press("Enter")
    asked.get_by_text("k = 20", exact=True).wait_for()
    line.and_(place.locator("[disabled]")).wait_for()
    assert place.get_by_text("tried on all").count(), "the others stay"

    # on the chart: a run lies on top, and brings all of its settings
    top = place.locator("svg").bounding_box()["y"] + 50  # below the legend
    runs = place.locator("svg path[fill='#d0843a']").all()
    [dot, _] = [path for path in runs if path.bounding_box()["y"] > top]
    dot.click(force=True)
    asked.get_by_text("k = 20", exact=True).wait_for(state="detached")
    page.get_by_role("button", name="Undo").click()
    asked.get_by_text("k = 20", exact=True).wait_for()
    place.get_by_role("button", name="take Run 2").click()
    page.wait_for_function(
        "old => document.querySelector('[data-testid=asked]').innerText === old", arg=first
    )


def test_every_attack_is_tried_when_asked(page):
    at(page, "Result", "rows published")
    on_tab(page, "Attacks")
    page.get_by_test_id("attack-start").first.click()
    page.get_by_text("attacks that count").first.wait_for()
    assert page.get_by_text("record-linkage").count()
    said = " ".join(page.get_by_test_id("attack").all_inner_texts())
    assert "%" in said and not re.search(r"(?<!= )\d\.\d+(?![\d ]*%)", said), (
        "shares are percentages"
    )


def test_csv_is_refused_where_it_would_be_run_and_parquet_is_offered(page, tmp_path):
    at(page, "Hand over", "To make such a release again")
    chosen(page, "Release", "Run 2")
    page.get_by_text("should not become a CSV file").wait_for()
    page.get_by_role("button", name="Take Parquet instead").click()
    with page.expect_download() as fetched:
        page.get_by_test_id("archive").click()
    assert fetched.value.suggested_filename == "people.released.zip"
    fetched.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path)
    names = {path.name for path in tmp_path.iterdir()} - {"all.zip"}
    assert names == {
        "released.parquet",
        "released.parquet.certificate.json",
        "recipe.toml",
        "report.html",
    }
    assert not any(
        str(SEED).encode() in path.read_bytes()
        for path in tmp_path.iterdir()
        if path.suffix != ".zip"
    )
    assert shoal.verify(
        tmp_path / "released.parquet", tmp_path / "released.parquet.certificate.json"
    ).holds
    assert shoal.Recipe.read(tmp_path / "recipe.toml").quasi == (NAME, OTHER)


def test_a_release_is_signed_with_a_key_of_this_machine(page, tmp_path):
    make_keys(tmp_path / "my.key", "correct horse")
    at(page, "Table", "choose the table")
    at(page, "Hand over", "To make such a release again")
    chosen(page, "Release", "Run 1")
    state = page.get_by_test_id("signature")
    state.get_by_text("UNSIGNED").wait_for()
    page.get_by_test_id("key").fill(str(tmp_path / "none.key"))
    page.get_by_test_id("sign").click()
    page.get_by_text("can't be read").first.wait_for()
    page.get_by_test_id("key").fill(str(tmp_path / "my.key"))
    page.get_by_test_id("passphrase").fill("correct horse")
    page.get_by_test_id("sign").click()
    state.get_by_text("--key FILE.pub").wait_for()
    assert not state.get_by_text("UNSIGNED").count()
    with page.expect_download() as fetched:
        page.get_by_test_id("archive").click()
    fetched.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(tmp_path)
    public = tmp_path / "my.key.pub"
    stated = tmp_path / "released.csv.certificate.json"
    assert shoal.verify(tmp_path / "released.csv", stated, key=public).signed_by


def test_csv_where_nothing_would_be_run_and_what_to_type(page, tmp_path):
    at(page, "Table", "choose the table")
    at(page, "Hand over", "To make such a release again")
    chosen(page, "Release", "Run 1")
    page.get_by_test_id("archive").wait_for()
    with page.expect_download() as fetched:
        page.get_by_role("button", name="The release", exact=True).click()
    fetched.value.save_as(tmp_path / fetched.value.suggested_filename)
    with page.expect_download() as stated:
        page.get_by_role("button", name="Its public certificate").click()
    stated.value.save_as(tmp_path / stated.value.suggested_filename)
    assert (tmp_path / "released.csv").read_text().count("\n") == 401
    verify = page.locator(".typed-verify").inner_text().split()
    assert verify[:4] == ["shoal", "verify", "released.csv", "released.csv.certificate.json"]
    assert all((tmp_path / name).exists() for name in verify[2:4]), (
        "the files are called as in the archive"
    )
    command = page.locator(".typed-command").inner_text()
    assert (
        command.startswith("shoal anonymize people.csv -o people.released.csv -q ")
        and str(SEED) not in command
    )
    assert 'release.write("people.released.csv")' in page.locator(".typed-lines").inner_text()


def test_a_hierarchy_that_follows_the_table_is_handed_over_only_if_everyone_knows_it(
    page, tmp_path
):
    at(page, "Table", "choose the table")
    at(page, "Hand over", "To make such a release again")
    chosen(page, "Release", "Run 1")
    page.get_by_text("Some hierarchies follow your table").wait_for()
    for known in (False, True):
        if known:
            page.get_by_test_id("known").click()
        page.get_by_role(
            "button",
            name="A hierarchy that the recipe names"
            if known
            else "A hierarchy that stays with you",
        ).wait_for()
        with page.expect_download() as fetched:
            page.get_by_test_id("archive").click()
        fetched.value.save_as(tmp_path / "all.zip")
        with zipfile.ZipFile(tmp_path / "all.zip") as archive:
            assert ("hierarchies/_b_age__b_.csv" in archive.namelist()) == known
