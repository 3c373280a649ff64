"""Every view in light and in dark, looked at by axe (of the package axe-playwright-python).

No serious or critical violation is allowed anywhere. Lesser ones are named in KNOWN, with why.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal.adapters import files

GRAVE = ("serious", "critical")
KNOWN: dict[str, str] = {
    "region": "the drawing library puts its reconnecting notice outside of every landmark",
    "landmark-one-main": "the same notice",
}
TABS = {  # a tab, and what shows that it has been drawn
    "Distributions": ".paper",
    "Correlations": ".paper",
    "Risk": ".paper",
    "Who is at risk": "tbody",
    "Attacks": ".paper",
    "Cost": ".paper",
    "Groups and notes": ".paper",
    "What it is good for": ".paper",
}
ASKED = """async (rules) => {
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...rules });
  return violations.map(({ id, impact, nodes }) => ({
    id, impact, count: nodes.length,
    where: nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + node.html.slice(0, 160)),
  }));
}"""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = 400
    path = tmp_path_factory.mktemp("axe") / "people.csv"
    table = {
        "name": [f"Person {i}" for i in range(rows)],
        "age": [18 + i * 7919 % 71 for i in range(rows)],
        "town": [("Oslo", "Rome", "Bergen")[i * 31 % 3] for i in range(rows)],
        "diagnosis": [("flu", "cold", "gout", "asthma")[i * 13 % 4] for i in range(rows)],
    }
    files.write(pa.table(table), path)
    return path


def violations(page: Any) -> list[dict[str, Any]]:
    script = resources.files("axe_playwright_python") / "axe.min.js"
    if not page.evaluate("!!window.axe"):
        page.evaluate(script.read_text("utf-8"))
    page.mouse.move(0, 0)
    found: list[dict[str, Any]] = []
    # what is there does not depend on the light; its colours do
    for scheme, rules in {"light": {}, "dark": {"runOnly": ["color-contrast"]}}.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_function(
            f"document.body.classList.contains('body--dark') === {str(scheme == 'dark').lower()}"
        )
        found += [{"scheme": scheme, **one} for one in page.evaluate(ASKED, rules)]
    page.emulate_media(color_scheme="light")
    return found


def grave(view: str, found: list[dict[str, Any]]) -> list[str]:
    """What must not be: grave violations, and lesser ones that nobody has named."""
    return [
        f"{view}, {one['scheme']}: {one['id']} ({one['impact']}, {one['count']}) {one['where']}"
        for one in found
        if one["impact"] in GRAVE or one["id"] not in KNOWN
    ]


def step(page: Any, name: str) -> None:
    page.locator("nav a.step", has_text=name).click()
    page.locator("main .title", has_text=name).wait_for()


def test_no_view_has_a_grave_violation(page: Any, people: Path) -> None:
    faults = grave("first page", violations(page))
    page.set_input_files("input[type=file]", people)
    page.get_by_test_id("size").wait_for()
    page.get_by_text("What each column was taken for").click()
    page.locator(".formats").get_by_text("Person 0").wait_for()
    faults += grave("Table", violations(page))
    step(page, "Roles")
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").filter(has_text="alone").wait_for()
    faults += grave("Roles", violations(page))
    step(page, "Hierarchies")
    page.locator("[data-testid=trial]").wait_for()
    faults += grave("Hierarchies", violations(page))
    step(page, "Protection")
    page.get_by_test_id("ten").locator("td").first.wait_for()
    page.get_by_test_id("more").click()
    faults += grave("Protection", violations(page))
    step(page, "Run")
    page.get_by_test_id("run").click()
    page.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    page.get_by_test_id("candidates-table").get_by_text("The same as a table").click()
    page.get_by_role("button", name="take Run 1").wait_for()
    faults += grave("Run", violations(page))
    step(page, "Result")
    page.locator(".changed-cell").first.wait_for()
    faults += grave("Result", violations(page))
    for tab, drawn in TABS.items():
        page.get_by_role("tab", name=tab, exact=True).click()
        page.locator(f".q-tab-panel:visible {drawn}").first.wait_for()
        faults += grave(tab, violations(page))
    step(page, "Hand over")
    page.get_by_test_id("archive").wait_for()
    faults += grave("Hand over", violations(page))
    assert not faults, "\n".join(faults)
