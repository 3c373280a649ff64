"""Shared by all tests: where the real data is, which tests are slow, servers for the whole run."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import drawn
import once
import pace

# No deadline, as other people use this machine too; and the same examples in every run, so that no
# change fails by chance on what it did not touch. `--hypothesis-profile=search` draws new ones, and
# more of them (see tries.py).
settings.register_profile("shoal", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("search", deadline=None)
settings.load_profile("shoal")

# Without bytecode every process of a run compiles Shoal and rewrites all tests anew: a tenth of the
# work. Some machines ask Python to keep none.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "datasets" / "shoal_datasets"
MORE = Path(os.environ.get("SHOAL_DATA", ROOT.parent / "shared" / "data"))


def data_file(name: str) -> Path:
    """A table or hierarchy of the folder `datasets`, or a file of the folder that SHOAL_DATA names.

    Without it the test is skipped, or fails where CI=true.
    """
    for path in (SHIPPED / "tables" / name, SHIPPED / name, MORE / name):
        if path.exists():
            return path
    reason = f"real data '{name}' is not there: set SHOAL_DATA to the folder that holds it"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--measure-pace",
        action="store_true",
        help="write which tests are slow into tests/slow_tests.txt (with -n 0, on a quiet machine)",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    pace.mark_slow(items)
    pace.put_in_order(items)


def pytest_configure(config: pytest.Config) -> None:
    once.begin(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    once.end(config)
    # What a command or a compiler froze would never be freed, and DuckDB tells that at the end.
    gc.unfreeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    servers = pace.expensive(item) & {"jvm", "postgres"}
    with once.turn(servers), drawn.repeated(item.nodeid):
        return (yield from pace.measure(item))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Iterator[None]:
    with drawn.for_fixture(fixturedef, request):
        return (yield)


def pytest_sessionfinish(session: pytest.Session) -> None:
    pace.write_list(session.config)
