"""Audits of what a table shows, and checks whether a certificate is true of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    stated_kind,
    trees_beside,
)
from shoal.adapters.signature_check import place_of_signature, with_signature
from shoal.adapters.tables import arrow, arrow_and_manner, everyone, refuse_table
from shoal.api.arguments import Names, each_of, names_of, spelled
from shoal.declare.coding import coded_table
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.roles import check_table
from shoal.engines.spark.audit import audited
from shoal.engines.spark.jobs import is_frame
from shoal.errors import RecipeError, warn_each
from shoal.flows import overlap_verified
from shoal.flows.attacked import at_release, had_their_turn
from shoal.flows.coded import centres_of
from shoal.flows.declared import understood_table
from shoal.flows.distortion_statements import statement_items
from shoal.flows.exposure import exposed, published_view
from shoal.privacy.model import Model
from shoal.recipe import OverlapPlan, Plan, PlanParts, hierarchy_of
from shoal.review import audit as auditing
from shoal.review import certificate_check, distortion_check, inspection
from shoal.review.certificate import WEIGHTS
from shoal.review.certificate_format_1 import GroupsCertificate1
from shoal.review.certificate_reading import (
    AnyCertificate,
    AnyDistortion,
    AnyGroups,
    AnyOverlap,
    AnyRelease,
)
from shoal.review.certificate_values import refuse_impossible
from shoal.review.losses.published import PublishedLoss
from shoal.review.origin import ReleasedRows, distortion_origin, origin_items, refuse_lacking
from shoal.review.risks.risk import Risk
from shoal.review.verdict import Verification

GRAPH = "graph"  # the kind that certificates of graphs state
GRAPH_CERTIFICATE = "certificate.json"  # in the folder of a graph


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

    Args:
        released: The table, whoever made it: a frame, a path or an address. A Spark DataFrame is
            measured on its cluster.
        quasi: Columns that others may know.
        sensitive: Columns that nobody should learn about a person.
        keep: Columns that are published as they are: the rows that share their values are counted,
            and must be as many as a required k.
        require: Promises that must hold: `"k=5"`, `"l-diversity(l=3)"`, or models as objects.
        missing: `own` takes a missing cell for a value like any other; `wildcard` adds the figure
            of sdcMicro, in which it matches everything.
        population: A table or file of everyone, their number, or the fraction that was sampled:
            risks among everyone need it.
        hierarchies: How labels of the table are found in a population.
        table: The table of a database, or the sheet of a workbook.

    Returns:
        `.k`, `.groups`, `.models`, `.risks` and `.columns` of the table.

    Raises:
        shoal.errors.PrivacyNotMet: A required promise does not hold; all of them are named.

    Examples:
        >>> released = pa.table({"age": ["[30, 39]"] * 3, "ill": ["flu", "cold", "flu"]})
        >>> found = audit(released, quasi=["age"], sensitive=["ill"], require=["k=3"])
        >>> found.k, found.models["l-diversity"]["ill"]
        (3, 2)
    """
    asked = AuditRequest(quasi, sensitive, keep, require, missing, population, hierarchies, table)
    audited = unrequired(released, asked).require()
    warn_each(audited.notices)
    return audited


@dataclass(frozen=True)
class AuditRequest:
    """Everything that is asked of an audit, as it was handed in."""

    quasi: Names
    sensitive: Names = ()
    keep: Names = ()
    require: Sequence[str | Model] = ()
    missing: Literal["own", "wildcard"] = "own"
    population: Any = None
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None
    table: str | None = None


def unrequired(released: Any, request: AuditRequest) -> auditing.Audit:
    """Measure a table as `audit` does, and return it even where a required model does not hold.

    `.unmet` holds the refusals, and `.require()` raises them.
    """
    required = [registry.make(Model, _model(spelled(model))) for model in each_of(request.require)]
    risks = {name: risk() for name, risk in registry.names(Risk).items()}
    # Groups that were not made for such a model say nothing about it.
    known = {name: each for name, each in registry.names(Model).items() if not each.balances}
    columns = (names_of(request.quasi) or (), names_of(request.sensitive) or ())
    trees = {name: hierarchy_of(spec) for name, spec in (request.hierarchies or {}).items()}
    asked: dict[str, Any] = {
        "missing": request.missing,
        "require": required,
        "population": everyone(request.population),
        "hierarchies": trees,
    }
    kept = names_of(request.keep) or ()
    if is_frame(released):
        refuse_table(request.table)
        if kept:
            problem = "kept columns of a Spark DataFrame are counted by anonymize and verify alone"
            raise RecipeError(problem, remedy="collect the table: released.toArrow()")
        return audited(released, *columns, known, risks, **asked)
    rows, _ = arrow(released, request.table, typed=False)
    check_table(rows)
    return auditing.audit(rows, *columns, known, risks, **asked, keep=kept)


def _model(text: str) -> str:
    """`k=5` is short for k-anonymity."""
    return f"k-anonymity:{text}" if text.replace(" ", "").startswith("k=") else text


def verify(
    released: Any,
    certificate: GivenCertificate | None = None,
    *,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    original: Any = None,
    population: Any = None,
    table: str | None = None,
    key: str | Path | None = None,
    signature: str | Path | None = None,
) -> Verification:
    """Check each item of a certificate: recounted, only stated, or not checkable.

    Args:
        released: The release: a frame, a path, an address, or the folder of a graph.
        certificate: Its public certificate: a path, or the certificate itself. The folder of a
            graph holds its own.
        hierarchies: Hierarchies of columns whose files do not stand beside the certificate.
        original: The table that it was made from: then more can be checked.
        population: The table of everyone that models and risks speak of.
        table: The table of a database, or the sheet of a workbook.
        key: A file with the maker's public key: the release must be signed by it.
        signature: The file of the signature, where it does not stand beside the certificate.

    Returns:
        `.holds` says whether all agree, `.items` what became of each statement, `.signed_by` whose
        signature holds.

    Examples:
        >>> from shoal.api.anonymizing import anonymize
        >>> people = pa.table({"age": [31, 33, 52, 58], "ill": ["flu", "cold"] * 2})
        >>> release = anonymize(people, quasi=["age"], sensitive=["ill"], k=2)
        >>> verify(release.table, release.certificate).holds
        True
    """
    if _is_graph(released, certificate):
        return _verified_graph(released, certificate, original, key, signature)
    if certificate is None:
        problem = "a release is verified against its certificate"
        raise RecipeError(problem, remedy="name OUT.certificate.json too")
    stated = public_of(certificate)
    trees = {**trees_beside(stated, released, certificate), **(hierarchies or {})}
    needs = {name: "sensitive" in attack.needs for name, attack in at_release().items()}
    refuse_impossible(stated, needs)
    material = VerifyingMaterial(trees, original, population, table)
    verified = _verified(released, stated, material)
    place = place_of_signature(certificate, signature)
    checked = with_signature(verified, released, stated, place, key)
    warn_each(checked.notices)
    return checked


def _is_graph(released: Any, certificate: Any) -> bool:
    """Tell whether a release is the folder of a graph, or its certificate that of one."""
    if certificate is None and isinstance(released, str | Path):
        certificate = Path(released) / GRAPH_CERTIFICATE
    return stated_kind(certificate) == GRAPH


def _verified_graph(
    released: Any, certificate: Any, original: Any, key: Any, signature: Any
) -> Verification:
    """Check the folder of a graph, whose original is two tables."""
    from shoal.api.graph import verify as verify_folder  # only who has graphs loads their parts

    if not isinstance(released, str | Path):
        problem = "a release of a graph is verified from its folder"
        raise RecipeError(problem, remedy="write it, and name the folder")
    if original is not None:
        problem = "what a release of a graph tells of its original is not checked here"
        raise RecipeError(problem, remedy="shoal attack-graph FOLDER NODES EDGES")
    return verify_folder(released, certificate, key=key, signature=signature)


@dataclass(frozen=True)
class VerifyingMaterial:
    """Things beside a release that help to check its certificate; None for what is not there."""

    hierarchies: Mapping[str, Any]
    original: Any
    population: Any
    table: str | None


def _verified(released: Any, stated: AnyCertificate, material: VerifyingMaterial) -> Verification:
    """Check a release of any kind against its certificate."""
    if isinstance(stated, AnyGroups):
        certificate_check.refuse_untrue_withheld(stated)
    cells, _ = arrow(released, material.table, typed=False)
    original = None if material.original is None else arrow(material.original)[0]
    if isinstance(stated, AnyDistortion):
        counted = distortion_check.verify(cells, stated)
        followed = statement_items(stated)
        items = distortion_origin(cells, stated.columns, original)
        return replace(counted, items=(*counted.items, *followed, *items))
    if original is not None:
        refuse_lacking(original, (*stated.columns.quasi, *stated.columns.sensitive))
    if isinstance(stated, AnyOverlap):
        boxes = overlap_plan_of(stated, material.hierarchies)
        absent = sorted({*boxes.hierarchies} - {*readable(boxes)})
        counted = overlap_verified.verified(cells, stated, boxes, original, absent)
        return _with_origin(counted, cells, stated, boxes, original)
    plan = plan_of(stated, material.hierarchies)
    rows = None if original is None else original.num_rows
    counted = _verify_groups(cells, stated, plan, rows, material.population)
    return _with_origin(counted, cells, stated, plan, original)


def _with_origin(
    verified: Verification,
    cells: pa.Table,
    stated: AnyRelease,
    plan: PlanParts,
    original: pa.Table | None,
) -> Verification:
    """Add whether a release was made from its original, read and coded as the recipe asks."""
    recipe = plan.recipe
    if original is not None:
        understood, _ = understood_table(original, plan)
        original = coded_table(understood, plan.coding, (*recipe.sensitive, *recipe.keep))
    columns = stated.columns
    by_role = (columns.quasi, columns.sensitive, columns.kept, columns.weight, columns.dropped)
    beside = (*recipe.sensitive, *recipe.keep)
    shares = isinstance(plan, OverlapPlan) and not plan.tells_values
    released = ReleasedRows(
        cells,
        recipe.quasi,
        beside,
        [name for names in by_role for name in names],
        withhold=recipe.withhold,
        has_cells=all(recoder.covers for recoder in plan.recoders.values()),
        tells_values=not shares and all(name in cells.column_names for name in beside),
    )
    at_hand = readable(plan)
    lacking = [name for name in plan.hierarchies if name in recipe.quasi and name not in at_hand]
    items = origin_items(released, original, None if lacking else at_hand)
    return replace(verified, items=(*verified.items, *items))


def _verify_groups(
    cells: pa.Table, stated: AnyGroups, plan: Plan, original_rows: int | None, population: Any
) -> Verification:
    """Check the certificate of groups against published cells."""
    recipe = plan.recipe
    # Without the file of a hierarchy, its losses and distances can't be recounted; the rest can.
    at_hand = readable(plan)
    lacking = [name for name in plan.hierarchies if name in recipe.quasi and name not in at_hand]
    # Losses of format 1 count withheld rows; those of format 2 are about published rows alone.
    withheld = stated.withheld if isinstance(stated, GroupsCertificate1) else 0
    view = None if lacking else published_view(cells, plan, withheld)
    known = recipe.population if not isinstance(recipe.population, str) else None
    behind = None
    if view or population is None:
        behind = everyone(population if population is not None else known)
    if isinstance(behind, pa.Table):
        behind = coded_table(understood_table(behind, plan)[0], plan.coding)
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
        coding=plan.coding,
        centres=centres_of(plan),
        nests=plan.method.nests,
        attacks=had_their_turn(recipe) if stated.shoal == registry.version() else None,
    )
    return certificate_check.check(cells, stated, means)


def inspect(people: Any, *, table: str | None = None) -> inspection.Inspection:
    """Suggest roles with reasons, and tell which columns single people out.

    Args:
        people: The table: a frame, the path of a file, or the address of a database.
        table: The table of a database, or the sheet of a workbook.

    Returns:
        `.columns` with a suggested role and its reason, `.pairs` that single people out, `.alone`
        the share of rows that stand alone, `.command(...)` to go on with at the terminal.

    Examples:
        >>> people = pa.table({"age": [31, 33, 52, 58], "diagnosis": ["flu", "cold"] * 2})
        >>> found = inspect(people)
        >>> found.names("quasi"), found.names("sensitive"), found.alone
        (['age'], ['diagnosis'], 1.0)
    """
    rows, _, manner = arrow_and_manner(people, table)
    check_table(rows)
    inspected = inspection.inspect(rows, manner.variable_labels)
    warn_each(inspected.notices)
    return inspected
