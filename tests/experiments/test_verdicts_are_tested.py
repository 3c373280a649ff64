"""Every function that gives a verdict is called by a test here that expects it to fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "experiments"
GIVEN = ("Finding", "tuple[str, str]")
JOINED = {"judge_above_one", "judge_falls", "judge_dips", "judge_order", "judge_further"}
"""Of li_2007: each passes its figures to the function of `verdicts_2007` that is tested."""
JOINED |= {"judge_trend"}


def judging(file: Path) -> Iterator[str]:
    """Names of functions that return a verdict and what was measured."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) in GIVEN:
            yield node.name


def failed(file: Path) -> set[str]:
    """Names that stand in a test, or its parameters, in which FAILS is expected."""
    found: set[str] = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        names |= {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        if isinstance(node, ast.FunctionDef) and names & {"FAILS", "LOST"}:
            found |= names
    return found


def test_every_verdict_has_a_test_in_which_it_must_fail():
    tested = set().union(*(failed(file) for file in HERE.glob("test_*.py")))
    every = {name for file in SOURCE.glob("*.py") for name in judging(file)} - JOINED
    assert len(every) > 20
    assert sorted(every - tested) == []


def test_a_verdict_without_a_test_is_seen(tmp_path):
    (tmp_path / "mine.py").write_text("def bold(rows) -> Finding:\n    return HOLDS\n")
    (tmp_path / "test_mine.py").write_text("def test_it():\n    assert bold([]) == HOLDS\n")
    assert list(judging(tmp_path / "mine.py")) == ["bold"]
    assert "bold" not in failed(tmp_path / "test_mine.py")
