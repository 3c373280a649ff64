"""Marks the tests that take long, so that `make quick` can leave them out.

A test is slow if it asks for something expensive (a browser, Spark, PostgreSQL), or if the slowest
of its cases took more than LIMIT seconds when it was last measured; those stand in
`slow_tests.txt`. They are listed by file name and function, so a test that moves to another folder
keeps its pace.

    make pace    measures every test anew and writes the list (about a quarter of an hour)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT = 0.2  # seconds of work, in the test's process and in those that it started and ended
LIST = Path(__file__).with_name("slow_tests.txt")
EXPENSIVE = {"browser", "jvm", "postgres", "sail", "studio"}  # fixtures
IN_A_BROWSER = {"browser", "studio"}
CASES = {"jvm": "jvm", "sail": "sail", "postgresql": "postgres"}  # parameters that ask for one
SECONDS = pytest.StashKey[dict[str, float]]()


def name_of(test: str) -> str:
    """Shorten the id of a test to its file name and function.

    >>> name_of("tests/cli/test_odd_tables.py::test_a_thousand_columns[keep]")
    'test_odd_tables.py::test_a_thousand_columns'
    """
    return re.sub(r"\[.*", "", test, flags=re.DOTALL).rsplit("/", 1)[-1]


def listed() -> set[str]:
    """Read the names of the tests that were measured as slow."""
    lines = LIST.read_text("utf-8").splitlines()
    return {line.split()[-1] for line in lines if line and not line.startswith("#")}


def mark_slow(items: list[pytest.Item]) -> None:
    """Give the marker `slow` to every test that takes long."""
    slow = listed()
    for item in items:
        if name_of(item.nodeid) in slow or expensive(item):
            item.add_marker(pytest.mark.slow)


def put_in_order(items: list[pytest.Item]) -> None:
    """Let those begin first that wait for a browser, and beside them those that share a server.

    `make test` gives a third of the list to each of three processes, and whoever is done takes over
    the end of another's part. So one process waits for the browser that it started, another has its
    turn with the servers, and while both wait the third works; short tests are left for the end.
    """
    browser = [item for item in items if expensive(item) & IN_A_BROWSER]
    servers = [item for item in items if expensive(item) and not expensive(item) & IN_A_BROWSER]
    rest = [item for item in items if not expensive(item)]
    first = max(len(items) // 3 - len(browser), 0)
    items[:] = [*browser, *rest[:first], *servers, *rest[first:]]


def expensive(item: pytest.Item) -> set[str]:
    """Name the expensive things that a test asks for, itself or by one of its parameters."""
    case = getattr(item, "callspec", None)
    given = case.params.values() if case is not None else ()
    texts = [value for value in given if isinstance(value, str)]
    by_parameter = {CASES[text] for text in texts if text in CASES}
    return by_parameter | EXPENSIVE.intersection(getattr(item, "fixturenames", ()))


def measure(item: pytest.Item) -> Iterator[None]:
    """Note how long a test works, if the run is asked to; a hook wrapper around the test."""
    before = _worked()
    result = yield
    if item.config.getoption("--measure-pace"):
        seconds = item.config.stash.setdefault(SECONDS, {})
        name = name_of(item.nodeid)
        seconds[name] = max(seconds.get(name, 0.0), _worked() - before)
    return result


def write_list(config: pytest.Config) -> None:
    """Write the slow tests of a run that was measured; tests that did not run keep their place."""
    measured = config.stash.get(SECONDS, {})
    if not measured:
        return
    lines = LIST.read_text("utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    unseen = [line for line in lines if line not in head and line.split()[-1] not in measured]
    slow = [f"{seconds:.1f} {name}" for name, seconds in measured.items() if seconds > LIMIT]
    by_name = sorted([*unseen, *slow], key=lambda line: line.split()[-1])
    LIST.write_text("\n".join([*head, *by_name]) + "\n", "utf-8")


def _worked() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
