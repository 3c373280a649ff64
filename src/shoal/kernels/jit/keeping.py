"""Keeping: compiled code on disk, what this machine compiled and what came with a wheel.

A wheel may carry code in `kernels/shipped`, with a note of what it was made for: it is read where
Python, Numba and the CPU are the same. Code that an administrator compiled beside the kernels is
read by those who can't write there. What is in neither place is compiled, and kept for the user.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import caching

from shoal.kernels.jit.folders import (
    BESIDE,
    KERNELS,
    SHIPPED,
    digest,
    home,
    kernel_of,
    may_keep,
    may_read,
    may_read_installed,
)
from shoal.kernels.jit.turns import Turn
from shoal.kernels.waiting import announce

NOTE = "made-for.json"


class KernelFolder(caching._CacheLocator):  # type: ignore[misc]
    """Where Numba keeps the code of a kernel, and how it sees that it is still good."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._kernel = kernel_of(function)
        self._line = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """Name the folder."""
        return str(home(self._kernel))

    def get_source_stamp(self) -> str:
        """Name what the code was compiled from."""
        return digest(self._kernel)

    def get_disambiguator(self) -> str:
        """Tell functions of one name apart."""
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelFolder:
        """Name the folder of a function, whether it can be used or not."""
        return cls(py_func)


class KernelImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """Numba's reading and writing of compiled code, in our folders."""

    _locator_classes = (KernelFolder,)


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """Compiled code of a kernel: what was shipped, and what was compiled here."""

    _impl_class = KernelImpl

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._kernel = kernel_of(function)
        self.names: dict[Any, Any] = {}
        """Under which name the code for some types of arguments is looked for."""
        self.turn = Turn()
        """The turn to compile, from the moment where code is missing until it has been kept."""

    def file_in(self, folder: Path) -> Any:
        """Return Numba's reader and writer of this kernel's code, in some folder."""
        stamp = self._impl.locator.get_source_stamp()
        return caching.IndexDataCacheFile(str(folder), self._impl.filename_base, stamp)

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        key = self._index_key(sig, target_context.codegen())
        self.names[sig] = key
        kept = self._kept(key, target_context)
        if kept is None and may_keep(home(self._kernel)):
            announce()  # also where another process has the turn
            self.turn.take(home(self._kernel))
            kept = self._kept(key, target_context)  # by whoever had the turn before
        return kept

    def _kept(self, key: Any, target_context: Any) -> Any:
        """Load code from the folders that may be read; None where it is in none of them."""
        for folder in readable(self._kernel):
            with suppress(Exception):  # what can't be read is compiled anew
                data = self.file_in(folder).load(key)
                if data is not None:
                    return self._impl.rebuild(target_context, data)
        return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if may_keep(home(self._kernel)):
            with suppress(OSError):  # a full disk: compiled again next time
                super()._save_overload(sig, data)


def readable(kernel: str) -> list[Path]:
    """List the folders that hold code of a kernel and may be read: what was installed first."""
    kept = home(kernel)
    shipped = SHIPPED / kept.name
    beside = KERNELS / BESIDE / kept.name
    listed = []
    if _is_made_for_this(SHIPPED) and may_read_installed(shipped):
        listed.append(shipped)
    if beside != kept and may_read_installed(beside):
        listed.append(beside)
    if may_read(kept):
        listed.append(kept)
    return listed


def made_for() -> dict[str, str]:
    """Tell what code that is compiled here can be used with, apart from the CPU."""
    return {
        "python": f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


@cache
def _is_made_for_this(folder: Path) -> bool:
    """Tell whether shipped code is there, can be trusted, and suits Python and Numba.

    Numba itself looks at the CPU: it is part of the name under which code is found.
    """
    if numba.config.BOUNDSCHECK is not None or not may_read_installed(folder):
        return False
    try:
        return bool(json.loads((folder / NOTE).read_text("utf-8")) == made_for())
    except (OSError, ValueError):
        return False
