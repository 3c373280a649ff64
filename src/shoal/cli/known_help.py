"""Help that is known before a command is loaded: `shoal anonymize --help` waits for no compiler.

`tools/write_options.py` writes what each command says of itself into `known_help.json`, and a test
compares the two. Lines are still broken as wide as the terminal is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

PLACE = Path(__file__).with_suffix(".json")
ASKED = ("-h", "--help")


class KnownHelp(click.Command):
    """A command that can only say what it is for."""

    def __init__(self, name: str, known: dict[str, Any]) -> None:
        super().__init__(name, help=known["help"], epilog=known["epilog"])
        self._usage: list[str] = known["usage"]
        self._sections: dict[str, list[list[str]]] = known["sections"]

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the words behind the name of the command."""
        return self._usage

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write options, and commands where there are some below this one."""
        for title, rows in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(row[0], row[1]) for row in rows])


def command_known_by(args: Sequence[str]) -> KnownHelp | None:
    """Return a command that is asked for its help alone, if its help is known."""
    if len(args) != 2 or args[1] not in ASKED:
        return None
    try:
        known = json.loads(PLACE.read_text("utf-8"))
        return KnownHelp(args[0], known[args[0]])
    except (OSError, ValueError, KeyError):  # the command itself knows
        return None


def described(command: click.Command, name: str) -> dict[str, Any]:
    """Tell what a command says of itself, without breaking lines."""
    context = click.Context(command, info_name=name, help_option_names=list(ASKED))
    listed = _Listed()
    command.format_options(context, listed)
    return {
        "usage": command.collect_usage_pieces(context),
        "help": command.help,
        "sections": listed.sections,
        "epilog": command.epilog,
    }


class _Listed(click.HelpFormatter):
    """Notes the lists that a command writes, under their titles."""

    def __init__(self) -> None:
        super().__init__(width=10_000)  # a list of commands is cut where the line ends
        self.sections: dict[str, list[list[str]]] = {}

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Begin a list."""
        self.sections[name] = []
        yield

    def write_dl(self, rows: Iterable[tuple[str, str]], *_: Any, **__: Any) -> None:
        """Note a list."""
        self.sections[list(self.sections)[-1]] += [list(row) for row in rows]
