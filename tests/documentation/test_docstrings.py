"""Examples in docstrings run, and the public door explains every parameter."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tools.site import python_pages

import shoal
from conftest import ROOT
from shoal.api import Release

SOURCE = ROOT / "src"
WITH_EXAMPLES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name: str) -> None:
    module: ModuleType = import_module(name)
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def unexplained(function: Any) -> Iterator[str]:
    """Find the parameters of a function that the section Args of its docstring leaves out."""
    text = inspect.getdoc(function) or ""
    section = re.search(r"^Args:\n((?:    .*\n|\n)*)", text + "\n", re.MULTILINE)
    listed = re.findall(r"^    \*{0,2}(\w+): ", section[1] if section else "", re.MULTILINE)
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    return (name for name in names if name not in listed)


def test_every_parameter_of_the_door_is_explained() -> None:
    doors = [getattr(shoal, name) for name in python_pages.FUNCTIONS]
    doors += [Release.write, Release.report, Release.loss, shoal.Recipe.read, shoal.Recipe.of]
    kinds = [name for name in python_pages.KINDS if name not in ("flat", "name")]
    doors += [getattr(shoal.Hierarchy, name) for name in kinds]
    assert [(door.__name__, name) for door in doors for name in unexplained(door)] == []


def test_every_function_of_the_door_has_an_example() -> None:
    assert [n for n in python_pages.FUNCTIONS if ">>> " not in getattr(shoal, n).__doc__] == []


def test_a_parameter_that_is_not_explained_is_found() -> None:
    def door(a: int, *, b: int) -> None:
        """Do it.

        Args:
            a: A number.
        """

    assert list(unexplained(door)) == ["b"]


def test_every_public_name_has_a_page() -> None:
    made = {Path(place).stem for place in python_pages.pages()}
    elsewhere = {"methods", *(n for n in shoal.__all__ if n in ("KAnonymity", "LDiversity"))}
    assert set(shoal.__all__) - made - elsewhere == set()
