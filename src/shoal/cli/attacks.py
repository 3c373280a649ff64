"""`shoal attacks`: what a release can be tried with."""

from __future__ import annotations

import click

from shoal.attacks.attack import Attack
from shoal.cli import listing


@click.command()
def command() -> None:
    """List the attacks, one line each.
    Parameters go behind a colon: --attack background-knowledge:values=2.
    """
    listing.show(Attack)
