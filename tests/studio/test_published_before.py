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
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio with seventy people on every desk."""
    folder = tmp_path_factory.mktemp("published")
    files.write(table(range(5, 75)), folder / "people.csv")
    running = started(folder / "studio", str(folder / "people.csv"))
    yield running
    running.stop()


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with three releases; the second exposed people, but not those of the third."""
    place = tmp_path / "ward.ledger"
    roles = {**ROLES, "k": 5, "ledger": place, "across": "measure"}
    for name, people in {"a": range(200, 260), "b": range(203, 270), "january": range(60)}.items():
        shoal.anonymize(table(people), **roles).write(tmp_path / f"{name}.csv")
    return place


@pytest.fixture
def protection(page: Any) -> Any:
    """The step of protection, with roles taken as suggested."""
    step(page, "Roles")
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").filter(has_text="alone").wait_for()
    step(page, "Protection")
    return page


def opened(page: Any, place: Path) -> None:
    page.get_by_test_id("ledger").fill(str(place))
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


def test_a_release_is_foreseen_refused_and_kept_in_its_groups(
    protection: Any, ledger: Path, tmp_path: Path
) -> None:
    page = protection
    opened(page, ledger)
    page.get_by_test_id("timeline").get_by_text("january.csv").wait_for()
    assert page.get_by_test_id("ledger-person").input_value() == "id"
    page.get_by_test_id("foreseen-words").filter(has_text="company of fewer than 5").wait_for()
    page.get_by_test_id("stick").wait_for()
    page.get_by_test_id("published-before").scroll_into_view_if_needed()
    pictured(page, "studio-published-before")
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
    assert (tmp_path / "people.released.csv").exists()
    assert not faults, "\n".join(faults)


def test_a_ledger_is_begun_and_its_key_said(protection: Any, tmp_path: Path) -> None:
    page = protection
    other = tmp_path / "notes.txt"
    other.write_text("no ledger")
    opened(page, other)
    page.get_by_test_id("ledger-problem").filter(has_text="is not a ledger").wait_for()
    assert other.read_text() == "no ledger"
    place = tmp_path / "ward.ledger"
    opened(page, place)
    page.get_by_test_id("ledger-begin").click()
    page.get_by_test_id("ledger-now").filter(has_text=f"{place}.key").wait_for()
    assert stat.S_IMODE(Path(f"{place}.key").stat().st_mode) == 0o600
    choose(page, page.get_by_test_id("ledger-person"), "id")
    page.get_by_test_id("foreseen-words").filter(has_text="the first in the ledger").wait_for()
    page.get_by_test_id("ledger-away").click()
    page.get_by_test_id("foreseen").wait_for(state="hidden")
    assert LedgerFile.open(place).listed() == []
