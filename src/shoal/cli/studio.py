"""`shoal studio`: the local web page."""

from __future__ import annotations

from importlib import import_module

import click

from shoal.adapters import databases
from shoal.cli import options
from shoal.errors import DataError, RecipeError


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@options.take("table")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port to listen on.  [default: a free one]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(file: str | None, table: str | None, port: int, no_browser: bool) -> None:
    """Open a local web page that leads from a table to a verified release.

    \b
    shoal studio
    shoal studio people.csv
    shoal studio people.parquet --port 8123 --no-browser

    The address holds a token that lives as long as this command; Ctrl-C ends it, and nothing
    uploaded is left.
    """
    if file is not None and not databases.is_url(file):
        _refuse_absent(file)
    try:
        server = import_module("shoal.studio.server")
        import_module("nicegui")
    except ImportError:
        remedy = "pip install 'shoal[studio]'"
        raise RecipeError("the studio is not installed", remedy=remedy) from None
    server.serve(click.echo, file, table=table, port=port, browser=not no_browser)


def _refuse_absent(file: str) -> None:
    try:
        with open(file, "rb"):
            return
    except OSError as error:
        raise DataError(
            f"'{file}' can't be read", {"reason": error.strerror}, "check the name and the folder"
        ) from None
