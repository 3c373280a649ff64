"""Progress: a bar for those who call Shoal from Python and wait, in a terminal or a notebook.

| where | what is shown |
|---|---|
| a notebook (a kernel of IPython runs) | a bar below the cell, in place, removed at the end |
| a terminal | a line on standard error, removed at the end |
| anywhere else, or `SHOAL_PROGRESS=0` | nothing |

It appears after two seconds. Nothing ever goes to standard output, and no value of a cell to
either. The terminal command and the studio show progress of their own.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

from shoal.errors import shown_by_door
from shoal.flows.clock import Stage, unstaged
from shoal.groups import Watch

PATIENCE = 2.0  # seconds without a word
OFTEN = 0.1  # seconds between two pictures
SIGNS = 24  # of the bar in a terminal
SWITCH = "SHOAL_PROGRESS"


class DrawingPlace(Protocol):
    """A place where a bar is drawn, and from which it is removed."""

    def draw(self, stage: str, share: float, seconds: float) -> None:
        """Draw how far a stage has come."""

    def clear(self) -> None:
        """Remove what was drawn."""


class TerminalLine:
    """One line on standard error that is drawn over itself."""

    def draw(self, stage: str, share: float, seconds: float) -> None:
        """Draw the bar, as wide as the terminal allows."""
        done = round(share * SIGNS)
        bar = "#" * done + "." * (SIGNS - done)
        text = f"{stage}  {bar}  {share:.0%}  {seconds:.0f} s"
        wide = shutil.get_terminal_size().columns - 1
        self._write(f"\r\x1b[2K{text[:wide]}")

    def clear(self) -> None:
        """Empty the line."""
        self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class NotebookBar:
    """A bar below the cell of a notebook that runs."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def draw(self, stage: str, share: float, seconds: float) -> None:
        """Draw the bar, the first time below the cell and then in its place."""
        text = f"{stage}: {share:.0%}, {seconds:.0f} s"
        bar = f'<progress value="{share:.3f}" max="1"></progress> {escape(text)}'
        self._put({"text/html": bar, "text/plain": text})

    def clear(self) -> None:
        """Leave an empty place: what a notebook shows can't be taken away."""
        self._put({"text/html": "", "text/plain": ""})

    def _put(self, shown: dict[str, str]) -> None:
        if self._handle is None:
            self._handle = self._display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


class Progress:
    """Draws the stage that runs, once the reader has waited long enough."""

    def __init__(self, place: DrawingPlace, now: Callable[[], float] = time.monotonic) -> None:
        self._place = place
        self._now = now
        self._began = now()
        self._drawn = -OFTEN
        self._stage = ""

    def __call__(self, name: str) -> Watch:
        """Begin a stage."""
        self._stage = name
        self._look(0.0)
        return self._look

    def _look(self, share: float, loss: float | None = None) -> None:
        """Draw how far the stage has come, where the last picture is old enough."""
        seconds = self._now() - self._began
        if seconds >= PATIENCE and seconds - self._drawn >= OFTEN:
            self._drawn = seconds
            self._place.draw(self._stage, min(max(share, 0.0), 1.0), seconds)

    def close(self) -> None:
        """Remove the bar, if there is one."""
        if self._drawn >= 0:
            self._place.clear()


@contextmanager
def progress_of(given: Stage | None) -> Iterator[Stage]:
    """Give the progress that a caller handed in, or else a bar where someone looks on."""
    place = _place()
    if given is not None or place is None:
        yield given or unstaged
        return
    shown = Progress(place)
    try:
        yield shown
    finally:
        shown.close()


def _place() -> DrawingPlace | None:
    """Find where a bar can be drawn; None where nobody would see it, or it is not wanted."""
    if shown_by_door() or os.environ.get(SWITCH, "1").strip().lower() in ("0", "false", "no"):
        return None
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is not None:
        return NotebookBar(sys.modules["IPython"].display.display)
    if sys.stderr is not None and sys.stderr.isatty():
        return TerminalLine()
    return None
