"""Cells that take as long as they say, for those who measure several at once; imported by
processes, so it imports little.
"""

from __future__ import annotations

import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Sleeper:
    """A cell of so many seconds."""

    seconds: float

    @property
    def key(self) -> str:
        """A name for the result."""
        return f"{self.seconds}"


def slept(cell: Sleeper) -> dict:
    """Measure one."""
    time.sleep(cell.seconds)
    return {"slept": cell.seconds}
