"""A layperson's way: from a German Excel file to an archive that is handed over, clicks counted.

    cd tests && python -m studio.layperson ../docs/pictures      takes the pictures of each step

`test_layperson` goes the same way without pictures.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.adapters import files

PEOPLE = 1_200
DISEASES = ("Grippe", "Asthma", "Gicht", "Diabetes", "Herzschwäche", "Migräne")
TOWNS = ("10115", "10117", "10119", "20095", "20097", "50667", "50668", "80331", "80333")


def german_people(rows: int = PEOPLE) -> dict[str, list[Any]]:
    """Invented patients as a German ward writes them: dates with dots, decimals with commas."""
    rng = np.random.default_rng(7)
    born = rng.integers(1935, 2006, rows)
    days = rng.integers(1, 29, rows)
    months = rng.integers(1, 13, rows)
    cost = rng.gamma(3, 400, rows)
    return {
        "Patient": [f"Patient {i:05}" for i in range(rows)],
        "Geburtsdatum": [f"{d:02}.{m:02}.{y}" for d, m, y in zip(days, months, born, strict=True)],
        "Geschlecht": list(rng.choice(["w", "m"], rows)),
        "PLZ": list(rng.choice(TOWNS, rows)),
        "Diagnose": list(rng.choice(DISEASES, rows)),
        "Kosten": [f"{value:.2f}".replace(".", ",") for value in cost],
    }


def excel(path: Path) -> Path:
    """Write the patients as an Excel file."""
    files.write(pa.table(german_people()), path)
    return path


@dataclass
class Walk:
    """A page, the clicks so far, and where pictures go."""

    page: Any
    pictures: Path | None = None
    clicks: int = 0

    def click(self, place: Any) -> None:
        place.click()
        self.clicks += 1

    def go_on(self, title: str) -> None:
        """Follow Next, which leads to a step of this title."""
        self.click(self.page.get_by_test_id("next").first)
        self.page.locator("main .title", has_text=title).wait_for()
        self.page.locator("main .title:focus").wait_for()  # the focus goes along

    def picture(self, name: str) -> None:
        if self.pictures is not None:
            self.page.mouse.move(5, 300)
            self.page.wait_for_timeout(1_200)  # until charts have come to rest
            self.page.screenshot(path=self.pictures / f"layperson-{name}.png")


def walk(walk: Walk, file: Path, folder: Path) -> Path:
    """Go from the file to the unpacked archive, and return its release."""
    page = walk.page
    walk.picture("1-first-page")
    with page.expect_file_chooser() as chooser:
        walk.click(page.get_by_test_id("choose"))
    chooser.value.set_files(file)
    page.get_by_test_id("size").filter(has_text=f"{PEOPLE:,} rows").wait_for()
    page.wait_for_function("document.querySelector('.ag-row [col-id=c0]')?.textContent?.length > 0")
    walk.picture("2-table")
    walk.go_on("Roles")
    walk.click(page.locator("[data-testid=take-all]:not([disabled])"))
    page.get_by_test_id("alone").filter(has_text="alone").wait_for()
    walk.picture("3-roles")
    walk.go_on("Hierarchies")
    page.get_by_test_id("trial-words").filter(has_text=":").wait_for()
    if page.get_by_test_id("build-all").is_enabled():
        walk.click(page.get_by_test_id("build-all"))
    page.get_by_test_id("trial-words").filter(has_text="Taken").wait_for()
    walk.picture("4-hierarchies")
    walk.go_on("Protection")
    page.get_by_test_id("ten").locator("td").first.wait_for()
    if walk.pictures is not None:
        page.get_by_test_id("curve-stop").wait_for()
        page.get_by_test_id("curve-stop").wait_for(state="hidden")  # the curve is drawn
    walk.picture("5-protection")
    walk.go_on("Run")
    walk.click(page.get_by_test_id("run"))
    page.get_by_test_id("run-state").filter(has_text="Done").wait_for()
    walk.picture("6-run")
    walk.go_on("Result")
    page.locator(".changed-cell").first.wait_for()
    walk.picture("7-result")
    walk.go_on("Hand over")
    page.get_by_test_id("archive").wait_for()
    walk.picture("8-hand-over")
    with page.expect_download() as coming:
        walk.click(page.get_by_test_id("archive"))
    with zipfile.ZipFile(coming.value.path()) as archive:
        archive.extractall(folder)
    return folder / "released.xlsx"  # who came with a workbook gets one


def lost_columns(release: Path, columns: tuple[str, ...]) -> dict[str, float]:
    """Count the share of cells that are lost (*) in each column of a release."""
    table = files.read(release, typed=False)
    return {
        name: float(np.mean([cell == "*" for cell in table[name].to_pylist()])) for name in columns
    }


def main() -> None:
    """Take the pictures into a folder."""
    from playwright.sync_api import sync_playwright

    from studio.conftest import FLAGS, PATIENCE, SCREEN, started

    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        studio = started(Path(home) / "studio")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        context = browser.new_context(viewport=SCREEN)
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.goto(studio.address)
        page.get_by_text("Shoal studio").wait_for()
        way = Walk(page, Path(sys.argv[1]))
        release = walk(way, excel(Path(home) / "Station.xlsx"), Path(home) / "out")
        print(way.clicks, "clicks;", lost_columns(release, ("Geburtsdatum", "Geschlecht", "PLZ")))
        browser.close()
        studio.stop()


if __name__ == "__main__":
    main()
