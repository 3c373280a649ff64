"""Overlap attacks: what attacks on overlapping boxes regain; a refusal where one succeeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Material
from shoal.attacks.attacking import Findings
from shoal.attacks.overlapped import Overlapped, Told
from shoal.attacks.sight import Seen
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.errors import DataError
from shoal.flows.attacked import ATTACKED
from shoal.flows.declared import declared
from shoal.overlap.cover import Cover
from shoal.overlap.speech import Speech, sampled
from shoal.recipe import OverlapPlan
from shoal.recode.distributions import shares_in
from shoal.review.overlap_gate import printed_boxes
from shoal.wording import FILE, Remedy, Set

MOST_VALUES = 1_000  # of a column that is guessed: beyond that nobody guesses right by voting


def overlapped(speech: Speech, sensitive: Sequence[Profile], plan: OverlapPlan) -> Overlapped:
    """Collect the knowledge of an attacker who has all quasi-identifiers and the method."""
    told = {}
    for place, column in enumerate(sensitive):
        if column.size > MOST_VALUES:
            continue
        if speech.carried is not None:
            shares = np.zeros((len(speech.carried), column.size + 1))
            shares[np.arange(len(shares)), column.codes[speech.carried]] = 1.0
        else:
            shares = speech.shares[place]
        told[column.name] = Told(np.ascontiguousarray(shares[:, : column.size]), column.codes)
    return Overlapped(
        speech.starts, speech.members, told, plan.method.l, speech.own, speech.unit_of
    )


def withstood(
    table: pa.Table, rows: Rows, published: pa.Table, plan: OverlapPlan, known: Overlapped
) -> Findings:
    """Run the attacks on overlapping boxes.

    Refuses the release where one that gates succeeds, unless the paper's form was asked for.
    """
    attacks = [attack() for attack in registry.names(Attack).values() if "overlap" in attack.flows]
    findings = attacking.attack(_material(table, rows, published, plan, known), attacks)
    return findings if plan.recipe.as_published else findings.require(published="nothing")


def _material(
    table: pa.Table, rows: Rows, published: pa.Table, plan: OverlapPlan, known: Overlapped
) -> Material:
    """Collect the release and all that an attacker may know of it."""
    recipe = plan.recipe
    trees = {name: tree for name, tree in plan.hierarchies.items() if name in recipe.quasi}
    given: dict[str, Any] = {
        "original": table,
        "encoded": rows,
        "k": recipe.k,
        "most": ATTACKED,
        "overlapped": known,
    }
    return Material(Seen(published, recipe.quasi, (), trees), flow="overlap", **given)


def attacked_later(
    original: pa.Table | None, published: pa.Table, plan: OverlapPlan, attacks: Sequence[Attack]
) -> Findings:
    """Attack a release made some time ago, as someone who knows everyone's quasi-identifiers.

    Each row then speaks about everybody whom it covers. Who finds the paper's neighbourhoods again
    learns more: the attacks before a release do, and the certificate states what they found.
    """
    if original is None:
        raise DataError(
            "attacks on overlapping boxes need the original table",
            remedy=Remedy(Set("original", FILE)),
        )
    rows, _ = declared(original, plan)
    cover = Cover.of(rows.codes, *printed_boxes(published, rows.axes))
    speech = sampled(cover, np.zeros(0, np.int32))
    guessed = [column for column in rows.sensitive if column.size <= MOST_VALUES]
    told = {column.name: Told(shares_in(published, column), column.codes) for column in guessed}
    known = Overlapped(speech.starts, speech.members, told, plan.method.l, None, speech.unit_of)
    return attacking.attack(_material(original, rows, published, plan, known), attacks)
