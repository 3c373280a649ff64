"""Foreseeing: what a release would tell together with earlier ones, before it is made.

The table is divided twice, with little effort: as it is asked, and with people kept in the groups
they were published in. Nothing is written, and the ledger stays as it is. A run takes more effort,
so its figures differ a little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import api
from shoal.errors import ShoalError, notices_shown_by_door
from shoal.ledger.comparing import Compared
from shoal.recipe import Recipe
from shoal.studio.ledger_choice import LedgerChoice
from shoal.studio.words import untyped
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

SEED = 1
LOSSES = ("published-height-share", "height-share")


def do(
    tell: Tell, table: str, recipe: Mapping[str, Any], ledger: Mapping[str, Any]
) -> dict[str, Any]:
    """Tell who would be below k; then what keeping people in their groups would change."""
    people = opened(table)
    quick = Recipe.of(**{**recipe, "effort": "low", "seed": SEED, "time_limit": None})
    choice = LedgerChoice.of(ledger)
    assert choice is not None, "a ledger is named"
    tell("dividing as asked")
    with notices_shown_by_door():
        asked = api.anonymize(people, recipe=quick, **choice.asked(across="measure"))
    told = _exposed(asked, quick.k)
    tell.say("exposed", **told)
    if told["exposed"]:
        tell("dividing with people in their groups")
        told |= {"sticky": _sticky(people, quick, choice, asked)}
    return told


def _exposed(release: api.Release, k: int) -> dict[str, Any]:
    """Count who would be in company of too few, and what waiting and rounding can't change."""
    crossed = release.outcome.crossed
    assert crossed is not None and release.ledger is not None, "there is a ledger"
    past = release.ledger.across.past
    compared = Compared(past.with_new(crossed.published), k, crossed.described)
    figures = crossed.figures
    return {
        "k": k,
        "releases": figures.releases,
        "people": figures.people,
        "exposed": int(compared.exposed.sum()),
        "only_moved": compared.only_moved,
        "below": figures.below,
        "by_boxes": figures.by_boxes,
        "loss": _loss(release),
    }


def _sticky(
    people: Any, recipe: Recipe, choice: LedgerChoice, asked: api.Release
) -> dict[str, Any]:
    """Tell what sticky groups would lose, who would wait, and who would be left out."""
    leavers = choice.leavers or "withdraw"
    options = choice.asked(across="sticky", leavers=leavers)
    try:
        with notices_shown_by_door():
            release = api.anonymize(people, recipe=recipe, **options)
    except ShoalError as refusal:
        return {"refused": untyped(refusal.problem)}
    assert release.outcome.crossed is not None and asked.outcome.crossed is not None
    figures = release.outcome.crossed.figures
    out = asked.outcome.crossed.figures.people - figures.people - figures.waiting
    return {
        "loss": _loss(release),
        "waiting": figures.waiting,
        "out": max(out, 0) if leavers == "withdraw" else 0,
        "leavers": leavers,
    }


def _loss(release: api.Release) -> float | None:
    """Return the mean loss of a cell as printed, or of its group where cells name no box."""
    losses = [release.losses.get(name) for name in LOSSES]
    return next((loss for loss in losses if loss is not None), None)
