"""Attacks on a release that is there: `shoal.attack`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal import registry
from shoal.adapters.certificates import (
    GivenCertificate,
    overlap_plan_of,
    plan_beside,
    public_of,
    trees_beside,
)
from shoal.adapters.databases import is_url
from shoal.adapters.file_metadata import traces
from shoal.adapters.tables import arrow, parted
from shoal.api.arguments import Names, names_of
from shoal.attacks import attacking
from shoal.attacks.attack import Attack
from shoal.attacks.findings import Findings, verdict_of
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import warn_each
from shoal.flows import distortion_attacks, overlap
from shoal.flows.attacked import material
from shoal.flows.declared import understood_table
from shoal.recipe import Plan
from shoal.review.certificate_reading import AnyDistortion, AnyOverlap


def attack(
    released: Any,
    *,
    original: Any = None,
    register: Any = None,
    earlier: Any = (),
    certificate: GivenCertificate | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    k: int | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    attacks: str | Attack | Sequence[str | Attack] = "all",
    table: str | None = None,
) -> Findings:
    """Measure what an adversary gains from a release over guessing, attack by attack.

    Attacks whose material is absent say so.

    Args:
        released: The release: a frame, a path or an address.
        original: The table that it was made from: it scores the guesses.
        register: What the attacker knows, all of the original where it is not given. With as many
            rows as the original it is about the same people, row by row.
        earlier: Other releases of the same people, one or several.
        certificate: The public certificate, which tells roles, recipe and promises; what is given
            beside it wins.
        quasi: Columns that others may know.
        sensitive: Columns that nobody should learn about a person.
        k: The least size of groups that was promised.
        hierarchies: How columns became coarser, by name.
        attacks: Names of attacks, or `"all"`.
        table: The table of a database, or the sheet of a workbook.

    Returns:
        `.holds` says whether every attack failed that must fail before a release, `.all` what each
        one found.

    Examples:
        >>> people = pa.table({"age": [31, 33, 52, 58], "ill": ["flu", "flu", "cold", "gout"]})
        >>> released = pa.table({"age": ["[30, 39]"] * 2 + ["[50, 59]"] * 2, "ill": people["ill"]})
        >>> asked = {"quasi": "age", "sensitive": "ill", "attacks": "homogeneity"}
        >>> [found.name for found in attack(released, original=people, **asked).tried]
        ['homogeneity']
    """
    stated = None if certificate is None else public_of(certificate)
    trees = {**trees_beside(stated, released, certificate), **(hierarchies or {})}
    tried = _attacks(attacks)
    if isinstance(stated, AnyDistortion):
        findings = _on_numbers(released, table, original, stated, tried)
    elif isinstance(stated, AnyOverlap):
        plan_then = overlap_plan_of(stated, trees)
        after = arrow(released, table, typed=False)[0]
        findings = overlap.attacked_later(_table(original), after, plan_then, tried)
    else:
        given = {"quasi": names_of(quasi), "sensitive": names_of(sensitive), "k": k}
        plan = plan_beside(
            stated, {name: value for name, value in given.items() if value is not None}, trees
        )
        unknown = k is None and stated is None
        known: dict[str, Any] = {"k": None, "method": None} if unknown else {}
        known |= _known(plan, original, register, earlier)
        at_hand = material(arrow(released, table, typed=False)[0], plan, **known)
        findings = attacking.attack(replace(at_hand, traces=_traces(released)), tried)
    warn_each((*([] if findings.holds else [verdict_of(findings)]), *findings.notices))
    return findings


def _on_numbers(
    released: Any, table: str | None, original: Any, stated: AnyDistortion, tried: Sequence[Attack]
) -> Findings:
    """Attack perturbed numbers."""
    before = _table(original)
    after = arrow(released, table)[0]
    findings = distortion_attacks.attacked_later(before, after, stated, _traces(released))
    names = {each.name for each in tried}
    return replace(findings, all=tuple(one for one in findings.all if one.name in names))


def _known(plan: Plan, original: Any, register: Any, earlier: Any) -> dict[str, Any]:
    """Read what the attacker knows, and what scores the guesses, as the plan understands it."""
    one = isinstance(earlier, str | Path) or hasattr(earlier, "columns")
    others = [earlier] if one else earlier
    known: dict[str, Any] = {
        name: understood_table(arrow(rows)[0], plan)[0]
        for name, rows in (("original", original), ("register", register))
        if rows is not None
    }
    known["earlier"] = tuple(
        material(arrow(other, typed=False)[0], plan).release for other in others
    )
    return known


def _table(original: Any) -> pa.Table | None:
    """Return the original as Arrow; None where it was not given."""
    return None if original is None else arrow(original)[0]


def _traces(released: Any) -> dict[str, int] | None:
    """Count what a file tells beside its table; None for a frame or a database."""
    if not isinstance(released, str | Path) or str(released) == "-" or is_url(released):
        return None
    return traces(parted(str(released))[0])


def _attacks(asked: str | Attack | Sequence[str | Attack]) -> list[Attack]:
    """Return attacks by name, with parameters or not; or all."""
    if asked == "all":
        asked = list(registry.names(Attack))
    every = [asked] if isinstance(asked, str | Attack) else asked
    return [registry.make(Attack, one) if isinstance(one, str) else one for one in every]
