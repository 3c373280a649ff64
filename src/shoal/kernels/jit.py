"""The only door to Numba: `compiled` turns a plain function into machine code, kept on disk between runs.

Numba alone looks at the file of a function to see whether its code on disk is still good, and not at the files of what
it calls. So code is kept in a folder named after a hash of all kernels: a change to any of them compiles all anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

KERNELS = Path(__file__).parent


def compiled(function: Function) -> Function:
    """The function, compiled at its first call. Releases the GIL; no fastmath, so that every machine agrees."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(home())
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder to keep the code in: compile in every process instead
        return numba.njit(function, cache=False, nogil=True)
    finally:
        numba.config.CACHE_DIR = before


def cold() -> bool:
    """Whether these kernels have not been compiled on this machine yet, so that a first call will take its time."""
    return next(home().rglob("*.nbi"), None) is None


@cache
def home(kernels: Path = KERNELS) -> Path:
    """Where compiled code is kept: beside the kernels, or with the user's caches where that can't be written."""
    digest = hashlib.sha256()
    for source in sorted(kernels.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    named = os.environ.get("NUMBA_CACHE_DIR")
    beside = kernels / "__pycache__"
    if not named and not os.access(beside if beside.is_dir() else kernels, os.W_OK):
        named = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shoal")
    return Path(named or beside) / f"kernels-{digest.hexdigest()[:16]}"
