"""The only door to Numba: `compiled` turns a function into machine code that is kept on disk.

Numba alone looks at the file of a function to see whether its code on disk is still good, and not
at the files of what it calls. So the code of a kernel is kept in a folder named after a hash of its
file and of all kernels that it imports, directly or not: a change to one of them compiles anew what
leans on it, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

KERNELS = Path(__file__).parent
IMPORTED = re.compile(r"^from shoal\.kernels(?:\.([\w.]+))? import (\([^)]*\)|.+)", re.MULTILINE)


def compiled(function: Function) -> Function:
    """Compile a function at its first call, and keep the machine code on disk.

    It releases the GIL; no fastmath, so that every machine agrees.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(home(function.__module__.removeprefix("shoal.kernels.")))
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder to keep the code in: compile in every process instead
        return numba.njit(function, cache=False, nogil=True)
    finally:
        numba.config.CACHE_DIR = before


def cold() -> bool:
    """Tell whether the beginning of the default method has yet to be compiled on this machine.

    If so, a first call takes its time.
    """
    return next(home("partition.peel").rglob("*.nbi"), None) is None


@cache
def home(kernel: str, kernels: Path = KERNELS) -> Path:
    """Name the folder of a kernel's compiled code: beside the kernels, or with the user's caches.

    `kernel` is the name of its module below `shoal.kernels`, such as `partition.peel`.
    """
    digest = hashlib.sha256()
    for name in sorted(_leans_on(kernel, kernels)):
        digest.update(name.encode() + b"\0" + _file(name, kernels).read_bytes())
    named = os.environ.get("NUMBA_CACHE_DIR")
    beside = kernels / "__pycache__"
    if not named and not os.access(beside if beside.is_dir() else kernels, os.W_OK):
        named = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal")
    return Path(named or beside) / f"{kernel}-{digest.hexdigest()[:16]}"


def _leans_on(kernel: str, kernels: Path) -> set[str]:
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
