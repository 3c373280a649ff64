"""The only printer: results on standard output, progress and tables on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from shoal.groups import Watch

WIDE = 160  # columns, where nobody's screen sets the width
PATIENCE = 2.0  # seconds after which silence becomes impolite


class Page(Console):
    """A console whose reader may go away: `shoal inspect people.csv | head` is no fault."""

    def on_broken_pipe(self) -> None:
        """Whoever runs the command decides what that means."""
        raise BrokenPipeError


def stderr() -> Console:
    """Where people look; coloured only on a terminal."""
    return Page(stderr=True, highlight=False, width=None if sys.stderr.isatty() else WIDE)


def stdout() -> Console:
    """Where results go that someone may pipe on."""
    return Page(highlight=False, width=None if sys.stdout.isatty() else WIDE)


def print_json(result: Mapping[str, Any]) -> None:
    """One object, and nothing else."""
    click.echo(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[int] = ()) -> Table:
    """A plain table."""
    made = Table(title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for i, column in enumerate(columns):
        made.add_column(column, justify="right" if i in right else "left", overflow="fold", style=None)
    for row in rows:
        made.add_row(*(escape(cell if isinstance(cell, str) else number(cell)) for cell in row))
    return made


def number(value: object) -> str:
    """A figure as people read it."""
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return str(value)
    if isinstance(value, int) or (value == int(value) and abs(value) >= 1):
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1000 else f"{value:.4g}"


def counted(number: int, word: str) -> str:
    """`1 group`, `2 groups`."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


@contextmanager
def afterwards(done: str) -> Iterator[None]:
    """What is done is done: trouble while telling about it must not look like a failure."""
    try:
        yield
        sys.stdout.flush()
    except (OSError, KeyboardInterrupt):
        with suppress(OSError):
            click.echo(done, err=True)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more to say there


class Stages:
    """Shows the stage that runs and how far it is: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self.start = self.spoken = time.monotonic()
        self.bar: Progress | None = None
        if sys.stderr.isatty():
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
            )
            self.bar = Progress(*columns, console=stderr(), transient=True)
            self.bar.start()

    def __call__(self, name: str) -> Watch:
        """A stage begins."""
        if name == "dividing into groups" and _cold():
            click.echo("first run: compiling, once; takes about half a minute", err=True)
        if self.bar is None:
            return lambda share: self._say(name, share)
        for task in self.bar.tasks:
            self.bar.remove_task(task.id)
        bar, task_id = self.bar, self.bar.add_task(name, total=1.0)
        return lambda share: bar.update(task_id, completed=share)

    def _say(self, name: str, share: float) -> None:
        if time.monotonic() - self.spoken > PATIENCE:
            self.spoken = time.monotonic()
            click.echo(f"{name}: {share:.0%}", err=True)

    def close(self) -> None:
        """Clear the bar away."""
        if self.bar is not None:
            self.bar.stop()


def _cold() -> bool:
    from shoal.kernels import jit

    return jit.cold()
