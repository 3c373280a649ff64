"""What tests of the studio share: a running studio, and a real browser that has entered it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.adapters import files

# Seconds: other people use this machine too, and a worker may have to compile something that `make
# setup` has not. A test that passes waits no longer for that, and one that fails costs this much. A
# machine that is slower still says so.
PATIENCE = float(os.environ.get("SHOAL_PATIENCE", "300"))
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt --no-maglev",  # no page lives long enough to be worth optimized code
]


SCREEN = {"width": 1366, "height": 768}


@dataclass
class Studio:
    """A studio in a process of its own."""

    address: str
    process: subprocess.Popen[str]
    errors: Path
    folder: Path

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port
        return port

    def said(self) -> str:
        """Everything it wrote to standard error."""
        return self.errors.read_text()

    def workers(self) -> list[int]:
        """Its processes that wait or work."""
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True
        ).stdout
        return [int(number) for number in listed.split()]

    @contextmanager
    def standing_still(self) -> Iterator[Callable[[], None]]:
        """Workers do nothing for a while, so that a job can be looked at before it is over; call it
        for those begun since.
        """

        def tell(what: signal.Signals) -> None:
            for worker in self.workers():
                with suppress(ProcessLookupError):
                    os.kill(worker, what)

        tell(signal.SIGSTOP)
        try:
            yield lambda: tell(signal.SIGSTOP)
        finally:
            tell(signal.SIGCONT)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(PATIENCE)


def started(folder: Path, *options: str, browse: bool = False, **environment: str) -> Studio:
    """A studio whose temporary files go to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    errors = folder / "errors.txt"
    quietly = [] if browse else ["--no-browser"]
    with errors.open("w") as said:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "from shoal.cli import main; main()",
                "studio",
                *quietly,
                *options,
            ],
            stdout=subprocess.PIPE,
            stderr=said,
            text=True,
            env={
                **os.environ,
                "TMPDIR": str(folder),
                "SHOAL_STUDIO_STATE": str(folder / "state"),
                **environment,
            },
        )
    assert process.stdout
    address = process.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:"), errors.read_text()
    return Studio(address, process, errors, folder)


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all tests that leave it alive."""
    running = started(tmp_path_factory.mktemp("studio"))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium; without one the test is skipped, or fails where CI=true."""
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found is None:
        reason = "no Chromium is there: apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found, args=FLAGS, timeout=PATIENCE * 1000
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def window(browser: Any) -> Any:
    """A browser's window for all tests, one after the other: to open one takes a second of work.

    It has been there and kept what every page is made of, but no cookie when a test begins: the
    studio takes it for a new one.
    """
    return new_context(browser)


@pytest.fixture
def enter(studio: Studio, browser: Any, window: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page as a browser of its own would; no page may complain, or ask anyone but the
    studio.
    """
    entered: list[Any] = []
    complaints = []
    strangers = []
    heard = {
        "console": lambda said: complaints.append(said.text) if said.type == "error" else None,
        "pageerror": lambda fault: complaints.append(str(fault)),
        "request": lambda asked: (
            None if _ours(asked.url, studio.port) else strangers.append(asked.url)
        ),
    }

    def opened(viewport: Any = SCREEN, color_scheme: str = "light") -> Any:
        # A second browser at once is really another one.
        context = new_context(browser) if entered else window
        context.clear_cookies()
        page = context.pages[0] if context.pages else context.new_page()
        entered.append(page)
        page.set_viewport_size(viewport)
        # nothing glides into its place, which each click would wait for
        page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        for event, hear in heard.items():
            page.on(event, hear)
        page.goto(f"{studio.address}&new=1")  # with no project of another test on the desk
        page.get_by_text("Shoal studio").wait_for()
        return page

    yield opened
    for page in entered[1:]:
        page.context.close()
    for page in window.pages:
        if page in entered:
            page.goto("about:blank")
            for event, hear in heard.items():
                page.remove_listener(event, hear)
        else:
            page.close()
    assert not strangers
    assert not complaints


def new_context(browser: Any) -> Any:
    context = browser.new_context(viewport=SCREEN)
    context.set_default_timeout(PATIENCE * 1000)
    return context


@pytest.fixture
def page(enter: Callable[..., Any]) -> Any:
    """A page that has entered."""
    return enter()


def choose(page: Any, field: Any, option: str) -> None:
    """Open a field's list and take one of it; the list is closed in the end."""
    field.click()
    page.get_by_role("option", name=option, exact=True).click()
    page.get_by_role("option").first.wait_for(state="detached")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    """What was on the screen when a test failed is told with its failure."""
    report = yield
    browser = getattr(item, "funcargs", {}).get("browser")
    if report.when == "call" and report.failed and browser is not None:
        for page in [page for context in browser.contexts for page in context.pages]:
            with suppress(Exception):  # it may be gone
                seen = " | ".join(page.locator(".content").inner_text(timeout=2_000).split("\n"))
                report.sections.append((f"seen at {urlsplit(page.url).path}", seen[:2_000]))
    return report


def _ours(url: str, port: int) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about") or (
        parts.hostname == "127.0.0.1" and parts.port == port
    )


@pytest.fixture(scope="session")
def patients_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The invented patients as a file."""
    from shoal.adapters.demo_data import patients

    path = tmp_path_factory.mktemp("patients") / "patients.csv"
    files.write(patients(), path)
    return path


@pytest.fixture(scope="session")
def adult_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Adult as a file."""
    path = tmp_path_factory.mktemp("adult") / "adult.csv"
    files.write(pq.read_table(data_file("adult.parquet")), path)
    return path


def in_a_loop(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Runs a coroutine in a thread of its own: the browser's loop lives in the first one."""
    found: dict[str, Any] = {}

    def inside() -> None:
        try:
            found["result"] = asyncio.run(work())
        except BaseException as fault:
            found["fault"] = fault

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    if "fault" in found:
        raise found["fault"]
    return found["result"]
