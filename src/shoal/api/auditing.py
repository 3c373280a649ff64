"""Audits of what a table shows, and checks whether a certificate is true of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from shoal import registry
from shoal.adapters.certificates import (
    GivenCertificate,
    overlap_plan_of,
    plan_of,
    public_of,
    readable,
)
from shoal.adapters.tables import arrow, everyone, refuse_table
from shoal.api.arguments import Names, each_of, names_of, spelled
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.roles import check_table
from shoal.engines.spark.audit import audited
from shoal.engines.spark.jobs import is_frame
from shoal.errors import RecipeError
from shoal.flows import overlap
from shoal.flows.exposure import exposed, published_view
from shoal.privacy.model import Model
from shoal.recipe import Plan, hierarchy_of
from shoal.review import audit as auditing
from shoal.review import certificate_check, distortion_check, inspection
from shoal.review.certificate import WEIGHTS
from shoal.review.certificate_format import (
    DistortionCertificate,
    GroupsCertificate,
    OverlapCertificate,
)
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk


def audit(
    released: Any,
    *,
    quasi: Names,
    sensitive: Names = (),
    keep: Names = (),
    require: Sequence[str | Model] = (),
    missing: Literal["own", "wildcard"] = "own",
    population: Any = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    table: str | None = None,
) -> auditing.Audit:
    """Measure k, the other models and the risks of a table, from its published values alone.

    `keep` names columns that are published as they are: the rows that share their values are
    counted, and must be as many as a required k. `population` is a table or file of everyone, their
    number, or the fraction of them that was sampled: risks among everyone need it; in such a table,
    labels are found by `hierarchies`. With `require`, raises `shoal.errors.PrivacyNotMet` unless
    every named model holds. `table` names the table of a database. A Spark DataFrame is measured on
    its cluster.
    """
    required = [registry.make(Model, _model(spelled(model))) for model in each_of(require)]
    risks = {name: risk() for name, risk in registry.names(Risk).items()}
    known = registry.names(Model)
    columns = (names_of(quasi) or (), names_of(sensitive) or ())
    trees = {name: hierarchy_of(spec) for name, spec in (hierarchies or {}).items()}
    asked: dict[str, Any] = {
        "missing": missing,
        "require": required,
        "population": everyone(population),
        "hierarchies": trees,
    }
    kept = names_of(keep) or ()
    if is_frame(released):
        refuse_table(table)
        if kept:
            problem = "kept columns of a Spark DataFrame are counted by anonymize and verify alone"
            raise RecipeError(problem, remedy="collect the table: released.toArrow()")
        return audited(released, *columns, known, risks, **asked)
    rows, _ = arrow(released, table, typed=False)
    check_table(rows)
    return auditing.audit(rows, *columns, known, risks, **asked, keep=kept)


def _model(text: str) -> str:
    """`k=5` is short for k-anonymity."""
    return f"k-anonymity:{text}" if text.replace(" ", "").startswith("k=") else text


def verify(
    released: Any,
    certificate: GivenCertificate,
    *,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    original: Any = None,
    population: Any = None,
    table: str | None = None,
) -> certificate_check.Verification:
    """Check each item of a certificate: recounted, only stated, or not checkable.

    `.holds` says whether all agree.
    """
    stated = public_of(certificate)
    if isinstance(stated, DistortionCertificate):
        return distortion_check.verify(arrow(released, table, typed=False)[0], stated)
    if isinstance(stated, OverlapCertificate):
        plan = overlap_plan_of(stated, hierarchies or {})
        absent = sorted({*plan.hierarchies} - {*readable(plan)})
        before = None if original is None else arrow(original)[0]
        cells, _ = arrow(released, table, typed=False)
        return overlap.verified(cells, stated, plan, before, absent)
    certificate_check.refuse_untrue_withheld(stated)
    cells, _ = arrow(released, table, typed=False)
    rows = arrow(original)[0].num_rows if original is not None else None
    return _verify_groups(cells, stated, plan_of(stated, hierarchies or {}), rows, population)


def _verify_groups(
    cells: pa.Table,
    stated: GroupsCertificate,
    plan: Plan,
    original_rows: int | None,
    population: Any,
) -> certificate_check.Verification:
    """Check the certificate of groups against published cells."""
    recipe = plan.recipe
    # Without the file of a hierarchy, its losses and distances can't be recounted; the rest can.
    at_hand = readable(plan)
    lacking = [name for name in plan.hierarchies if name in recipe.quasi and name not in at_hand]
    view = None if lacking else published_view(cells, plan, stated.withheld)
    known = recipe.population if not isinstance(recipe.population, str) else None
    behind = None
    if view or population is None:
        behind = everyone(population if population is not None else known)
    weighed = behind is None and stated.people_from == WEIGHTS
    means = certificate_check.RecountMeans(
        roles=recipe.roles,
        models=plan.models,
        others=recipe.others,
        risks={name: risk() for name, risk in registry.names(Risk).items()},
        losses={name: loss() for name, loss in registry.names(PublishedLoss).items()},
        hierarchies=at_hand,
        view=view,
        look=lambda: exposed(cells, plan, behind, weighed=weighed),
        original_rows=original_rows,
    )
    return certificate_check.check(cells, stated, means)


def inspect(people: Any, *, table: str | None = None) -> inspection.Inspection:
    """Suggest roles with reasons, and tell which columns single people out.

    `table` names the table of a database.
    """
    rows, _ = arrow(people, table)
    check_table(rows)
    return inspection.inspect(rows)
