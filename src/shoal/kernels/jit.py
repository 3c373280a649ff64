"""The only door to Numba: `compiled` turns a plain function into machine code, kept on disk between runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The function, compiled at its first call. Releases the GIL; no fastmath, so that every machine agrees."""
    try:
        return numba.njit(function, cache=True, nogil=True)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep the cache in (a read-only home): compile in every process instead
        return numba.njit(function, cache=False, nogil=True)  # type: ignore[no-any-return]
