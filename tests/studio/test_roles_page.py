"""The step of roles in a real browser: suggestions, choices by mouse and keyboard, and a picture
that is a literal count.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from shoal.adapters.demo_data import patients

EVIL = "<img src=x onerror=alert(1)>"
AT_FIRST = """() => new MutationObserver((_, watch) => {
  const words = document.querySelector('[data-testid=alone]')
  if (!words) return
  const seen = [...document.querySelectorAll('.line .effect')]
    .filter((one) => getComputedStyle(one).visibility !== 'hidden')
  window.atFirst = [words.textContent, seen.length]
  watch.disconnect()
}).observe(document, {childList: true, subtree: true})"""
QUASI = ["birth_date", "sex", "postcode", "nationality", "admission_date"]


def alone(columns: list[str]) -> int:
    """How many patients nobody else is like."""
    table = patients()
    rows = list(zip(*(table[name].to_pylist() for name in columns), strict=True))
    times = Counter(rows)
    return sum(times[row] == 1 for row in rows)


def says(page: Any, columns: list[str]) -> None:
    """The picture shows the count of these columns."""
    page.get_by_test_id("alone").get_by_text(
        f"{alone(columns):,} of 5,000 people are alone with these columns"
    ).wait_for()


def line(page: Any, name: str) -> Any:
    return page.get_by_test_id("column").filter(
        has=page.locator(".name").get_by_text(name, exact=True)
    )


def role(page: Any, name: str) -> str:
    return str(line(page, name).locator("[aria-pressed=true]").inner_text())


def opened(page: Any, path: Path) -> Any:
    page.set_input_files("input[type=file]", path)
    page.get_by_test_id("size").wait_for()
    page.get_by_role("link", name="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").wait_for()
    return page


def test_suggestions_are_taken_and_the_picture_follows_each_choice(
    page: Any, patients_csv: Path
) -> None:
    page.get_by_role("link", name="Roles").click()
    page.get_by_text("There is no table yet").wait_for()
    page.get_by_role("link", name="Choose a table first").click()
    page.set_input_files("input[type=file]", patients_csv)
    page.get_by_test_id("size").wait_for()
    page.evaluate(AT_FIRST)
    page.get_by_role("link", name="Roles").click()
    page.get_by_text("No column is chosen yet").wait_for()
    words, bars = page.evaluate("window.atFirst")
    assert bars == 0 or words != "Counting ..."  # it may be counted before anyone can look
    assert role(page, "postcode") == "Drop"
    line(page, "name").get_by_text(
        "Suggested: identifier, as its name says that it names someone."
    ).wait_for()
    page.get_by_test_id("take-all").click()
    says(page, QUASI)
    assert [role(page, name) for name in ("name", *QUASI, "diagnosis")] == [
        "Identifier",
        *["Quasi"] * 5,
        "Sensitive",
    ]
    fewer = alone(QUASI) - alone(QUASI[1:])
    line(page, "birth_date").get_by_text(f"Without it, {fewer:,} fewer would be alone.").wait_for()
    line(page, "birth_date").get_by_role("button", name="Drop").focus()
    page.keyboard.press("Enter")
    says(page, QUASI[1:])
    line(page, "birth_date").get_by_text(f"With it, {fewer:,} more would be alone.").wait_for()
    share = alone(QUASI[1:]) / 5_000
    page.get_by_test_id("picture").get_by_text(
        f"alone: {alone(QUASI[1:]):,} ({100 * share:.1f} %)"
    ).wait_for()
    page.get_by_role("button", name="Undo").click()
    says(page, QUASI)
    assert role(page, "birth_date") == "Quasi"


def test_choices_in_quick_succession_end_with_the_last(page: Any, patients_csv: Path) -> None:
    opened(page, patients_csv)
    for name in QUASI[:3]:
        line(page, name).get_by_role("button", name="Quasi").click()
    says(page, QUASI[:3])
    assert [role(page, name) for name in QUASI] == ["Quasi"] * 3 + ["Drop"] * 2
    page.get_by_text("More: several rows about one person").click()
    page.get_by_label("Column that says whose row it is").click()
    page.get_by_role("option", name="postcode").click()
    page.get_by_test_id("alone").get_by_text("rows are alone").wait_for()
    assert role(page, "postcode") == "Identifier"


def test_names_of_columns_are_only_shown_and_fit_a_tablet(enter: Any, tmp_path: Path) -> None:
    page = enter(viewport={"width": 768, "height": 1024}, color_scheme="dark")
    names = [EVIL, ":odd", "a b", "x" * 200, "E-Mail"]
    rows = [f"{i % 7},{i % 3},z,{i},somebody.{i}@somewhere.example" for i in range(50)]
    (tmp_path / "odd.csv").write_text("\n".join([",".join(names), *rows]))
    opened(page, tmp_path / "odd.csv")
    short = line(page, "E-Mail").locator(".name").bounding_box()
    assert short["height"] < 30, "long values leave a name its line"
    for name in names[:-1]:
        line(page, name).get_by_role("button", name="Quasi").click()
    page.get_by_test_id("alone").get_by_text("50 of 50 people are alone").wait_for()
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 768
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function("document.documentElement.scrollWidth <= 390")
    assert line(page, "E-Mail").locator(".name").bounding_box()["height"] < 30
