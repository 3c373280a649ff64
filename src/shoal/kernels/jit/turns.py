"""Turns: one process at a time compiles a kernel; the others wait, and find its code on disk.

The lock is that of a hidden file in the kernel's folder, and ends with the process, however that
ends. Nobody waits longer than PATIENCE: whoever holds the lock may have been stopped, and code that
is compiled twice is as good.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # a system without it: every process compiles by itself
    fcntl = None  # type: ignore[assignment]

LOCK = ".compiling"
PATIENCE = 30.0  # seconds: most kernels are compiled in less than five
STEP = 0.02


class Turn:
    """A turn to compile the kernel of a folder: taken where its code is missing, ended after it."""

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def take(self, folder: Path) -> None:
        """Wait until no other process compiles what this folder is for, or for PATIENCE."""
        if fcntl is None or self._descriptor is not None:
            return
        try:
            self._descriptor = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:
            return
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(STEP)
            except OSError:  # a disk without locks
                return

    def end(self) -> None:
        """Let the next process have its turn."""
        if self._descriptor is not None:
            with suppress(OSError):
                # Closing alone would not do where a process was forked meanwhile.
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            os.close(self._descriptor)
            self._descriptor = None
