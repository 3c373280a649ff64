"""Writer: one process at a time writes to a ledger; the second waits, or is told who holds it.

The lock is that of a hidden file beside the ledger, and ends with the process, however that ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import DataError

try:
    import fcntl
except ImportError:  # a system without it: SQLite alone keeps writers apart
    fcntl = None  # type: ignore[assignment]

PATIENCE = 20.0  # seconds until the second is refused
STEP = 0.05


def lock_place(ledger: Path) -> Path:
    """Return the place of the lock of a ledger."""
    return ledger.with_name(f".{ledger.name}.lock")


@contextmanager
def alone(ledger: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold a ledger while the block writes to it."""
    if fcntl is None:
        yield
        return
    try:
        descriptor = os.open(lock_place(ledger), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        problem = f"the folder of ledger '{ledger}' can't be written to"
        raise DataError(problem, {"reason": error.strerror}) from None
    try:
        _wait(descriptor, ledger, patience)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _wait(descriptor: int, ledger: Path, patience: float) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                holder = os.pread(descriptor, 100, 0).decode("ascii", "replace") or "unknown"
                raise DataError(
                    f"ledger '{ledger}' is being written to",
                    {"held by": holder},
                    "wait until that run has ended, and start again",
                ) from None
            time.sleep(STEP)
