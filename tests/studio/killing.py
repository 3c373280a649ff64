"""Kill studio and browser in the midst of work, again and again: the project must be there.

    cd tests && python -m studio.killing 50

Each round asks for another k, in every second round begins a run as well, kills both with SIGKILL,
starts both anew, opens the project from the list of recent ones, and compares what it holds. It
prints how often it was whole.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from shoal.studio import projects
from studio.conftest import BROWSERS, FLAGS, Studio, started

TABLE = "age,town,diagnosis\n" + "".join(
    f"{20 + i % 60},{('Oslo', 'Rome')[i % 2]},{('flu', 'cold', 'gout')[i % 3]}\n" for i in range(90)
)


def browser_processes(folder: Path) -> list[int]:
    """List the processes of the browser whose profile is in this folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if f"--user-data-dir={folder}".encode() in words:
            found.append(int(place.name))
    return found


def launched(playwright: Any, profile: Path) -> Any:
    import shutil

    path = next(path for path in map(shutil.which, BROWSERS) if path)
    context = playwright.chromium.launch_persistent_context(
        str(profile), executable_path=path, args=FLAGS
    )
    context.set_default_timeout(120_000)
    return context


def changed(page: Any, k: int) -> None:
    """Ask for another k, and see that the page says so."""
    page.locator("nav a.step", has_text="Protection").click()
    page.get_by_test_id("k").fill(str(k))
    page.get_by_test_id("k-words").get_by_text(f"1 in {k}").wait_for()


def at_work(page: Any) -> None:
    """Give a column its role where it has none yet, and begin a run."""
    page.locator("nav a.step", has_text="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.locator("nav a.step", has_text="Run").click()
    page.locator("[data-testid=run]:not([disabled])").click()
    page.get_by_test_id("run-card").first.wait_for()


def killed(studio: Studio, profile: Path) -> None:
    studio.process.kill()
    for process in browser_processes(profile):
        os.kill(process, signal.SIGKILL)
    studio.process.wait()


def is_whole(state: Path, k: int) -> bool:
    """Tell whether the one project holds what was asked last."""
    [folder] = [place for place in state.iterdir() if projects.read(place) is not None]
    kept = projects.read(folder)
    return kept is not None and kept["recipe"]["k"] == k and kept["table"]["name"] == "ward.csv"


def survived(rounds: int, home: Path, playwright: Any) -> int:
    """Count the rounds after which the project was whole, on disk and on the screen."""
    (home / "ward.csv").write_text(TABLE)
    whole = 0
    for number in range(rounds):
        profile = home / f"profile-{number}"
        studio = started(home / "studio")
        page = launched(playwright, profile).pages[0]
        page.goto(studio.address)
        if number == 0:
            page.set_input_files("input[type=file]", home / "ward.csv")
        else:
            page.get_by_test_id("open-project").first.click()
        page.get_by_test_id("size").get_by_text("90 rows").wait_for()
        if number:
            page.locator("nav a.step", has_text="Protection").click()
            page.get_by_test_id("k-words").get_by_text(f"1 in {number + 1}").wait_for()
        changed(page, number + 2)
        if number % 2:
            at_work(page)
        killed(studio, profile)
        whole += is_whole(home / "studio" / "state", number + 2)
    return whole


def main() -> None:
    """Kill as often as the command line says."""
    from playwright.sync_api import sync_playwright

    rounds = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        print(f"whole in {survived(rounds, Path(home), playwright)} of {rounds} rounds")


if __name__ == "__main__":
    main()
