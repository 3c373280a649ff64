"""`shoal metrics`: what is measured about a release."""

from __future__ import annotations

import click

from shoal.cli import listing
from shoal.mining.task import Task
from shoal.review.effects.effect import Effect
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk


@click.command()
def command() -> None:
    """List the losses, risks, effects and tasks, one line each."""
    listing.show(Loss, "losses, from the original and the groups:")
    listing.show(PublishedLoss, "\nlosses, from the printed cells alone:")
    listing.show(Risk, "\nrisks:")
    listing.show(Effect, "\neffects of a distortion:")
    listing.show(Task, "\ntasks of shoal mine:")
