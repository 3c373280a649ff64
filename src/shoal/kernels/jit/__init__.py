"""The only door to Numba: `compiled` turns a function into machine code that is kept on disk.

folders.py   where the code of a kernel is kept, and when it may be read
turns.py     one process at a time compiles a kernel; the others find its code on disk
units.py     a kernel and all that it calls are compiled as one unit, for a CPU in common use
remembering.py  what Numba finds out about types, found out once
algebra_later.py  Numba, without loading SciPy for what no kernel calls
inlining.py  a kernel whose code is put wherever another one calls it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from shoal.kernels.jit.folders import home, kernel_of

try:
    from shoal.kernels.jit.inlining import InlinedKernel
    from shoal.kernels.jit.keeping import readable
    from shoal.kernels.jit.units import Kernel
except (ImportError, AttributeError):  # a Numba that is built otherwise: compile as it does
    Kernel = None  # type: ignore[assignment,misc]
    InlinedKernel = None  # type: ignore[assignment,misc]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function at its first call, and keep the machine code on disk.

    It releases the GIL; no fastmath, so that every machine agrees.
    """
    if numba.config.DISABLE_JIT:
        return function
    return _plain(function) if Kernel is None else Kernel(function)


def inlined(function: Function) -> Function:
    """Compile a function, and put its code wherever another kernel calls it.

    For short steps of inner loops that are handed many arrays: a call would count a reference to
    each of them, all threads in turn, and that took longer than the step.
    """
    if numba.config.DISABLE_JIT:
        return function
    return _plain(function) if InlinedKernel is None else InlinedKernel(function)


def cold() -> bool:
    """Tell whether the beginning of the default method has yet to be compiled on this machine."""
    first = "partition.peel"
    places = [home(first)] if Kernel is None else readable(first)
    return not any(next(place.rglob("*.nbi"), None) for place in places)


def _plain(function: Function) -> Function:
    """Compile a function by itself, as Numba does it without our help; slower to compile."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(home(kernel_of(function)))
    try:
        return numba.njit(function, cache=True, nogil=True)
    except RuntimeError:  # no folder to keep the code in: compile in every process instead
        return numba.njit(function, cache=False, nogil=True)
    finally:
        numba.config.CACHE_DIR = before
