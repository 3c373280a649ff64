"""The only door to Numba: `compiled` turns a plain function into machine code, kept on disk between runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The function, compiled at its first call. Releases the GIL; no fastmath, so that every machine agrees."""
    try:
        return numba.njit(function, cache=True, nogil=True)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep the cache in (a read-only home): compile in every process instead
        return numba.njit(function, cache=False, nogil=True)  # type: ignore[no-any-return]


def cold() -> bool:
    """Whether nothing has been compiled on this machine yet, so that the first call will take its time."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parent)
    return next(folder.rglob("*.nbi"), None) is None
