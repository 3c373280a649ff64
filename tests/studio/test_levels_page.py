"""The same bands for everyone in a real browser: dots of loss against risk, and ladders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.conftest import Studio, started


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with a small table on every desk."""
    folder = tmp_path_factory.mktemp("levels")
    towns = ("Oslo", "Rome", "__proto__")
    lines = [f"{20 + i * 7919 % 60},{towns[i * 31 % 3]},{i % 4}" for i in range(400)]
    table = Path(folder) / "people.csv"
    table.write_text("age,home town,ill\n" + "\n".join(lines))
    running = started(folder / "studio", str(table))
    yield running
    running.stop()


def test_levels_are_chosen_on_a_scatter_and_seen_on_the_result(page: Any) -> None:
    page.get_by_role("link", name="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_role("link", name="Protection").click()
    page.get_by_test_id("same-bands").click()
    page.get_by_test_id("levels-state").get_by_text("choices of levels").wait_for()
    taken = page.get_by_test_id("levels-taken")
    assert taken.inner_text().startswith("The best: ")
    assert page.locator("[data-testid=levels-ladders] .rung[aria-current=true]").count() == 2

    # by keyboard, in the table beside the dots
    page.get_by_test_id("levels-table").get_by_text("The same as a table").click()
    button = page.get_by_role("button", name="take choice 2", exact=True)
    words = button.locator("xpath=ancestor::tr/td[2]").inner_text()
    button.focus()
    page.keyboard.press("Enter")
    taken.get_by_text(f"Taken by you: {words}").wait_for()

    # on the chart
    dots = page.locator(".nicegui-echart:has(+ .problem) svg path[fill='#12929b']")
    dots.nth(1).click(force=True)
    page.wait_for_function(
        "old => !document.querySelector('[data-testid=levels-taken]').textContent.includes(old)",
        arg=words,
    )
    words = taken.inner_text().removeprefix("Taken by you: ")

    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_test_id("run").click()
    page.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    page.get_by_role("link", name="Result", exact=True).click()
    page.get_by_role("tab", name="Levels").click()
    panel = page.get_by_test_id("panel-levels")
    rungs = panel.locator(".rung[aria-current=true]")
    rungs.first.wait_for()
    expected = [line.partition(": ")[2] for line in words.split("; ")]
    assert [text.removeprefix("✓ ") for text in rungs.all_inner_texts()] == expected

    page.get_by_role("link", name="Protection").click()
    page.get_by_test_id("levels-free").click()
    taken.get_by_text("The best: ").wait_for()
    page.get_by_test_id("same-bands").click()
    page.get_by_test_id("levels-state").wait_for(state="hidden")
