"""Publishing again in a real browser: a ledger is begun, written into, and refuses what exposes."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from ledger.people import ROLES, table
from shoal.adapters import files
from shoal.adapters.ledgers import LedgerFile
from studio.conftest import Studio, choose, started
from studio.test_accessibility import grave, step, violations
from studio.test_whole_way import pictured


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's own folder, with a ledger of three releases.

    The second of them exposed people, but none of the third.
    """
    folder = tmp_path_factory.mktemp("home")
    roles = {**ROLES, "k": 5, "ledger": folder / "ward.ledger", "across": "measure"}
    published = {"north": range(200, 260), "north-again": range(203, 270), "south": range(60)}
    for name, people in published.items():
        shoal.anonymize(table(people), **roles).write(folder / f"{name}.csv")
    return folder


@pytest.fixture(scope="module")
def studio(home: Path) -> Iterator[Studio]:
    """A studio with seventy people on every desk."""
    files.write(table(range(5, 75)), home / "people.csv")
    running = started(home / "studio", str(home / "people.csv"), HOME=str(home))
    yield running
    running.stop()


@pytest.fixture
def protection(page: Any) -> Any:
    """The step of protection, with roles taken as suggested."""
    step(page, "Roles")
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").filter(has_text="alone").wait_for()
    step(page, "Protection")
    return page


def opened(page: Any, place: str) -> None:
    page.get_by_test_id("ledger").fill(place)
    page.get_by_test_id("ledger-open").click()


def ran(page: Any, number: int, state: str) -> Any:
    step(page, "Run")
    page.locator("[data-testid=run]:not([disabled])").click()
    card = page.get_by_test_id("run-card").filter(has_text=f"Run {number}")
    card.get_by_test_id("run-state").filter(has_text=state).wait_for()
    return card


def written_down(page: Any, release: int) -> None:
    step(page, "Hand over")
    page.get_by_test_id("record").click()
    page.get_by_test_id("recorded").filter(has_text=f"as release {release}.").wait_for()
    page.get_by_test_id("archive").wait_for()


def test_a_release_is_foreseen_refused_and_kept_in_its_groups(protection: Any, home: Path) -> None:
    page = protection
    ledger = home / "ward.ledger"
    opened(page, "~/ward.ledger")
    page.get_by_test_id("timeline").get_by_text("south.csv").wait_for()
    assert page.get_by_test_id("ledger-person").input_value() == "id"
    page.get_by_test_id("foreseen-words").filter(has_text="company of fewer than 5").wait_for()
    page.get_by_test_id("stick").wait_for()
    page.set_viewport_size({"width": 1366, "height": 1040})
    above = "one => scrollBy(0, one.getBoundingClientRect().top - 64)"
    page.get_by_test_id("published-before").evaluate(above)
    pictured(page, "studio-published-before", top=False)
    faults = grave("Protection with a ledger", violations(page))
    refused = ran(page, 1, "Refused")
    refused.get_by_text("together with earlier releases").wait_for()
    page.get_by_test_id("stick").click()
    page.get_by_test_id("asked").get_by_text("keep people in the groups").wait_for()
    ran(page, 2, "Done").get_by_test_id("together").filter(has_text="ogether with 3").wait_for()
    step(page, "Hand over")
    page.get_by_test_id("record").wait_for()
    faults += grave("Hand over with a ledger", violations(page))
    assert page.get_by_test_id("archive").count() == 0
    assert len(LedgerFile.open(ledger).listed()) == 3  # a run is no publication
    page.get_by_test_id("record").click()
    page.get_by_test_id("recorded").filter(has_text="people.released.csv").wait_for()
    page.get_by_test_id("archive").wait_for()
    assert [each.state for each in LedgerFile.open(ledger).listed()] == ["published"] * 4
    assert (home / "people.released.csv").exists()
    assert not faults, "\n".join(faults)


def test_a_ledger_is_begun_and_its_key_said(protection: Any, home: Path) -> None:
    page = protection
    other = home / "notes.txt"
    other.write_text("no ledger")
    opened(page, str(other))
    page.get_by_test_id("ledger-problem").filter(has_text="is not a ledger").wait_for()
    assert other.read_text() == "no ledger"
    place = home / "other.ledger"
    opened(page, "~/other.ledger")
    page.get_by_test_id("ledger-begin").click()
    page.get_by_test_id("ledger-now").filter(has_text="~/other.ledger.key").wait_for()
    assert stat.S_IMODE(Path(f"{place}.key").stat().st_mode) == 0o600
    choose(page, page.get_by_test_id("ledger-person"), "id")
    page.get_by_test_id("foreseen-words").filter(has_text="the first in the ledger").wait_for()
    page.get_by_test_id("ledger-away").click()
    page.get_by_test_id("foreseen").wait_for(state="hidden")
    assert LedgerFile.open(place).listed() == []
