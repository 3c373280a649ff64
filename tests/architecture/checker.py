"""What the house rules forbid, read from the source text alone: each function returns one line for
each fault.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from architecture.sources import parsed

# Left to right; a room imports only from rooms to its left and from itself. Rooms in one tuple
# don't know each other.
LAYERS = (
    ("wording",),
    ("errors", "arrays"),
    ("kernels",),
    ("groups",),
    ("screen",),
    ("declare",),
    ("encode",),
    ("partition", "overlap", "distortions", "privacy"),
    ("recode",),
    ("review", "attacks", "mining"),
    ("registry",),
    ("presets",),
    ("recipe",),
    ("ledger",),
    ("flows",),
    ("adapters",),
    ("engines",),
    ("comparison", "networks"),
    ("api",),
    ("handover",),
    ("cli", "studio"),
)
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
DOOR = "__init__"  # the public names: may reach everything, and nothing inside may reach it

# The only places where a package of others may be imported, at module level or inside a function.
HOMES = {
    "numba": "kernels.jit",
    "narwhals": "adapters.frames",
    "pyspark": "engines.spark",
    "pandas": "adapters",
    "polars": "adapters",
    "duckdb": "adapters",
    "sqlalchemy": "adapters",
    "click": "cli",
    "rich": "cli",
    "altair": "review.charts",
    "vl_convert": "review.charts",
    "nicegui": "studio",
    "sklearn": "mining",
    "scipy": "adapters.integer_programmes",
    "threadpoolctl": "mining",
    "networkx": "adapters.graph_files",
}
PLUGIN_ROOMS = (
    "declare/hierarchies",
    "partition",
    "overlap",
    "distortions",
    "privacy",
    "recode",
    "review/losses",
    "review/risks",
    "review/effects",
    "attacks",
    "mining",
)
NAMELESS = re.compile(r"^_?(utils?|misc|helpers?|commons?|core|managers?)$")
OF_ONE_MACHINE = re.compile(r"(?<![\w.~-])/(?:work|root|farm|home/\w+|Users/\w+)/")
# Signature and docstring are made by tools/write_options.py: only what people write is counted.
WRITTEN_BY_A_TOOL = {("anonymizing.py", "anonymize")}
FILE_LINES = 400
FUNCTION_LINES = 30
FUNCTION_LIMIT = 60


def layer_faults(package: Path) -> list[str]:
    """Imports to the right, to a sibling, through the public door, or by a room that no layer
    names.
    """
    faults = []
    for path, tree in _parsed(package):
        room = _parts(path, package)[0]
        if room not in RANK and room not in (DOOR, "__main__"):
            faults.append(f"{path}: room '{room}' stands in no layer")
            continue
        for line, target in _imports(tree, path, package):
            reached = (
                target.split(".")[1]
                if target.startswith("shoal.")
                else DOOR
                if target == "shoal"
                else None
            )
            if room in (DOOR, "__main__") or reached is None or reached == room:
                continue
            if RANK.get(reached, len(LAYERS)) >= RANK[room]:
                faults.append(f"{path}:{line}: '{room}' may not import {target}")
    return faults


def package_faults(package: Path) -> list[str]:
    """Packages of others imported away from their home."""
    faults = []
    for path, tree in _parsed(package):
        module = ".".join(_parts(path, package))
        for line, target in _imports(tree, path, package):
            home = HOMES.get(target.split(".")[0])
            if home and module != home and not module.startswith(f"{home}."):
                faults.append(f"{path}:{line}: {target.split('.')[0]} only in {home}")
    return faults


def name_faults(folders: Iterable[Path]) -> list[str]:
    """Files and folders whose name says nothing."""
    paths = (
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix == ".py" or path.is_dir()
    )
    return [
        f"{path}: its concept has no name yet"
        for path in sorted(paths)
        if NAMELESS.match(path.stem)
    ]


def length_faults(package: Path) -> list[str]:
    """Files and functions that don't fit on a screen or a few."""
    faults = []
    lengths = []
    for path, tree in _parsed(package):
        lines = path.read_text("utf-8").count("\n")
        if lines > FILE_LINES:
            faults.append(f"{path}: {lines} lines, {FILE_LINES} are allowed")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                made = (path.name, node.name) in WRITTEN_BY_A_TOOL
                first = node.body[1].lineno if made else node.lineno
                length = (node.end_lineno or first) - first + 1
                if not made:
                    length -= explaining_lines(node)
                lengths.append((length, f"{path}:{node.lineno} {node.name} ({length})"))
    faults += [
        f"{where}: more than {FUNCTION_LIMIT} lines"
        for length, where in lengths
        if length > FUNCTION_LIMIT
    ]
    long = sorted((entry for entry in lengths if entry[0] > FUNCTION_LINES), reverse=True)
    if 10 * len(long) > len(lengths):
        shown = "; ".join(where for _, where in long[:10])
        faults.append(
            f"{len(long)} of {len(lengths)} functions have more than {FUNCTION_LINES} lines: "
            f"{shown}"
        )
    return faults


def explaining_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines that explain parameters one by one: more of them are not harder to read."""
    said = ast.get_docstring(node) or ""
    return said[said.index("Args:\n") :].count("\n") + 1 if "Args:\n" in said else 0


def docstring_faults(package: Path) -> list[str]:
    """Plug-ins without a documentation page, which is the docstring of their module."""
    return [
        f"{path}: a plug-in's docstring is its documentation page"
        for path, tree in _parsed(package)
        if path.parent.relative_to(package).as_posix() in PLUGIN_ROOMS
        and not (ast.get_docstring(tree) or "").strip()
    ]


def machine_faults(files: Iterable[Path]) -> list[str]:
    """Paths that exist on one machine only."""
    faults = []
    for path in files:
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if OF_ONE_MACHINE.search(line):
                faults.append(f"{path}:{number}: a path of one machine")
    return faults


def _parsed(package: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(package.rglob("*.py")):
        yield path, parsed(path.read_text("utf-8"))


def _parts(path: Path, package: Path) -> tuple[str, ...]:
    """The names from the package down to a module: `kernels/jit.py` is (kernels, jit),
    `cli/__init__.py` is (cli,).
    """
    parts = path.relative_to(package).with_suffix("").parts
    return parts[:-1] if parts[-1] == DOOR and len(parts) > 1 else parts


def _imports(tree: ast.Module, path: Path, package: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of all that is imported, inside functions and for type checkers too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = _origin(node, path, package)
            for alias in node.names:
                inside = origin == "shoal" and _is_module(package / alias.name)
                yield node.lineno, f"{origin}.{alias.name}" if inside else origin


def _origin(node: ast.ImportFrom, path: Path, package: Path) -> str:
    """The module that an import names, relative dots resolved."""
    if not node.level:
        return node.module or ""
    folder = ("shoal", *path.relative_to(package).parts[:-1])
    above = folder[: len(folder) - node.level + 1]
    return ".".join((*above, node.module) if node.module else above)


def _is_module(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").exists()
