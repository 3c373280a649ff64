"""Rules about who knows whom by more than a name: the core spells no flags, and nobody asks which
plug-in it has.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from architecture.sources import parsed

# A flag as it is typed: `--keep x`, `(-k 5)`. The names of colours in a style sheet look alike:
# they are set by a colon or read by `var(`.
FLAG = re.compile(r"(?<![\w-])(?<!var\()--[a-z][a-z-]*(?![\w-]*:)|(?:^|[\s(])-[qsiko](?=[\s)]|$)")
TERMINAL = "cli"  # the room whose language flags are
ASKING = ("isinstance", "issubclass")


def flag_faults(package: Path, commands: Collection[str] = ()) -> list[str]:
    """Strings outside the terminal's room that hold a flag, except in modules that show commands.

    Docstrings may quote a command; what a program says may not.
    """
    faults = []
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package).as_posix()
        if place.startswith(f"{TERMINAL}/") or place in commands:
            continue
        for line, text in _strings(parsed(path.read_text("utf-8"))):
            if FLAG.search(text):
                faults.append(f"{place}:{line}: a flag in '{text.strip()[:60]}'")
    return faults


def plugin_faults(package: Path, rooms: Collection[str]) -> list[str]:
    """Questions for one plug-in outside its own folder: what it can do is said by its base class.

    A plug-in is a class in one of the rooms that has the name which users type: `name = "shoal"`.
    """
    trees = {path: parsed(path.read_text("utf-8")) for path in sorted(package.rglob("*.py"))}
    homes = {
        node.name: path.parent
        for path, tree in trees.items()
        if path.parent.relative_to(package).as_posix() in rooms
        for node in tree.body
        if isinstance(node, ast.ClassDef) and _has_name(node)
    }
    faults = []
    for path, tree in trees.items():
        place = path.relative_to(package).as_posix()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _last_name(node.func) in ASKING:
                asked = {_last_name(part) for part in ast.walk(node.args[1])} & set(homes)
                away = sorted(name for name in asked if homes[name] not in path.parents)
                faults += [f"{place}:{node.lineno}: asks for the plug-in {name}" for name in away]
    return faults


def _has_name(node: ast.ClassDef) -> bool:
    return any(
        isinstance(line, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == "name" for target in line.targets)
        for line in node.body
    )


def _last_name(node: ast.AST) -> str | None:
    """The name by which a class or function is reached: `File` in `file.File`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


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
