"""Waiting: whoever waits for a compiler is told so, once, and how long it takes.

A door that shows progress of its own hears it through `hear`; otherwise a line goes to standard
error, unless the environment says SHOAL_PROGRESS=0.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

COMPILING = "compiling code for this machine"
NOTICE = COMPILING + ", once: {}, and kept for the next time"
FIRST = "about a minute"  # the default method has yet to be compiled
FURTHER = "some seconds"  # something beside it has

_hearers: list[Callable[[str], object]] = []
_said = False


@contextmanager
def hear(tell: Callable[[str], object]) -> Iterator[None]:
    """Let `tell` hear once, inside the block and in whatever thread, that code is compiled."""
    global _said
    _said = False
    _hearers.append(tell)
    try:
        yield
    finally:
        _hearers.remove(tell)


def announce() -> None:
    """Tell, once in a process or to whoever hears, that code is compiled, or waited for."""
    global _said
    if _said:
        return
    _said = True
    (_hearers[-1] if _hearers else _write)(notice())


def notice() -> str:
    """Say what is being waited for, and how long."""
    from shoal.kernels.jit import cold  # which announces itself

    return NOTICE.format(FIRST if cold() else FURTHER)


def _write(notice: str) -> None:
    """Say it on standard error, where a call from Python has nothing better."""
    wanted = os.environ.get("SHOAL_PROGRESS", "1").strip().lower() not in ("0", "false", "no")
    if wanted and sys.stderr is not None:
        print(f"shoal: {notice}", file=sys.stderr, flush=True)
