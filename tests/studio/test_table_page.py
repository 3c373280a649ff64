"""The first step in a real browser: a table by drop, by keyboard, from a database; its rows, its
kinds, its refusals.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import files
from studio.conftest import Studio, choose

EVIL = "<img src=x onerror=alert(1)>"
DROP = """async ([text, name]) => {
  const given = new DataTransfer()
  given.items.add(new File([text], name))
  const how = {dataTransfer: given, bubbles: true, cancelable: true}
  const at = (place, what) => place.dispatchEvent(new DragEvent(what, how))
  at(document.querySelector('[data-testid=drop]'), 'dragover')
  while (!document.querySelector('.q-uploader__dnd')) await new Promise(requestAnimationFrame)
  at(document.querySelector('.q-uploader__dnd'), 'drop')
}"""


def chosen(page: Any, path: Path) -> None:
    page.set_input_files("input[type=file]", path)
    page.get_by_test_id("table-shown").get_by_text(path.name, exact=True).wait_for()


def cell(page: Any, row: int, place: int) -> Any:
    return page.locator(f".ag-center-cols-container [row-index='{row}'] [col-id='c{place}']")


def formats_opened(page: Any) -> None:
    page.get_by_text("What each column was taken for").click()
    page.locator(".formats").wait_for()


def test_the_demo_table_is_there_with_a_click_and_fits_a_tablet(enter: Any) -> None:
    page = enter(viewport={"width": 768, "height": 1024}, color_scheme="dark")
    page.get_by_test_id("demo").click()
    page.get_by_test_id("size").get_by_text("5,000 rows, 8 columns").wait_for()
    assert page.get_by_test_id("table-shown").inner_text() == "patients.csv"
    cell(page, 0, 1).get_by_text("1979-10-25").wait_for()
    formats_opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 768
    a_project_is_named_left_opened_and_deleted(page)


def a_project_is_named_left_opened_and_deleted(page: Any) -> None:
    own = page.get_by_test_id("project")
    own.get_by_role("button", name="Rename").click()
    page.get_by_test_id("project-name").fill("Ward in May")
    page.get_by_test_id("rename").click()
    own.get_by_text("Project: Ward in May").wait_for()
    page.get_by_test_id("begin").click()
    listed = page.get_by_test_id("open-project").filter(has_text="Ward in May")
    listed.click()
    page.get_by_test_id("table-shown").get_by_text("patients.csv").wait_for()
    own.get_by_role("button", name="Delete").click()
    page.get_by_test_id("delete-it").click()
    page.get_by_test_id("welcome").wait_for()
    listed.wait_for(state="detached")


def test_a_file_is_dropped_and_its_texts_stay_texts(page: Any, studio: Studio) -> None:
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    page.evaluate(
        DROP,
        [
            f'":rows",{EVIL},a"b\n1,{EVIL},x\n2,javascript:alert(2),y\n'.replace('a"b', "{{7*7}}"),
            f"{EVIL}.csv",
        ],
    )
    page.get_by_test_id("size").get_by_text("2 rows, 3 columns").wait_for()
    assert page.get_by_test_id("table-shown").inner_text() == f"{EVIL}.csv"
    cell(page, 0, 1).get_by_text(EVIL).wait_for()
    page.locator(".ag-header-cell", has_text=EVIL).wait_for()
    formats_opened(page)
    page.locator(".formats").get_by_text("{{7*7}}").wait_for()
    assert page.locator("img[src=x]").count() == 0 and not alerts
    assert not [
        path for path in studio.folder.rglob("*") if "img" in path.name or "onerror" in path.name
    ]


def test_a_file_is_chosen_by_keyboard_and_formats_are_said(page: Any, tmp_path: Path) -> None:
    """German dates and decimals are understood; unclear ones are asked for, and said in a word."""
    rows = [
        f"{1 + i % 9:02}.11.19{50 + i % 40};0{1 + i % 9}/0{1 + i % 8}/2024;{i},5" for i in range(60)
    ]
    (tmp_path / "ward.csv").write_text("Geburt;Besuch;Kosten\n" + "\n".join(rows))
    page.wait_for_load_state("networkidle")  # until all that the page is made of has come
    with page.expect_file_chooser() as chooser:
        page.get_by_test_id("choose").press("Enter")
    chooser.value.set_files(tmp_path / "ward.csv")
    page.get_by_test_id("size").get_by_text("60 rows").wait_for()
    formats_opened(page)
    formats = page.locator(".formats")
    formats.get_by_text("01.11.1950 → 1950-11-01").wait_for()
    formats.get_by_text(re.compile(r"^0\.5; 1\.5")).wait_for()  # what stays as it is has no arrow
    formats.get_by_text(
        "Say which: a date, day before month or a date, month before day"
    ).wait_for()
    choose(page, page.get_by_test_id("format-Besuch"), "a date, month before day")
    formats.get_by_text("02/02/2024 → 2024-02-02").wait_for()
    choose(page, page.get_by_test_id("format-Kosten"), "a date")
    formats.locator(".problem").wait_for()
    page.get_by_role("button", name="Undo").click()
    formats.get_by_text(re.compile(r"^0\.5; 1\.5")).wait_for()
    assert page.get_by_test_id("size").inner_text() == "60 rows, 3 columns"


def test_the_keyboard_leaves_the_table_and_goes_about_in_it(page: Any) -> None:
    page.get_by_test_id("demo").click()
    cell(page, 0, 1).get_by_text("1979-10-25").wait_for()
    page.locator(".grid .ag-cell[tabindex='0']").wait_for()
    page.get_by_role("link", name="Next: say what each column is").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("!!document.activeElement.closest('.grid')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.getAttribute('col-id') === 'c0'")
    page.wait_for_function("document.activeElement.tabIndex === 0")
    assert page.locator(".grid .ag-cell[tabindex='0']").count() == 1
    page.keyboard.press("Tab")
    assert not page.evaluate("!!document.activeElement.closest('.grid')")
    assert "rgb" in page.evaluate("getComputedStyle(document.activeElement).boxShadow")


def test_an_address_that_is_none_leads_to_the_first_step(page: Any, studio: Studio) -> None:
    page.goto(f"http://127.0.0.1:{studio.port}/roles/of/nobody")
    page.get_by_text("There is no such step.").wait_for()
    assert page.locator("main").count() == 1
    page.get_by_role("link", name="Go to the first step").click()
    page.get_by_test_id("demo").wait_for()


def test_a_database_is_read_and_its_address_is_not_said_again(
    page: Any, studio: Studio, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "ward.db") as database:
        database.execute("create table people (age integer, town text)")
        database.executemany(
            "insert into people values (?, ?)", [(40 + i, "Oslo") for i in range(30)]
        )
    page.get_by_test_id("database").click()
    address = page.get_by_test_id("address")
    table = page.get_by_test_id("table-name")
    assert address.get_attribute("type") == "password"
    address.fill("me:hunter2@host")
    page.get_by_test_id("read-database").click()
    page.get_by_text("that is no address of a database").wait_for()
    address.fill(f"sqlite:///{tmp_path}/ward.db?mode=hunter2")
    table.fill("people")
    page.get_by_test_id("read-database").click()
    page.get_by_test_id("size").get_by_text("30 rows, 2 columns").wait_for()
    assert page.get_by_test_id("table-shown").inner_text() == "ward.db, table people"
    assert "hunter2" not in page.content() and "hunter2" not in studio.said()
    address.wait_for(state="detached")
    page.get_by_test_id("database").click()
    assert address.input_value() == ""


def test_a_long_table_is_scrolled_to_its_end_and_little_of_it_is_held(
    page: Any, tmp_path: Path
) -> None:
    files.write(pa.table({"n": range(300_000), "text": ["x"] * 300_000}), tmp_path / "long.parquet")
    chosen(page, tmp_path / "long.parquet")
    assert not page.get_by_test_id("read-again").count()  # there is one way to read it
    cell(page, 0, 0).get_by_text("0", exact=True).wait_for()
    for top in [*range(0, 9_000_000, 300_000), 9_000_000]:
        page.evaluate(f"document.querySelector('.ag-body-viewport').scrollTop = {top}")
        page.wait_for_timeout(20)
    cell(page, 299_999, 0).get_by_text("299999").wait_for()
    assert page.locator(".ag-center-cols-container .ag-row").count() < 60
    assert page.evaluate("document.querySelectorAll('*').length") < 3_000
    refused_and_read_in_another_way(page, tmp_path / "umlaut.csv")


def refused_and_read_in_another_way(page: Any, path: Path) -> None:
    """A refusal leaves the table that was there, and the file can be read as it is written."""
    path.write_bytes("Stadt;Land\nKöln;D\nZürich;CH\n".encode("cp1252"))
    page.set_input_files("input[type=file]", path)
    problem = page.get_by_test_id("problem")
    problem.get_by_text("'umlaut.csv' is not UTF-8").wait_for()
    assert "Köln" not in problem.inner_text() and "shoal-studio" not in problem.inner_text()
    assert page.get_by_test_id("table-shown").inner_text() == "long.parquet"
    choose(page, page.locator(".refusal .q-select", has_text="encoding"), "Windows (cp1252)")
    page.locator(".refusal").get_by_test_id("read-again").click()
    cell(page, 0, 0).get_by_text("Köln").wait_for()
    problem.wait_for(state="hidden")
