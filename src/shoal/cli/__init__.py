"""The terminal: one command a file, loaded when it is called; every refusal has its exit code."""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from shoal.cli.known_help import ASKED, command_known_by

COMMANDS = {
    "anonymize": "Publish a table in which every row looks like at least k-1 others.",
    "anonymize-graph": "Publish who knows whom so that nobody stands alone by it.",
    "audit-graph": "Recount a release of a graph, or see who stands alone in one.",
    "attack-graph": "Try what someone who knows neighbours gets out of a release.",
    "mine-graph": "Measure what a release of a graph is good for.",
    "audit": "Measure what a table gives away, from its published values alone.",
    "verify": "Recount a release against its certificate.",
    "apply": "Publish a new table by the groups that a ledger knows.",
    "ledger": "Write down what is published about the same people; show and check it.",
    "keygen": "Make a pair of keys, with which releases are signed and signatures checked.",
    "inspect": "Suggest roles for the columns; show which single people out.",
    "compare": "Measure several methods at several k on one table; draw charts.",
    "distort": "Perturb numbers, and show what attacks regain of them.",
    "attack": "Try what an adversary gets out of a release.",
    "mine": "Measure what a release is good for, beside what it gives away.",
    "methods": "List the methods that divide rows into groups, and those that perturb numbers.",
    "models": "List the privacy models.",
    "metrics": "List the losses, risks, effects and tasks that are measured.",
    "attacks": "List the attacks that a release can be tried with.",
    "studio": "Open a local web page that leads from a table to a verified release.",
    "demo": "Anonymize an invented hospital table and show what happens.",
}
UNREACHABLE = (errno.EACCES, errno.ENAMETOOLONG, errno.ELOOP)
"""What the system says of places that somebody named, and that it does not lead to."""


class Commands(click.Group):
    """Commands by name, imported only when called: help must come at once."""

    known: click.Command | None = None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which one meets them."""
        return list(COMMANDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember where a command is asked for its help alone."""
        self.known = command_known_by(args)
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command, or the closest one as a hint."""
        if self.known is not None:
            return self.known
        if name not in COMMANDS:
            from shoal.errors import RecipeError, did_you_mean

            raise RecipeError(f"there is no command '{name}'", remedy=did_you_mean(name, COMMANDS))
        asked = gc.isenabled()
        gc.disable()
        try:
            command: click.Command = import_module(f"shoal.cli.{name.replace('-', '_')}").command
        finally:
            if asked:
                gc.enable()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Load the command that is carried out."""
        before = len(sys.modules)
        resolved = super().resolve_command(ctx, args)
        # What was loaded stays as long as the process: to look for rubbish among it again and
        # again takes a tenth of the start.
        if len(sys.modules) > before:
            gc.freeze()
        return resolved

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line each, without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=Commands, context_settings={"help_option_names": list(ASKED), "max_content_width": 110}
)
@click.version_option(package_name="shoal", message="%(prog)s %(version)s")
def commands() -> None:
    """Safety in numbers: publish tables about people in which every row looks like at least k-1
    others.

    \b
    shoal demo                                       see what it does
    shoal inspect people.csv                         who is singled out, and a command to go on with
    shoal anonymize people.csv -o out.csv -q age,sex,zip -s disease -k 5
    shoal audit out.csv -q age,sex,zip -s disease    trust, but recount
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run a command, and exit with its code.

    That is 0 done, 1 our fault, 2 the call, 3 the data, 4 privacy, 130 interrupted.
    """
    _open_streams()
    # When all is said, Ctrl-C changes nothing any more.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    code = _run(args)
    # Out here no exception is left that would keep a reader alive while Python shuts down.
    if code:
        sys.exit(code)


def _run(args: Sequence[str] | None) -> int:
    """Run a command; say why it did not end well, and return its exit code."""
    from shoal.errors import ShoalError, notices_shown_by_door

    try:
        with notices_shown_by_door():
            commands.main(args, prog_name="shoal", standalone_mode=False)
    except ShoalError as error:
        from shoal.cli.spelling import TERMINAL

        kind = f"{type(error).__module__}.{type(error).__name__}"
        return _stopped(f"{kind}: {error.said(TERMINAL)}", error.exit_code)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _stopped(_misused(error), 2)
    except (KeyboardInterrupt, click.Abort):
        return _stopped("interrupted: nothing was written", 130)
    except BrokenPipeError:
        # Whoever read us has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        problem = "the table does not fit into memory: nothing was written"
        return _stopped(f"shoal.errors.DataError: {problem}", 3)
    except OSError as error:
        if error.errno in UNREACHABLE and error.filename:
            problem = f"'{error.filename}' can't be reached: {error.strerror}"
            return _stopped(f"shoal.errors.DataError: {problem}", 3)
        return _stopped(_our_fault(error), 1)
    except Exception as error:
        return _stopped(_our_fault(error), 1)
    return 0


def _misused(error: click.ClickException) -> str:
    """Say what is wrong with a call, and how to get help."""
    used = error.ctx if isinstance(error, click.UsageError) else None
    path = used.command_path if used else "shoal"
    return f"shoal.errors.RecipeError: {error.format_message()}\n  try: {path} --help"


def _open_streams() -> None:
    """Let every text be printed: on a terminal without our letters, and where there is none."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever runs the command
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _stopped(message: str, code: int) -> int:
    """Say why a command did not end well; return its exit code."""
    from shoal.cli.harmless import harmless
    from shoal.errors import without_secrets

    click.echo(harmless(without_secrets(message)), err=True)
    return code


def _our_fault(error: Exception) -> str:
    """Say where it happened, never what was said: a foreign error's message may quote a cell."""
    if os.environ.get("SHOAL_DEBUG"):
        raise error
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    where = "?"
    if trace:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    kind = type(error).__name__
    return f"a fault of ours: {kind} at {where}; nothing was written (SHOAL_DEBUG=1 shows more)"
