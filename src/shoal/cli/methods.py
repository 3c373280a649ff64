"""`shoal methods`: what divides rows into groups, and what perturbs numbers."""

from __future__ import annotations

import click

from shoal.cli import listing
from shoal.distortions.distortion import Distortion
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method


@click.command()
def command() -> None:
    """List the methods, one line each.
    Parameters go behind a colon: --method k-member:seed_rule=last-added.
    """
    listing.show(Method, "methods, for shoal anonymize:")
    listing.show(Overlap, "\nmethods that give each row a box of its own, for shoal anonymize:")
    listing.show(Distortion, "\ndistortions, for shoal distort:")
