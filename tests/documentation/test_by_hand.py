"""Every plug-in's page works an example by hand, and what the example says is what comes out."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from tools.site.plugin_pages import KINDS
from tools.site.plugin_pages import page as page_of_site

import shoal
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.partition.method import Method
from shoal.recode.recoder import Recoder
from shoal.registry import names

PLUGINS = {plugin for kind in KINDS for plugin in kind.plugins.values()}
WORKED = re.compile(r"\bBy\s+hand\b|^\|---|^```", re.MULTILINE)  # or a table of cases, or code
AGES = (20, 21, 23, 40, 42, 60, 61)
NAMED = "ages 20, 21, 23, 40, 42, 60 and 61 at k = 2"
SEEDS = 25  # random centres as an example names them come up among so many


def page(plugin: type) -> str:
    return sys.modules[plugin.__module__].__doc__ or ""


def by_hand(plugin: type) -> str:
    """Return the paragraph of an example, on one line."""
    text = page(plugin)
    return " ".join(text[text.index("By hand") :].split("\n\n")[0].split())


@pytest.mark.parametrize("plugin", sorted(PLUGINS, key=lambda each: each.__name__))
def test_every_page_has_an_example(plugin: type):
    assert WORKED.search(page(plugin)), "work an example by hand in the docstring of its module"


def test_every_page_says_what_it_costs():
    pages = {
        name: page_of_site(kind, name, plugin)
        for kind in KINDS
        for name, plugin in kind.plugins.items()
    }
    assert [name for name, text in pages.items() if not re.search(r"\bCosts?\b", text)] == []


def test_a_page_without_an_example_is_seen():
    assert not WORKED.search("`plain`: does it.\n\nWhen to use it: by hands only.\n")


ON_AGES = [
    name for name, method in names(Method).items() if NAMED in " ".join(page(method).split())
]


def test_methods_share_one_example():
    assert len(ON_AGES) >= 14


@pytest.mark.parametrize("name", ON_AGES)
def test_groups_of_a_method_are_those_of_its_example(name: str):
    worked = set(re.findall(r"\{([\d, ]+)\}", by_hand(names(Method)[name])))
    settings = ":delta=0.1" if name == "threshold" else ""
    assert any(worked == groups(f"{name}{settings}", seed) for seed in range(SEEDS))


def groups(method: str, seed: int) -> set[str]:
    """Divide the ages of the example; return its groups as it writes them."""
    table = pa.table({"age": AGES})
    asked: dict[str, Any] = {"k": 2, "method": method, "seed": seed, "rows_are_persons": True}
    release = shoal.anonymize(table, quasi=["age"], **asked)
    members = defaultdict(list)
    for age, label in zip(AGES, release.groups.tolist(), strict=True):
        members[label].append(str(age))
    return {", ".join(each) for each in members.values()}


TREE = {"Europe": {"North": ["Norway", "Sweden"], "Italy": None}, "Asia": ["Japan"]}
HIERARCHIES = [
    ("flat", "flat", ["Oslo", "Oslo"], "Oslo"),
    ("flat", "flat", ["Oslo", "Rome"], "*"),
    ("intervals", "intervals(width=10)", [23, 28], "[20, 29]"),
    ("intervals", "intervals(width=10)", [23, 31], "[20, 39]"),
    ("ladder", "ladder(widths=5-10-20-40)", [21, 24], "[20, 24]"),
    ("ladder", "ladder(widths=5-10-20-40)", [21, 26], "[20, 29]"),
    ("ladder", "ladder(widths=5-10-20-40)", [18, 21], "[0, 39]"),
    ("masks", "masks(length=5)", ["12345", "12399"], "123**"),
    ("masks", "masks(length=5)", ["12345", "19999"], "1****"),
    ("nested", TREE, ["Norway", "Sweden"], "North"),
    ("nested", TREE, ["Norway", "Italy"], "Europe"),
    ("nested", TREE, ["Norway", "Japan"], "*"),
    ("us-zip", "us-zip", ["10027", "10031"], "100**"),
    ("us-zip", "us-zip", ["10027", "11201"], "1****"),
    ("us-zip", "us-zip", ["10027", "03601"], "*"),
]


@pytest.mark.parametrize(("name", "hierarchy", "values", "label"), HIERARCHIES)
def test_nodes_of_a_hierarchy_are_those_of_its_example(
    name: str, hierarchy: Any, values: Sequence[Any], label: str
):
    # Beside a group of others, intervals that hold these are not yet the whole range, `*`.
    table = pa.table({"a": [*values, *([71, 72] if isinstance(values[0], int) else [])]})
    asked: dict[str, Any] = {"hierarchies": {"a": hierarchy}, "rows_are_persons": True, "k": 2}
    release = shoal.anonymize(table, quasi=["a"], keep_order=True, **asked)
    assert set(release.table["a"].to_pylist()[:2]) == {label}
    worked = by_hand(names(Hierarchy)[name])
    assert label in worked and all(str(value) in worked for value in values)


@pytest.mark.parametrize(
    ("name", "ages", "cells"),
    [
        ("bounds", (31, 34, 39, 51, 54, 59), {(30, 40), (50, 60)}),
        ("snapped", (31, 34, 39, 51, 54, 59), {("[30, 40]",), ("[50, 60]",)}),
        ("tight", (31, 34, 39, 51, 54, 59), {("[31, 39]",), ("[51, 59]",)}),
        ("centre", (31, 34, 40, 51, 54, 60), {(35.0,), (55.0,)}),
    ],
)
def test_cells_of_a_recoder_are_those_of_its_example(name: str, ages: Any, cells: Any):
    asked: dict[str, Any] = {"publish": name, "k": 3, "rows_are_persons": True}
    release = shoal.anonymize(pa.table({"age": ages}), quasi=["age"], **asked)
    rows = zip(*(column.to_pylist() for column in release.table.columns), strict=True)
    assert set(rows) == cells
    worked = by_hand(names(Recoder)[name])
    assert all(str(cell).removesuffix(".0") in worked for cell in min(cells))


def test_sets_of_a_group_are_those_of_the_example():
    table = pa.table({"city": ["Berlin", "Oslo", "Oslo", "Rome", "Rome", "Rome"]})
    asked: dict[str, Any] = {"publish": "sets", "k": 3, "rows_are_persons": True}
    release = shoal.anonymize(table, quasi=["city"], **asked)
    assert set(release.table["city"].to_pylist()) == {"{Berlin, Oslo}", "Rome"}
