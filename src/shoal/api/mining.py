"""Data mining on a release, beside the risk that it leaves: `shoal.mine`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import UnsetType

from shoal import registry
from shoal.adapters.certificates import (
    GivenCertificate,
    overlap_plan_of,
    plain_hierarchy,
    public_of,
    readable,
    recipe_in,
    trees_beside,
)
from shoal.adapters.progress import progress_of
from shoal.adapters.tables import arrow
from shoal.api.anonymizing import anonymize
from shoal.api.arguments import Names, names_of, recipe_of
from shoal.api.auditing import audit
from shoal.api.distorting import distort
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.engines.local.dividing import groups_of
from shoal.engines.local.gate import gated
from shoal.engines.local.recoding import recoded
from shoal.errors import (
    DataError,
    PrivacyNotMet,
    RecipeError,
    did_you_mean,
    notices_shown_by_door,
    warn_each,
)
from shoal.flows import distortion_attacks, overlap_verified
from shoal.flows.clock import Stage
from shoal.flows.coded import settled
from shoal.flows.declared import declared, profiled, understood_table
from shoal.groups import heard, unwatched
from shoal.mining import mining
from shoal.mining.concrete import Way
from shoal.mining.mining import Mined
from shoal.mining.task import Again, MiningMaterial, Task
from shoal.recipe import PlanParts, Recipe
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import BELOW_K, OverlapPrivate, PrivateCertificate
from shoal.review.certificate_format_1 import AnyFormat1, OverlapCertificate1
from shoal.review.certificate_reading import (
    AnyCertificate,
    AnyDistortion,
    AnyGroups,
    AnyOverlap,
    AnyRelease,
)
from shoal.review.fingerprint import fingerprint
from shoal.wording import FILE, Remedy, Set

FEWEST = "fewest possible matches"
RISKS = (
    "highest-prosecutor-risk",
    "average-prosecutor-risk",
    "highest-journalist-risk",
    "marketer-risk",
    "rows-at-risk",
    "attribute-disclosure",
)


def mine(
    released: Any,
    original: Any,
    *,
    test: Any = None,
    class_column: str | None = None,
    tasks: str | Task | Sequence[str | Task] = "all",
    certificate: GivenCertificate | None = None,
    recipe: Recipe | str | Path | None = None,
    quasi: Names | None = None,
    sensitive: Names | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy | Mapping[str, Any] | None] | None = None,
    way: Way = "sampled",
    tables: int = 10,
    progress: Stage | None = None,
) -> Mined:
    """Measure what a release is good for, task by task, beside the original; and its risk.

    Classifiers are trained on the release and tested on rows that had no part in it. Without such
    rows, folds of the original are anonymized anew as the certificate (or a recipe) says.

    Args:
        released: The release: a frame, a path or an address.
        original: The table that it was made from.
        test: Rows that had no part in the release, to test classifiers on.
        class_column: What classifiers predict; the first sensitive column unless given.
        tasks: Names of tasks, or `"all"`.
        certificate: The public certificate, which tells roles and recipe.
        recipe: A recipe, where there is no certificate.
        quasi: Columns that others may know.
        sensitive: Columns that nobody should learn about a person.
        hierarchies: How columns became coarser, by name.
        way: How cells become single values: `sampled`, `midpoint` or `expanded`.
        tables: How many tables are sampled.
        progress: Called with the name of each stage.

    Returns:
        `.utility` by task and figure, `.risk` by name; tasks whose material is absent say so in
        `.notices`.

    Examples:
        >>> people = pa.table({"age": [31, 33, 52, 58], "ill": ["flu", "cold"] * 2})
        >>> mined = mine(people, people, quasi="age", sensitive="ill", tasks="distributions")
        >>> mined.utility["distributions"]["worst column"].value, mined.risk["k"]
        (0.0, 1)
    """
    before = arrow(original)[0]
    others = None if test is None else arrow(test)[0]
    chosen = tuple(tasks_of(tasks))
    roles = {"quasi": names_of(quasi), "sensitive": names_of(sensitive)}
    with progress_of(progress) as stage:
        ground = MiningGround(before, others, class_column, chosen, way, tables, stage)
        mined = ground.mine(released, certificate, recipe, roles, hierarchies or {})
    warn_each(mined.notices)
    return mined


def tasks_of(asked: str | Task | Sequence[str | Task]) -> list[Task]:
    """Return tasks by name, with parameters or not; or all."""
    if asked in ("all", ("all",)):
        asked = list(registry.names(Task))
    every = [asked] if isinstance(asked, str | Task) else asked
    return [registry.make(Task, one) if isinstance(one, str) else one for one in every]


@dataclass(frozen=True)
class MiningGround:
    """Work that all releases of one table share: the table, the tasks, figures of the original."""

    original: pa.Table
    test: pa.Table | None
    class_column: str | None
    tasks: tuple[Task, ...]
    way: Way = "sampled"
    tables: int = 10
    stage: Stage = lambda name: unwatched
    known: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.tables < 1:
            raise RecipeError(
                f"{self.tables} concrete tables can't be drawn", remedy=Remedy(Set("tables", 10))
            )

    def mine(
        self,
        released: Any,
        certificate: GivenCertificate | None,
        recipe: Recipe | str | Path | None,
        roles: Mapping[str, tuple[str, ...] | None],
        hierarchies: Mapping[str, Any],
    ) -> Mined:
        """One release."""
        table = arrow(released, typed=False)[0]
        stated = None if certificate is None else public_of(certificate)
        hierarchies = {**trees_beside(stated, released, certificate), **hierarchies}
        given = {role: names for role, names in roles.items() if names is not None}
        if isinstance(stated, AnyDistortion):
            material = self._perturbed(table, stated, given)
        else:
            material = self._grouped(table, stated, recipe, given, hierarchies)
        _refuse_other(table, stated)
        if stated is None:
            risk = _audited(table, material)
        else:
            private = certificate.private if isinstance(certificate, Certificate) else None
            risk = stated_risk(stated, private) or self._measured(released, stated, hierarchies)
        named = len({task.name for task in self.tasks}) < len(registry.names(Task))
        return mining.mine(material, self.tasks, risk, named=named)

    def _grouped(
        self,
        table: pa.Table,
        stated: AnyRelease | None,
        recipe: Any,
        given: Mapping[str, Any],
        hierarchies: Mapping[str, Any],
    ) -> MiningMaterial:
        asked = settled(
            _asked(stated, recipe, given, hierarchies),
            self.original.column_names,
            lambda names: profiled(self.original, names),
        )
        plan = asked.overlap_plan() if asked.overlaps else asked.plan()
        trees = readable(plan)
        known = (stated is not None or recipe is not None) and len(trees) == len(plan.hierarchies)
        again = _again(asked, self.stage) if known else None
        of_quasi = {name: tree for name, tree in trees.items() if name in asked.quasi}
        return self._understood(plan)._material(
            table, asked.quasi, (*asked.sensitive, *asked.keep), again, of_quasi, asked.sensitive
        )

    def _understood(self, plan: PlanParts) -> MiningGround:
        """Read the columns of the original, and of test rows, as the release did."""
        test = None if self.test is None else understood_table(self.test, plan)[0]
        return replace(self, original=understood_table(self.original, plan)[0], test=test)

    def _measured(
        self, released: Any, stated: AnyCertificate, hierarchies: Mapping[str, Any]
    ) -> dict[str, float | None]:
        """Measure, with the original, the risk that a public certificate does not tell.

        That is how people are hidden in boxes that overlap, where their hierarchies are here, and
        what attacks gain from perturbed numbers, where rows stand beside each other.
        """
        if isinstance(stated, AnyDistortion):
            with suppress(DataError):
                numbers = arrow(released)[0]
                findings = distortion_attacks.attacked_later(self.original, numbers, stated)
                return {one.called: one.advantage for one in findings.all}
        if not isinstance(stated, AnyOverlap):
            return {}
        plan = overlap_plan_of(stated, hierarchies)
        if len(readable(plan)) < len(plan.hierarchies):
            return {}
        cells = arrow(released, typed=False)[0]
        counts = overlap_verified.recounted(cells, self.original, plan)
        return {FEWEST: counts.matches, BELOW_K: counts.matches_below}

    def _perturbed(
        self, table: pa.Table, stated: AnyDistortion, given: Mapping[str, Any]
    ) -> MiningMaterial:
        """Numbers that were perturbed: all columns are as they are."""
        names = tuple(name for name in table.column_names if name in self.original.column_names)
        named = (*given.get("quasi", ()), *given.get("sensitive", ())) or names

        def again(part: pa.Table) -> pa.Table:
            with notices_shown_by_door():
                done = distort(
                    part,
                    columns=stated.columns.perturbed,
                    as_published=True,
                    method=stated.method,
                    rounded=stated.rounded,
                    shuffled=stated.shuffled,
                )
            return done.table.select(table.column_names)

        return self._material(table, (), named, again, {}, given.get("sensitive", ()))

    def _material(
        self,
        table: pa.Table,
        quasi: tuple[str, ...],
        beside: tuple[str, ...],
        again: Again | None,
        trees: Mapping[str, Hierarchy | None],
        sensitive: Sequence[str],
    ) -> MiningMaterial:
        target = self.class_column or next(iter(sensitive), None)
        columns = (*quasi, *beside)
        if target is not None and target not in columns:
            problem = f"the release has no column '{target}'"
            raise RecipeError(problem, remedy=did_you_mean(target, columns))
        return MiningMaterial(
            self.original,
            table,
            quasi,
            beside,
            trees,
            target=target,
            test=self.test,
            again=again,
            way=self.way,
            tables=self.tables,
            stage=self.stage,
            known=self.known,
        )


def _refuse_other(table: pa.Table, stated: AnyCertificate | None) -> None:
    """The risk that a certificate states is that of one release."""
    mark = None if stated is None else stated.hash
    if mark is not None and mark != fingerprint(table):
        problem = "the certificate does not match the release: it speaks of other rows"
        remedy = Set("certificate", FILE, "name the one that was written with the release")
        raise PrivacyNotMet(problem, remedy=Remedy(remedy))


def _asked(
    stated: AnyRelease | None, recipe: Any, given: Mapping[str, Any], hierarchies: Mapping[str, Any]
) -> Recipe:
    """Merge the recipe of a certificate or a recipe with what was given beside it, which wins."""
    base: Recipe | None = None
    if stated is not None:
        base = recipe_in(stated, hierarchies)
    elif recipe is not None:
        base = recipe_of(recipe, {})
    asked = {**(base.as_dict() if base else {}), **given}
    known = {*asked.get("quasi", ()), *asked.get("sensitive", ())}
    new = {name: plain_hierarchy(spec) for name, spec in hierarchies.items() if stated is None}
    trees = {**asked.get("hierarchies", {}), **new}
    asked["hierarchies"] = {name: spec for name, spec in trees.items() if name in known}
    return Recipe.of(**asked)


def _unnoticed(table: pa.Table, recipe: Recipe, seed: int, stage: Stage) -> pa.Table:
    """Anonymize a table without warnings: its notices were given with the first release."""
    with notices_shown_by_door():
        return anonymize(table, recipe=recipe, seed=seed, progress=stage).published


def _again(recipe: Recipe, stage: Stage) -> Again:
    """Anonymizes a table by a recipe, with a seed, so that figures repeat."""
    seed = 1 if recipe.seed is None else recipe.seed
    if recipe.overlaps or recipe.population is not None:
        return lambda table: _unnoticed(table, recipe, seed, stage)
    plan = recipe.plan()

    def again(table: pa.Table) -> pa.Table:
        """Gated, and neither measured nor attacked: nobody is handed this one."""
        rows, _ = declared(table, plan)
        groups = groups_of(
            rows, plan, np.random.default_rng(seed), heard(stage("anonymizing nine folds"))
        )
        published = recoded(table, rows, groups, plan)
        gated(published, plan)
        return published

    return again


def stated_risk(
    stated: AnyCertificate, private: PrivateCertificate | None = None
) -> dict[str, float | None]:
    """The risk figures of a certificate: k, risks, and what each attack gained over guessing.

    Of boxes that overlap, k was asked for, and need not hold: what was counted stands in its place.
    Since format 2 the private part alone holds that, and what attacks gained.
    """
    figures: dict[str, float | None] = {}
    if isinstance(stated, AnyGroups):
        figures = {"k": stated.k, **_parted(stated.risks)}
    findings = stated if isinstance(stated, AnyFormat1) else private
    if isinstance(findings, OverlapCertificate1 | OverlapPrivate):
        figures = {
            FEWEST: findings.concealment.matches,
            "likeliest link": findings.link.largest,
            BELOW_K: findings.concealment.matches_below,
        }
    if findings is None or isinstance(findings.attacks, UnsetType):
        return figures
    for one in findings.attacks:
        figures[f"{one.name} of '{one.column}'" if one.column else one.name] = one.advantage
    return figures


def _audited(table: pa.Table, material: MiningMaterial) -> dict[str, float | None]:
    if not material.quasi:
        return {}
    sensitive = [
        name for name in material.beside if name == material.target and name in table.column_names
    ]
    with notices_shown_by_door():
        audited = audit(table, quasi=material.quasi, sensitive=sensitive)
    return {"k": audited.k, **_parted(audited.risks)}


def _parted(risks: Mapping[str, Any]) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    for name in RISKS:
        parts = risks.get(name)
        of_columns = parts if isinstance(parts, Mapping) else {"": parts}
        figures |= {
            f"{name} of '{part}'" if part else name: value
            for part, value in of_columns.items()
            if value is not None
        }
    return figures
