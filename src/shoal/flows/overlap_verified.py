"""Checks a release whose rows have boxes of their own against its certificate, later."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from shoal import registry
from shoal.flows.attacked import had_their_turn
from shoal.flows.declared import declared
from shoal.flows.overlap import nearly_unique_in, printed_losses
from shoal.overlap.concealment import Concealment
from shoal.overlap.hiding import promise_of
from shoal.recipe import OverlapPlan
from shoal.review.certificate_reading import AnyOverlap
from shoal.review.overlap_check import ToBeSaid, verify
from shoal.review.overlap_gate import recount
from shoal.review.verdict import Verification
from shoal.wording import FILE, Sentence, Set


def verified(
    published: pa.Table,
    said: AnyOverlap,
    plan: OverlapPlan,
    original: pa.Table | None,
    lacking: Sequence[str] = (),
) -> Verification:
    """Check a release against its certificate.

    How people are hidden is recounted where the original is at hand.
    """
    attacks = had_their_turn(plan.recipe) if said.shoal == registry.version() else None
    promise = promise_of(plan.method, as_published=plan.recipe.as_published)
    wanted = ToBeSaid(promise, attacks, nearly_unique_in(published, plan))
    if lacking:
        trees = ", ".join(map(repr, lacking))
        return verify(published, said, None, None, f"without the hierarchy of {trees}", wanted)
    counts = None if original is None else recounted(published, original, plan)
    without = Sentence("without ", Set("original", FILE))
    return verify(published, said, printed_losses(published, plan), counts, without, wanted)


def recounted(published: pa.Table, original: pa.Table, plan: OverlapPlan) -> Concealment:
    """Count how well published rows hide the people of the original, for the k of the recipe."""
    return recount(published, declared(original, plan)[0], plan.recipe.k)
