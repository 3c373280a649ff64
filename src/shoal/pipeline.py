"""READ THIS FIRST. A table in, a verified release out: one line for each stage."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Material
from shoal.attacks.attacking import Findings
from shoal.attacks.sight import Seen
from shoal.declare.columns import kind_of
from shoal.declare.hierarchies.file import File
from shoal.declare.memory import of_anonymizing, refuse_beyond_memory
from shoal.declare.roles import check_table
from shoal.encode.axes import Axis
from shoal.encode.profile import refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, encode, persons
from shoal.engine import Engine, LocalEngine
from shoal.errors import RecipeError
from shoal.groups import Groups, Watch, heard, unwatched
from shoal.recipe import Parts, Plan, Recipe, hierarchy_of
from shoal.review.certificate import Certificate, finite, plain_risks, public_part, rounded
from shoal.review.certificate_format import (
    GroupsPrivate,
    OptimalityGap,
    PublishedColumns,
    ReleaseCertificate,
    ReleasePrivate,
)
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.published import Published, PublishedLoss
from shoal.review.optimality_gap import bound_in, gap_of
from shoal.review.prechecks.kept import refuse_leaks
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Figure, Risk, plain
from shoal.review.sources import Source, printed, unprinted, weighted
from shoal.review.weights import printed_weights, weights_of

ATTACKED = 2_000  # people, before every release: enough to tell 0.05 from nothing

Stage = Callable[[str], Watch]


@dataclass(frozen=True)
class Outcome:
    """What a run gives: the published table, the groups of the input rows, and what was
    measured.
    """

    table: pa.Table
    groups: Groups | None  # None where each row has a box of its own
    certificate: Certificate[ReleaseCertificate, ReleasePrivate]
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    axes: tuple[
        Axis, ...
    ] = ()  # the different original values of each quasi-identifier, for the maker alone


def run(
    table: pa.Table,
    recipe: Recipe,
    engine: Engine | None = None,
    stage: Stage = lambda name: unwatched,
    population: Source = None,
    *,
    bound: bool = False,
) -> Outcome:
    """Carry out a recipe; return the release, or refuse and publish nothing. `bound` takes time to
    prove how good it is.
    """
    engine = engine or LocalEngine()
    clock = Clock(stage)
    seed = recipe.seed if recipe.seed is not None else secrets.randbits(63)
    plan = recipe.plan().among(population)
    with clock("looking at the table"):
        rows, notices = declared(table, plan, engine)
        weighed = recipe.weight is not None and population is None and recipe.population is None
        before = _unpublished(table, rows, plan, population, weighed=weighed)
    with clock("dividing into groups") as watch:
        groups = engine.divide(rows, plan, np.random.default_rng(seed), watch)
    with clock("recoding"):
        published = engine.recode(table, rows, groups, plan)
    with clock("recounting"):
        counted, promises = engine.counts(published, plan)  # the gate: PrivacyNotMet, or silence
    with clock("measuring"):
        losses, printed = _losses(rows, groups, published, plan)
        gap = gap_of(Evidence(rows, groups, recipe.k), plan.loss, losses, thorough=bound)
        losses |= bound_in(gap)
        after = exposed(published, plan, population, weighed=weighed)
        risks = {"before": risks_of(before), "after": risks_of(after)}
    with clock("attacking"):
        findings = withstood(table, rows, published, plan)
    public = public_part(
        *(published, public_recipe(recipe), counted, promises, printed, risks["after"]),
        columns=columns_of(table, recipe),
        withheld=rounded(groups.withheld),
        version=registry.version(),
        weighed=weighed,
        attacks=[finding.stated() for finding in findings.all if finding.trials],
    )
    private = _private(seed, rows, groups, losses, risks, gap)
    certificate = Certificate(public, private)
    return Outcome(
        published, groups, certificate, losses | printed, risks, notices, clock.seconds, rows.axes
    )


def declared(table: pa.Table, plan: Parts, engine: Engine) -> tuple[Rows, tuple[str, ...]]:
    """The table as rows on axes, once everything that is wrong with it has been said."""
    recipe = plan.recipe
    check_table(table)
    errors = list(recipe.roles.fit(table.column_names))
    if errors:
        raise RecipeError.together(errors)
    _refuse_too_large(table, recipe)
    for name in recipe.keep:  # the others are looked at closely enough below
        kind_of(table.schema.field(name).type, name)
    quasi = engine.profile(table, recipe.quasi)
    refuse_mixed([column for column in quasi if column.name not in recipe.hierarchies])
    if recipe.missing == "refuse":
        refuse_missing(quasi)
    sensitive = engine.profile(table, recipe.sensitive)
    warnings = refuse_leaks(
        table,
        {column.name: column.codes for column in quasi},
        recipe.sensitive,
        recipe.keep,
        recipe.force_keep,
    )
    rows = encode(
        quasi, plan.hierarchies, loss=plan.loss, importance=recipe.importance, sensitive=sensitive
    )
    if recipe.person is not None:
        rows = replace(rows, person=persons(engine.profile(table, [recipe.person])[0]))
    dropped = recipe.roles.without_role(table.column_names)
    notice = (f"dropped, because they have no role: {', '.join(dropped)}",) if dropped else ()
    return rows, (*notice, *warnings, *(note for axis in rows.axes for note in axis.notices))


def _refuse_too_large(table: pa.Table, recipe: Recipe) -> None:
    """Before the work: a table for which there is not enough memory."""
    published = table.select([*recipe.quasi, *recipe.roles.beside])
    facts = {"rows": table.num_rows, "quasi-identifiers": len(recipe.quasi)}
    refuse_beyond_memory(of_anonymizing(published, len(recipe.quasi)), "the table", facts)


def _losses(
    rows: Rows, groups: Groups, published: pa.Table, plan: Plan
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Every loss that applies: from the rows, and from the cells as printed."""
    evidence = Evidence(rows, groups, plan.recipe.k)
    cells = published_view(published, plan, rounded(groups.withheld))
    losses = {name: finite(loss().measure(evidence)) for name, loss in registry.names(Loss).items()}
    return losses, {
        name: finite(loss().measure(cells)) for name, loss in registry.names(PublishedLoss).items()
    }


def published_view(table: pa.Table, plan: Parts, withheld: int) -> Published:
    """A release as anyone sees it who has the recipe."""
    publish = {name: recoder.name for name, recoder in plan.recoders.items()}
    return Published(table, plan.recipe.quasi, plan.hierarchies, publish, withheld)


def withstood(table: pa.Table, rows: Rows, published: pa.Table, plan: Plan) -> Findings:
    """What the attacks find that have their turn before every release; a refusal where one that
    gates succeeds.
    """
    attacks = [attack() for attack in registry.names(Attack).values() if attack.at_release]
    known = material(published, plan, original=table, encoded=rows, most=ATTACKED)
    return attacking.attack(known, attacks).require(published="nothing")


def material(published: pa.Table, plan: Plan, **known: Any) -> Material:
    """What an attacker may have: a release and its recipe, and what else is known."""
    recipe = plan.recipe
    trees = {name: tree for name, tree in plan.hierarchies.items() if name in recipe.quasi}
    asked = {"loss": plan.loss, "importance": recipe.importance, "keeps_order": recipe.keep_order}
    published = published.drop_columns(
        [name for name in recipe.roles.weight if name in published.column_names]
    )
    given = {"k": recipe.k, "models": plan.models, "method": plan.method, **asked, **known}
    return Material(Seen(published, recipe.quasi, recipe.sensitive, trees, recipe.keep), **given)


def _unpublished(
    table: pa.Table, rows: Rows, plan: Plan, population: Source, *, weighed: bool
) -> Exposure:
    """What the rows would show as they came; refuses a population that does not hold them, and
    weights that are none.
    """
    weights = [weights_of(table, name) for name in plan.recipe.roles.weight]
    seen = unprinted(rows, _given(plan, population), plan.hierarchies)
    return weighted(seen, weights[0]) if weighed else seen


def exposed(
    published: pa.Table, plan: Plan, population: Source, *, weighed: bool = False
) -> Exposure:
    """What a release shows, among everyone who fits its cells; centres name no box, so nobody is
    counted in them.
    """
    population = _given(plan, population)
    recipe = plan.recipe
    if isinstance(population, pa.Table) and any(
        not recoder.covers for recoder in plan.recoders.values()
    ):
        population = population.num_rows
    seen = printed(published, recipe.quasi, recipe.sensitive, population, plan.hierarchies)
    return (
        weighted(seen, printed_weights(published, recipe.weight))
        if weighed and recipe.weight
        else seen
    )


def _given(plan: Plan, population: Source) -> Source:
    """The population that was handed in, or else the number in the recipe."""
    number = plan.recipe.population
    return number if population is None and not isinstance(number, str) else population


def risks_of(seen: Exposure) -> dict[str, Figure]:
    """Every risk, by name."""
    return {name: plain(risk().measure(seen)) for name, risk in registry.names(Risk).items()}


def columns_of(table: pa.Table, recipe: Recipe) -> PublishedColumns:
    """Which column became what, for the public certificate."""
    dropped = (*recipe.roles.identifiers, *recipe.roles.without_role(table.column_names))
    return PublishedColumns(
        quasi=list(recipe.quasi),
        sensitive=list(recipe.sensitive),
        kept=list(recipe.keep),
        weight=list(recipe.roles.weight),
        dropped=list(dropped),
        kept_by_force=list(recipe.force_keep),
    )


def public_recipe(recipe: Recipe) -> dict[str, Any]:
    """The recipe as it may be published: no seed, and hierarchy files by their name alone."""
    asked = recipe.as_dict()
    asked.pop("seed", None)
    if isinstance(recipe.population, str):
        asked["population"] = _file_name(recipe.population)
    named = dict(recipe.hierarchies)
    for name, spec in named.items():
        hierarchy = hierarchy_of(spec)
        if isinstance(hierarchy, File):
            named[name] = _file_name(hierarchy.path)
    return {**asked, "hierarchies": named}


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1]


def _private(
    seed: int,
    rows: Rows,
    groups: Groups,
    losses: Mapping[str, float | None],
    risks: Mapping[str, Any],
    gap: OptimalityGap | None,
) -> GroupsPrivate:
    """What only the maker should know."""
    sizes, times = np.unique(groups.sizes, return_counts=True)
    return GroupsPrivate(
        seed=seed,
        rows_in=rows.count,
        withheld=groups.withheld,
        different_rows=rows.distinct.codes.shape[1],
        losses=dict(losses),
        risks_before=plain_risks(risks["before"]),
        notes=list(groups.notes),
        group_sizes={str(size): int(number) for size, number in zip(sizes, times, strict=True)},
        bound=gap,
    )


@dataclass
class Clock:
    """Tells the watcher which stage begins, and sums up the seconds each took."""

    stage: Stage
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[Watch]:
        """One stage."""
        start = time.perf_counter()
        yield heard(self.stage(name))
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
