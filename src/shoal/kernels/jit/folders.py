"""Folders of compiled code: where a kernel's is kept, and whether it may be read.

Code on disk is good while its kernel and all kernels that it imports, directly or not, are as they
were. So it is kept in a folder named after a hash of their files: a change to one of them compiles
anew what leans on it, and nothing else.

What is read there is a pickle, and so may do anything. It is read only where nobody but the user
and the administrator can have written it, or where whoever can write it can write our source too.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).parent.parent
COMPILER = Path(__file__).parent
SHIPPED = KERNELS / "shipped"  # code that came with a wheel
BESIDE = "__pycache__"  # code that whoever installed Shoal compiled
IMPORTED = re.compile(r"^from shoal\.kernels(?:\.([\w.]+))? import (\([^)]*\)|.+)", re.MULTILINE)


@cache
def home(kernel: str, kernels: Path = KERNELS) -> Path:
    """Name the folder of a kernel's compiled code: beside the kernels, or with the user's caches.

    `kernel` is the name of its module below `shoal.kernels`, such as `partition.peel`.
    """
    named = os.environ.get("NUMBA_CACHE_DIR")
    beside = kernels / BESIDE
    if not named and not _is_ours_alone(beside if beside.is_dir() else kernels):
        named = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal")
    return Path(named or beside) / f"{kernel}-{digest(kernel, kernels)}"


@cache
def digest(kernel: str, kernels: Path = KERNELS) -> str:
    """Hash a kernel's file, those of all kernels that it leans on, and the compiler's settings."""
    hashed = hashlib.sha256()
    for name in sorted(leans_on(kernel, kernels)):
        hashed.update(name.encode() + b"\0" + _file(name, kernels).read_bytes())
    hashed.update((COMPILER / "units.py").read_bytes())
    return hashed.hexdigest()[:16]


def kernel_of(function: Callable[..., Any]) -> str:
    """Name the module of a function below `shoal.kernels`."""
    return function.__module__.removeprefix("shoal.kernels.")


def may_keep(folder: Path) -> bool:
    """Make a folder for code; tell whether it can be written, and by nobody else."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return _is_ours_alone(folder)


def may_read(folder: Path) -> bool:
    """Tell whether code lies in a folder that nobody but the user and the administrator writes."""
    return all(_only_we_can_write(each) for each in (folder, *_files(folder)))


def may_read_installed(folder: Path, source: Path = KERNELS) -> bool:
    """Tell whether whoever can write code that was installed can write its source as well."""
    try:
        beside = source.stat()
    except OSError:
        return False
    return all(_written_by_the_same(each, beside) for each in (folder, *_files(folder)))


def _files(folder: Path) -> list[Path]:
    """List files of code in a folder, none of which another process is still writing."""
    return list(folder.glob("*.nb[ci]"))


def _is_ours_alone(folder: Path) -> bool:
    """Tell whether a folder can be written by the user, and by nobody else."""
    return os.access(folder, os.W_OK) and _only_we_can_write(folder)


def _only_we_can_write(path: Path) -> bool:
    """Tell whether a file is there, and only the user and the administrator can write it.

    A group that has the number of its user is that user's alone, as most systems set it up.
    """
    try:
        seen = path.stat()
    except OSError:
        return False
    if os.name != "posix":
        return True
    shared = stat.S_IWOTH if seen.st_gid == seen.st_uid else stat.S_IWOTH | stat.S_IWGRP
    return seen.st_uid in (0, os.getuid()) and not seen.st_mode & shared


def _written_by_the_same(path: Path, source: os.stat_result) -> bool:
    """Tell whether a file is there, and nobody can write it who can't write the source."""
    try:
        seen = path.stat()
    except OSError:
        return False
    owners_agree = (seen.st_uid, seen.st_gid) == (source.st_uid, source.st_gid)
    return owners_agree and not seen.st_mode & ~source.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def leans_on(kernel: str, kernels: Path) -> set[str]:
    """List a kernel and all kernels that it imports, directly or not."""
    known: set[str] = set()
    waiting = [kernel]
    while waiting:
        name = waiting.pop()
        if name in known or not _file(name, kernels).is_file():
            continue
        known.add(name)
        for module, listed in IMPORTED.findall(_file(name, kernels).read_text(encoding="utf-8")):
            waiting.append(module)
            # What is imported from a folder of kernels may be a module of it.
            folder = f"{module}." if module else ""
            words = [word.split(" as ")[0].strip() for word in listed.strip("()").split(",")]
            waiting += [f"{folder}{word}" for word in words]
    return known


def _file(kernel: str, kernels: Path) -> Path:
    """Name the source file of a kernel."""
    return kernels / f"{kernel.replace('.', '/')}.py"
