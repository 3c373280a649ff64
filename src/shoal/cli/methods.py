"""`shoal methods`: what divides rows into groups."""

from __future__ import annotations

import click

from shoal.cli import listing
from shoal.partition.method import Method


@click.command()
def command() -> None:
    """List the methods, one line each. Parameters go behind a colon: --method k-member:seed_rule=last-added."""
    listing.show(Method)
