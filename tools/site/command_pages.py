"""Command pages: one for each command of the terminal, from its options and its help."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click

from shoal.cli import COMMANDS, commands


def pages() -> dict[str, str]:
    """Return a page for each command, and the list of all."""
    # Click keeps the help option of a command as the first context that asks has it named.
    context = click.Context(commands, info_name="shoal", **commands.context_settings)
    rows = [f"| [`shoal {name}`]({name}.md) | {said} |" for name, said in COMMANDS.items()]
    table = "\n".join(["| command | what it does |", "|---|---|", *rows])
    about = (
        "`shoal COMMAND --help` says the same. [The terminal](../terminal.md) is what all share:\
 exit codes, files, how values are typed."
    )
    made = {"reference/commands/index.md": f"# Commands\n\n{about}\n\n{table}\n"}
    for name in COMMANDS:
        command = commands.get_command(context, name)
        if command is not None:
            made[f"reference/commands/{name}.md"] = page(name, command, context)
    return made


def page(name: str, command: click.Command, context: click.Context) -> str:
    """Return the page of a command: its call, what it does, arguments and options."""
    own = click.Context(command, parent=context, info_name=name)
    usage = " ".join(["shoal", name, *command.collect_usage_pieces(own)])
    parts = [f"# shoal {name}", COMMANDS[name], f"```text\n{usage}\n```", *_help(command)]
    options = [each for each in command.params if isinstance(each, click.Option)]
    if options:
        rows = [_row(each, own) for each in options if not each.hidden]
        parts += ["## Options", "\n".join(["| option | what it says |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def _help(command: click.Command) -> Iterator[str]:
    """Give the help of a command as Markdown: paragraphs, and blocks that keep their lines."""
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(command.help or "")):
        if "\b" in paragraph:
            lines = [line for line in paragraph.splitlines() if line.strip("\b ")]
            yield "```text\n" + "\n".join(lines) + "\n```"
        elif paragraph.strip():
            yield paragraph


def _row(option: click.Option, context: click.Context) -> str:
    """Return an option as a line of a table."""
    record = option.get_help_record(context) or ("", "")
    flags, said = (text.replace("|", "\\|") for text in record)
    return f"| `{flags}` | {said} |".replace("\n", " ")
