"""Options that several commands share, and how what is typed becomes values."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal.declare.memory import size_of
from shoal.errors import DataError, RecipeError
from shoal.review.prechecks.population import read as read_population

Command = TypeVar("Command", bound=Callable[..., Any])


def columns(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Names separated by commas; a name that holds a comma stands in double quotes."""
    return tuple(
        name.strip()
        for text in given
        for name in next(csv.reader([text], skipinitialspace=True), [])
    )


def pairs(ctx: click.Context, option: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """`column=value`, as often as needed. A quasi-identifier whose own name holds `=` is recognised
    by -q.
    """
    named = sorted(ctx.params.get("quasi") or (), key=len, reverse=True)
    found = {}
    for text in given:
        known = next((name for name in named if text.startswith(f"{name}=")), None)
        name, equals, value = (known, "=", text[len(known) + 1 :]) if known else text.partition("=")
        if not equals:
            raise RecipeError(
                f"{option.opts[0]} takes COLUMN=VALUE, not '{text}'",
                remedy=f"{option.opts[0]} age=...",
            )
        found[name] = value
    return found


def quasi(*, required: bool) -> Callable[[Command], Command]:
    """-q, the columns that others may know."""
    return click.option(
        "-q",
        "--quasi",
        multiple=True,
        callback=columns,
        required=required,
        metavar="A,B",
        help="Quasi-identifiers: columns that others may know.",
    )


def sensitive(command: Command) -> Command:
    """-s, the columns to guard."""
    return click.option(
        "-s",
        "--sensitive",
        multiple=True,
        callback=columns,
        metavar="A,B",
        help="Sensitive columns: published, guarded by the models.",
    )(command)


def hierarchies(command: Command) -> Command:
    """--hierarchies and --hierarchy, how columns become coarser."""
    command = click.option(
        "--hierarchy",
        "hierarchies",
        multiple=True,
        callback=pairs,
        metavar="COLUMN=H",
        help="A file, none (interval), flat, masks:length=5, intervals:width=10, dates ...",
    )(command)
    return click.option(
        "--hierarchies",
        "folder",
        metavar="DIR",
        help="Folder with <column>.csv hierarchies in ARX's form.",
    )(command)


def population(command: Command) -> Command:
    """--population, who else could be meant."""
    return click.option(
        "--population",
        metavar="FILE|N",
        callback=lambda _, __, text: None if text is None else read_population(text),
        help="Everyone: a file or URL#TABLE, their number (250000), or the fraction that was sampled (0.1).",
    )(command)


def reading(command: Command) -> Command:
    """How a CSV file is to be read, where it can't be told from the file."""
    command = click.option(
        "--encoding", help="Encoding of a CSV file that is not UTF-8, e.g. latin-1."
    )(command)
    return click.option(
        "--delimiter", help="Delimiter of a CSV file, where it is not found by itself."
    )(command)


def table(command: Command) -> Command:
    """--table, which one of a database."""
    text = "The table, where a database is given by its address: ward.patients."
    return click.option("--table", metavar="NAME", help=text)(command)


def to(command: Command) -> Command:
    """--to, which table of a database is written."""
    text = "The table that is written, where OUT is the address of a database."
    return click.option("--to", metavar="NAME", help=text)(command)


def engine(text: str) -> Callable[[Command], Command]:
    """--engine and --remote, where the rows are."""

    def both(command: Command) -> Command:
        command = click.option(
            "--remote",
            metavar="sc://HOST",
            help="The Spark Connect server, which sees these folders.",
        )(command)
        return click.option(
            "--engine", type=click.Choice(["local", "spark"]), default="local", help=text
        )(command)

    return both


def on_spark(engine: str, remote: str | None, **beside: object) -> bool:
    """Whether Spark is asked for; refuses half of it, and what can't be used with it."""
    if engine == "local":
        if remote:
            raise RecipeError("--remote is the address of a Spark server", remedy="--engine spark")
        return False
    if not remote:
        raise RecipeError(
            "--engine spark needs the address of a server", remedy="--remote sc://localhost:15002"
        )
    for name in [name for name, given in beside.items() if given]:
        raise RecipeError(
            f"--engine spark can't be used with --{name}", remedy="leave one of them out"
        )
    return True


def size(text: str | None) -> int | None:
    """`2GB`, `800 MB` or a number of bytes."""
    return None if text is None else size_of(text)


def hierarchies_in(
    folder: str | None,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    models: Sequence[str] = (),
) -> dict[str, str]:
    """`DIR/<column>.csv` for every quasi-identifier that has one, and for sensitive columns if a
    model asks for them.
    """
    if folder is None:
        return {}
    if not Path(folder).is_dir():
        raise DataError(
            f"there is no folder '{folder}'", remedy="name the folder that holds <column>.csv files"
        )
    wanted = [*quasi, *(sensitive if any("hierarchical" in model for model in models) else ())]
    found = {
        name: str(Path(folder) / f"{name}.csv")
        for name in wanted
        if (Path(folder) / f"{name}.csv").is_file()
    }
    if not found:
        raise DataError(
            f"the folder '{folder}' holds no hierarchy of a quasi-identifier",
            remedy="files are named <column>.csv",
        )
    return found
