"""The first start on a machine, in a real browser: while code is compiled every page says so."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal.kernels.jit.folders import digest
from shoal.kernels.jit.turns import Turn
from studio.conftest import Studio, started
from studio.test_protection_page import people

SAYS = re.compile(
    r"code is compiled: that takes about a minute, and never again. [1-9]\d* s so far"
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a machine will keep the code that it has yet to compile."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory, kept: Path) -> Iterator[Studio]:
    """A studio without compiled code, on a machine that is slow to compile the second kernel.

    It waits for the turn that the test holds: that takes no work.
    """
    folder = tmp_path_factory.mktemp("first")
    installed = Path(shoal.__file__).parent
    code = shutil.ignore_patterns("*.nbi", "*.nbc", "shipped")
    shutil.copytree(installed, folder / "src" / "shoal", ignore=code)
    second = kept / f"partition.cutting-{digest('partition.cutting')}"
    second.mkdir()
    turn = Turn()
    turn.take(second)
    running = started(
        folder / "studio",
        str(people(folder)),
        PYTHONPATH=str(folder / "src"),
        NUMBA_CACHE_DIR=str(kept),
    )
    yield running
    running.stop()
    turn.end()


def test_while_code_is_compiled_every_page_says_so_and_for_how_long(page: Any, kept: Path) -> None:
    page.get_by_role("link", name="Roles").click()
    page.locator("[data-testid=take-all]:not([disabled])").click()
    page.get_by_test_id("alone").get_by_text("alone with these columns").wait_for()
    page.get_by_role("link", name="Hierarchies").click()
    page.get_by_test_id("trial-words").filter(has_text=SAYS).wait_for()
    while not list(kept.glob("partition.peel-*/*.nbi")):  # the first kernel is there, others lack
        page.wait_for_timeout(50)
    page.get_by_role("link", name="Protection").first.click()
    page.get_by_test_id("curve-state").filter(has_text=SAYS).wait_for()
    page.get_by_role("link", name="Run", exact=True).click()
    page.get_by_test_id("run").click()
    page.get_by_test_id("run-stage").filter(has_text=SAYS).wait_for()
