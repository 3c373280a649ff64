"""Kill studio and browser in the midst of work, again and again: the project must be there.

    cd tests && python -m studio.killing 50

Each round asks for another k, does something (see `MOMENTS`), kills the studio, the browser or both
with SIGKILL, starts anew what is gone, opens the project again, and compares what it holds, on disk
and on the screen. It prints how often it was whole, and of rounds that were not, what was missing.
"""

from __future__ import annotations

import http.client
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.studio import projects
from studio.conftest import BROWSERS, FLAGS, PATIENCE, Studio, started

ROWS = 90
TABLE = "age,town,diagnosis\n" + "".join(
    f"{20 + i % 60},{('Oslo', 'Rome')[i % 2]},{('flu', 'cold', 'gout')[i % 3]}\n"
    for i in range(ROWS)
)
LATEST = 0.15  # seconds after a change at which a save is cut off at the latest
BOTH = ("studio", "browser")
VICTIMS = (BOTH, ("studio",), ("browser",))


@dataclass
class Kept:
    """What must be there after a round."""

    k: tuple[int, ...] = (5,)
    """One of these: a save that is cut off has happened or not."""
    finished: int = 0
    """Runs that were over."""


@dataclass
class Round:
    """What is alive in a round, and what must be kept."""

    home: Path
    playwright: Any
    dice: random.Random = field(default_factory=lambda: random.Random(1))
    number: int = 0
    studio: Studio | None = None
    page: Any = None
    kept: Kept = field(default_factory=Kept)

    @property
    def profile(self) -> Path:
        """The folder of this round's browser."""
        return self.home / f"profile-{self.number}"

    def revive(self) -> None:
        """Start what is gone, and come back to the project."""
        is_new = self.studio is None
        if self.studio is None:
            self.studio = started(self.home / "studio")
        context = self.page.context if self.page else launched(self.playwright, self.profile)
        self.page = context.pages[0]
        self.page.goto(self.studio.address)
        if self.number == 0:
            self.page.set_input_files("input[type=file]", self.home / "ward.csv")
        elif is_new:
            self.page.get_by_test_id("open-project").first.click()
        self.page.get_by_test_id("size").get_by_text(f"{ROWS} rows").wait_for()

    def kill(self, victims: tuple[str, ...]) -> None:
        """End both, or one of them, without a word."""
        if "studio" in victims and self.studio is not None:
            self.studio.process.kill()
            self.studio.process.wait()
            self.studio = None
        if "browser" in victims:
            for process in browser_processes(self.home):
                os.kill(process, signal.SIGKILL)
            self.page = None


def step(page: Any, name: str) -> None:
    """Go to a step, and wait until it is there: a field of the step before takes no change."""
    page.locator("nav a.step", has_text=name).click()
    page.locator("main .title", has_text=name).wait_for()


def ask(now: Round, k: int) -> None:
    """Ask for another k, and see that the page says so."""
    step(now.page, "Protection")
    now.page.get_by_test_id("k").fill(str(k))
    now.page.get_by_test_id("k-words").get_by_text(f"1 in {k}.").wait_for()
    now.kept.k = (k,)


def nothing_more(now: Round, k: int) -> None:
    """A change that the page has confirmed."""
    ask(now, k)


def in_a_save(now: Round, k: int) -> None:
    """A change that nobody waited for."""
    step(now.page, "Protection")
    now.page.get_by_test_id("k").fill(str(k))
    now.page.get_by_test_id("k").blur()
    time.sleep(0.6 + now.dice.random() * LATEST)  # the field waits for more for 0.6 s
    now.kept.k = (*now.kept.k, k)


def in_a_run(now: Round, k: int) -> None:
    """A run that has begun, anywhere before its end."""
    ask(now, k)
    run(now)
    time.sleep(now.dice.random())


def after_a_run(now: Round, k: int) -> None:
    """A run whose end the page has shown."""
    ask(now, k)
    run(now)
    now.page.get_by_test_id("run-state").first.get_by_text("Done").wait_for()
    now.kept.finished += 1


def run(now: Round) -> None:
    step(now.page, "Roles")
    now.page.locator("[data-testid=take-all]:not([disabled])").click()
    step(now.page, "Run")
    cards = now.page.get_by_test_id("run-card")
    before = cards.count()
    now.page.locator("[data-testid=run]:not([disabled])").click()
    cards.nth(before).wait_for()


def in_an_upload(now: Round, k: int) -> None:
    """Another table, half of which has come."""
    ask(now, k)
    assert now.studio is not None
    named = {one["name"]: one["value"] for one in now.page.context.cookies()}
    cookie = "; ".join(f"{name}={value}" for name, value in named.items())
    sending = http.client.HTTPConnection("127.0.0.1", now.studio.port)
    sending.putrequest("PUT", "/upload")
    body = TABLE.encode() * 1_000
    for name, value in {
        "Cookie": cookie,
        "Origin": f"http://127.0.0.1:{now.studio.port}",
        "Content-Length": str(len(body)),
        "x-name": "other.csv",
    }.items():
        sending.putheader(name, value)
    sending.endheaders(body[: int(len(body) * now.dice.random())])


MOMENTS: tuple[Callable[[Round, int], None], ...] = (
    in_a_run,
    in_an_upload,
    in_a_save,
    after_a_run,
    nothing_more,
)


def browser_processes(folder: Path) -> list[int]:
    """List the processes of browsers whose profiles are below this folder."""
    listed = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if f"--user-data-dir={folder}/".encode() in words:
            listed.append(int(place.name))
    return listed


def launched(playwright: Any, profile: Path) -> Any:
    path = next(path for path in map(shutil.which, BROWSERS) if path)
    context = playwright.chromium.launch_persistent_context(
        str(profile), executable_path=path, args=FLAGS
    )
    context.set_default_timeout(PATIENCE * 1000)
    return context


def on_disk(state: Path, kept: Kept) -> str:
    """Name what the one project lacks of what was asked and made; nothing if it is whole."""
    read = [projects.read(place) for place in state.iterdir()]
    [project] = [one for one in read if one is not None]
    if project["recipe"]["k"] not in kept.k:
        return f"k is {project['recipe']['k']} and not in {kept.k}"
    kept.k = (project["recipe"]["k"],)
    if project["table"]["name"] != "ward.csv":
        return "another table"
    numbered = [run["number"] for run in project["runs"]]
    return "" if len(numbered) >= kept.finished else f"runs {numbered} of {kept.finished}"


def on_screen(now: Round) -> str:
    """Name what the page lacks."""
    step(now.page, "Protection")
    [k] = now.kept.k
    now.page.get_by_test_id("k-words").get_by_text(f"1 in {k}.").wait_for()
    step(now.page, "Run")
    done = now.page.get_by_test_id("run-state").filter(has_text="Done")
    if now.kept.finished:
        done.nth(now.kept.finished - 1).wait_for()
    return "" if done.count() >= now.kept.finished else f"{done.count()} runs on the page"


def survived(rounds: int, home: Path, playwright: Any) -> int:
    """Count the rounds after which the project was whole, on disk and on the screen."""
    (home / "ward.csv").write_text(TABLE)
    now = Round(home, playwright)
    now.revive()
    whole = 0
    for number in range(rounds):
        moment = MOMENTS[number % len(MOMENTS)]
        victims = VICTIMS[number // len(MOMENTS) % len(VICTIMS)]
        moment(now, number + 2)
        now.kill(victims)
        lack = on_disk(home / "studio" / "state", now.kept) if "studio" in victims else ""
        now.number = number + 1
        now.revive()
        if "studio" not in victims:
            time.sleep(LATEST)  # what a living studio was told, it has saved by now
            lack = on_disk(home / "studio" / "state", now.kept)
        lack = lack or on_screen(now)
        whole += not lack
        told = f"round {now.number}: {moment.__name__}, {' and '.join(victims)}: {lack or 'whole'}"
        print(told, file=sys.stderr, flush=True)
    now.kill(BOTH)
    return whole


def main() -> None:
    """Kill as often as the command line says."""
    from playwright.sync_api import sync_playwright

    rounds = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        print(f"whole in {survived(rounds, Path(home), playwright)} of {rounds} rounds")


if __name__ == "__main__":
    main()
