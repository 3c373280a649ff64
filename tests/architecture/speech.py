"""Rules about what stands in strings: the core spells no flags, and nobody reads prose as data."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

# A flag as it is typed: `--keep x`, `(-k 5)`. The names of colours in a style sheet look alike:
# they are set by a colon or read by `var(`.
FLAG = re.compile(r"(?<![\w-])(?<!var\()--[a-z][a-z-]*(?![\w-]*:)|(?:^|[\s(])-[qsiko](?=[\s)]|$)")
TERMINAL = "cli"  # the room whose language flags are


def flag_faults(package: Path, commands: Collection[str] = ()) -> list[str]:
    """Strings outside the terminal's room that hold a flag, except in modules that show commands.

    Docstrings may quote a command; what a program says may not.
    """
    faults = []
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if place.startswith(f"{TERMINAL}/") or place in commands:
            continue
        for line, text in _strings(ast.parse(path.read_text("utf-8"))):
            if FLAG.search(text):
                faults.append(f"{place}:{line}: a flag in '{text.strip()[:60]}'")
    return faults


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of every string that is no docstring, parts of f-strings too."""
    alone = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.lineno, node.value
