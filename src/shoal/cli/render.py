"""Render: prints results on standard output, progress and tables on standard error."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Literal

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from shoal.cli.harmless import harmless, harmless_cell, harmless_json
from shoal.cli.spelling import TERMINAL
from shoal.groups import DIVIDING, Watch
from shoal.kernels.waiting import hear
from shoal.screen import Screen

WIDE = 160  # columns, where nobody's screen sets the width
ALL_FIGURES = "Show every figure, below the verdict."
BAR = 10  # signs of a small bar
PATIENCE = 2.0  # seconds after which silence becomes impolite


class Page(Console):
    """Print to a reader who may go away: `shoal inspect people.csv | head` is no fault."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print texts without anything that a terminal would carry out."""
        shown = [harmless(each) if isinstance(each, str) else each for each in objects]
        super().print(*shown, **options)

    def on_broken_pipe(self) -> None:
        """Raise a broken pipe: whoever runs the command decides what it means."""
        raise BrokenPipeError


def stderr() -> Console:
    """Return the console on which people look; coloured only on a terminal."""
    return Page(stderr=True, highlight=False, width=None if sys.stderr.isatty() else WIDE)


def stdout() -> Console:
    """Return the console for results that someone may pipe on."""
    return Page(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def say(text: str, *, to_stderr: bool = True) -> None:
    """Print a line without anything that a terminal would carry out."""
    click.echo(harmless(text), err=to_stderr)


def print_json(result: Mapping[str, Any]) -> None:
    """Print one JSON object, and nothing else."""
    text = json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False)
    click.echo(harmless_json(text))


# Rows without lines between them, and two spaces between columns.
PLAIN_TABLE: dict[str, Any] = {"box": None, "pad_edge": False, "padding": (0, 2, 0, 0)}


def table(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    right: Sequence[int] = (),
) -> Table:
    """Build a plain table."""
    made = Table(title=title or None, title_justify="left", title_style="bold", **PLAIN_TABLE)
    for i, column in enumerate(columns):
        side: Literal["left", "right"] = "right" if i in right else "left"
        made.add_column(harmless_cell(column), justify=side, overflow="fold", style=None)
    for row in rows:
        texts = [cell if isinstance(cell, str) else number(cell) for cell in row]
        made.add_row(*(escape(harmless_cell(text)) for text in texts))
    return made


def section(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Print a table under its title, after an empty line; nothing where it has no rows.

    Numbers stand to the right.
    """
    rows = list(rows)
    if rows:
        right = [
            i for i in range(len(columns)) if any(isinstance(row[i], int | float) for row in rows)
        ]
        console.print(f"\n[bold]{escape(title)}[/bold]")
        console.print(table("", columns, rows, right=right))


def screen(console: Console, shown: Screen, ends: Sequence[str] = (), *, before: str = "") -> None:
    """Print a screen, with a door's own lines at its end; bars are for terminals alone."""
    draw = _draw(console.encoding) if console.is_terminal else None
    lines = shown.lines(TERMINAL, rest="--verbose", taken=len(ends), draw=draw)
    console.print(f"{before}{lines[0]}", markup=False, soft_wrap=True)
    for line in (*lines[1:], *([""] if ends else []), *ends):
        console.print(line, markup=False, soft_wrap=True)


def _draw(encoding: str) -> Callable[[Sequence[float]], str]:
    """Draw shares as one small bar, of signs that the terminal has."""
    signs = "█▒·" if encoding.lower().startswith("utf") else "#=."

    def drawn(shares: Sequence[float]) -> str:
        ends = [round(sum(shares[: place + 1]) * BAR) for place in range(len(shares))]
        starts = [0, *ends]
        parts = [
            sign * (end - start) for sign, start, end in zip(signs, starts, ends, strict=False)
        ]
        return "".join(parts)[:BAR].ljust(BAR)

    return drawn


def number(value: object) -> str:
    """Write a figure as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return str(value)
    if isinstance(value, int) or (value == int(value) and abs(value) >= 1):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def parted(figures: Mapping[str, Any]) -> dict[str, float | None]:
    """List figures by name; those that have parts once for each column."""
    by_name: dict[str, float | None] = {}
    for name, figure in figures.items():
        parts = figure if isinstance(figure, dict) else {"": figure}
        by_name |= {f"{name} of '{part}'" if part else name: value for part, value in parts.items()}
    return by_name


def counted(number: int, word: str) -> str:
    """Write a count with its noun: `1 group`, `2 groups`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


@contextmanager
def afterwards(done: str) -> Iterator[None]:
    """Ignore trouble while telling about work that is done: it must not look like a failure."""
    try:
        yield
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt):
        with suppress(OSError):
            say(done)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to say there


class Stages:
    """Show the stage that runs and its progress: a bar on a terminal, else a line now and then.

    Ctrl-C while rows are divided is raised by the watch: compiled code would swallow an exception
    out of the blue. One that got lost elsewhere is raised when the next stage begins, so that
    nothing is written after it.
    """

    def __init__(self) -> None:
        self.spoken = time.monotonic()
        self.stage = ""
        self.interrupted = False
        self.times = 0
        self.before = signal.signal(signal.SIGINT, self._interrupt)
        self.heard = ExitStack()
        self.heard.enter_context(hear(self._say))
        self.bar: Progress | None = None
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[loss]}"),
            )
            self.bar = Progress(*columns, console=stderr(), transient=True)
            self.bar.start()

    def __call__(self, name: str) -> Watch:
        """Show that a stage begins."""
        if self.interrupted:
            raise KeyboardInterrupt
        self.stage = name
        if self.bar is not None:
            for task in self.bar.tasks:
                self.bar.remove_task(task.id)
            self.bar.add_task(name, total=1.0, loss="")
        return self._look

    def _look(self, share: float, loss: float | None = None) -> None:
        """Show the progress of the stage that runs, and raise a pending Ctrl-C."""
        if self.interrupted:
            self.interrupted = self.times > 1  # heard: whoever catches the first may go on
            raise KeyboardInterrupt
        so_far = f"loss so far {number(loss)}" if loss is not None else ""
        if self.bar is not None:
            self.bar.update(self.bar.tasks[-1].id, completed=share, loss=so_far)
        elif time.monotonic() - self.spoken > PATIENCE:
            self.spoken = time.monotonic()
            say(f"{self.stage}: {share:.0%}{', ' if so_far else ''}{so_far}")

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True
        self.times = self.times + 1
        if self.times > 1 or self.stage != DIVIDING:
            raise KeyboardInterrupt

    def _say(self, text: str) -> None:
        """Print a line above the bar."""
        if self.bar is None:
            say(text)
        else:
            self.bar.console.print(text, markup=False)

    def close(self) -> None:
        """Clear the bar away."""
        signal.signal(signal.SIGINT, self.before)
        self.heard.close()
        if self.bar is not None:
            self.bar.stop()
