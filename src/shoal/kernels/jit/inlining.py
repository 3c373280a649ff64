"""Inlining: a kernel whose code is put wherever another kernel calls it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from numba.core.registry import CPUDispatcher

from shoal.kernels.jit.units import OPTIONS, Kernel


class InlinedKernel(Kernel):
    """A compiled function that other kernels don't call: they hold its code themselves."""

    @cached_property
    def part(self) -> Any:
        """Give this function as a part that LLVM always puts where it is called."""
        inline = {**OPTIONS, "no_cpython_wrapper": True, "forceinline": True}
        return CPUDispatcher(self.py_func, targetoptions=inline)
