"""Code: a hash of what makes a figure, so that no figure outlives a change of it.

Finished cells of an experiment are kept in a file whose name holds this hash. It covers the rooms
of Shoal that a figure can depend on, and the modules of the experiment that measure it; wording
and layout of a page are left out, so that a page can be written anew without measuring anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import shoal

SOURCE = Path(shoal.__file__).parent
HERE = Path(__file__).parent
NO_FIGURES = ("cli", "studio", "handover")
"""Rooms that show figures and make none."""
IMPORTED = re.compile(r"^from experiments(?:\.(\w+))? import (\([^)]*\)|.+)", re.MULTILINE)
NO_MEASURE = ("page", "verdicts", "code")
"""Modules of experiments that judge and show what was measured."""


@cache
def fingerprint(measuring: tuple[str, ...] = ()) -> str:
    """Hash the source of Shoal and of some modules of experiments with all that they import."""
    digest = hashlib.sha256()
    for file in [*_of_shoal(SOURCE), *_of_experiments(measuring, HERE)]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _of_shoal(source: Path) -> list[Path]:
    files = sorted(source.rglob("*.py"))
    return [file for file in files if file.relative_to(source).parts[0] not in NO_FIGURES]


def _of_experiments(modules: Iterable[str], folder: Path) -> list[Path]:
    """List the files of modules and of all modules of experiments that they import."""
    known: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        file = folder / f"{name}.py"
        if name in known or name in NO_MEASURE or not file.is_file():
            continue
        known.add(name)
        for module, listed in IMPORTED.findall(file.read_text("utf-8")):
            words = [word.split(" as ")[0].strip() for word in listed.strip("()").split(",")]
            waiting += [module] if module else words
    return [folder / f"{name}.py" for name in sorted(known)]
