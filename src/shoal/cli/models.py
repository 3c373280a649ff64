"""`shoal models`: what can be promised about groups."""

from __future__ import annotations

import click

from shoal.cli import listing
from shoal.privacy.model import Model


@click.command()
def command() -> None:
    """List the privacy models, one line each.
    Parameters go behind a colon: --model l-diversity:l=3.
    """
    listing.show(Model)
