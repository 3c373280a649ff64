"""Finished cells are kept under a hash of the code that makes them."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from experiments import code, runs, weighing_2021


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A small Shoal and a small folder of experiments, to be changed."""
    for name in ("shoal/partition", "shoal/cli", "here"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "shoal/partition/method.py").write_text("k = 5\n")
    (tmp_path / "shoal/cli/door.py").write_text("print('hello')\n")
    (tmp_path / "here/mine.py").write_text("from experiments.tables import (\n    one,\n)\n")
    (tmp_path / "here/tables.py").write_text("from experiments import deeper as d\n")
    (tmp_path / "here/deeper.py").write_text("rows = 1\n")
    (tmp_path / "here/page.py").write_text("title = 'old'\n")
    monkeypatch.setattr(code, "SOURCE", tmp_path / "shoal")
    monkeypatch.setattr(code, "HERE", tmp_path / "here")
    code.fingerprint.cache_clear()
    yield tmp_path
    code.fingerprint.cache_clear()


def hashed(*measuring: str) -> str:
    code.fingerprint.cache_clear()
    return code.fingerprint(measuring)


@pytest.mark.parametrize(
    ("file", "matters"),
    [
        ("shoal/partition/method.py", True),
        ("shoal/cli/door.py", False),
        ("here/mine.py", True),
        ("here/tables.py", True),
        ("here/deeper.py", True),
        ("here/page.py", False),
    ],
)
def test_a_change_of_what_makes_a_figure_changes_the_hash(sources, file, matters):
    before = hashed("mine")
    with (sources / file).open("a") as changed:
        changed.write("# another line\n")
    assert (hashed("mine") != before) == matters


def test_finished_cells_of_other_code_are_not_taken(sources, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "BUILD", tmp_path)
    before = runs.finished("page")
    (sources / "shoal/partition/method.py").write_text("k = 6\n")
    code.fingerprint.cache_clear()
    assert runs.finished("page") != before


def test_a_module_that_is_the_main_program_keeps_its_cells_under_its_own_name(monkeypatch):
    """The page of boosted trees looked in vain for what `python -m experiments.weighing_2021` kept.

    Python calls that module `__main__`.
    """
    main = ModuleType("__main__")
    main.__spec__ = ModuleSpec("experiments.weighing_2021", None)
    monkeypatch.setitem(sys.modules, "__main__", main)

    def measured(cell):
        raise NotImplementedError(cell)

    measured.__module__ = "__main__"
    assert runs._module_of(measured) == "weighing_2021"
    assert runs._module_of(weighing_2021.measure) == "weighing_2021"
