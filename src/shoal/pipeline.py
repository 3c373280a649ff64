"""READ THIS FIRST. A table in, a verified release out: one line for each stage."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.declare.columns import kind_of
from shoal.declare.hierarchies.file import File
from shoal.declare.roles import check_table
from shoal.encode.profile import refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, encode
from shoal.engine import Engine, LocalEngine
from shoal.errors import RecipeError
from shoal.groups import Groups, Watch, unwatched
from shoal.recipe import Plan, Recipe, hierarchy_of
from shoal.review.certificate import Certificate, finite, public_part, rounded
from shoal.review.kept import refuse_leaks
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.published import Published, PublishedLoss
from shoal.review.recount import recount
from shoal.review.risks.risk import Risk

Stage = Callable[[str], Watch]


@dataclass(frozen=True)
class Outcome:
    """What a run gives: the published table, the groups of the input rows, and what was measured."""

    table: pa.Table
    groups: Groups
    certificate: Certificate
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, float | None]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]


def run(table: pa.Table, recipe: Recipe, engine: Engine | None = None, stage: Stage = lambda name: unwatched) -> Outcome:
    """Carry out a recipe; return the release, or refuse and publish nothing."""
    engine, clock = engine or LocalEngine(), Clock(stage)
    seed = recipe.seed if recipe.seed is not None else secrets.randbits(63)
    plan = recipe.plan()
    with clock("looking at the table"):
        rows, notices = declared(table, plan, engine)
    with clock("dividing into groups") as watch:
        groups = engine.divide(rows, plan, np.random.default_rng(seed), watch)
    with clock("recoding"):
        published = engine.recode(table, rows, groups, plan)
    with clock("recounting"):
        counted, promises = engine.counts(published, plan)  # the gate: PrivacyNotMet, or silence
    with clock("measuring"):
        losses, printed = _losses(rows, groups, published, plan)
        risks = {"before": _risks(recount([pa.array(codes) for codes in rows.codes])), "after": _risks(counted)}
    public = public_part(
        *(published, public_recipe(recipe), counted, promises, printed, risks["after"]),
        columns=_columns(table, recipe),
        withheld=rounded(groups.withheld),
        version=registry.version(),
    )
    private = _private(seed, rows, groups, losses, risks)
    return Outcome(published, groups, Certificate(public, private), losses | printed, risks, notices, clock.seconds)


def declared(table: pa.Table, plan: Plan, engine: Engine) -> tuple[Rows, tuple[str, ...]]:
    """The table as rows on axes, once everything that is wrong with it has been said."""
    recipe = plan.recipe
    check_table(table)
    errors = list(recipe.roles.fit(table.column_names))
    if errors:
        raise RecipeError.together(errors)
    for name in recipe.keep:  # the others are looked at closely enough below
        kind_of(table.schema.field(name).type, name)
    quasi = engine.profile(table, recipe.quasi)
    refuse_mixed([column for column in quasi if column.name not in recipe.hierarchies])
    if recipe.missing == "refuse":
        refuse_missing(quasi)
    sensitive = engine.profile(table, recipe.sensitive)
    warnings = refuse_leaks(table, recipe.quasi, recipe.sensitive, recipe.keep, recipe.force_keep)
    rows = encode(quasi, plan.hierarchies, loss=plan.loss, importance=recipe.importance, sensitive=sensitive)
    dropped = recipe.roles.without_role(table.column_names)
    notice = (f"dropped, because they have no role: {', '.join(dropped)}",) if dropped else ()
    return rows, (*notice, *warnings, *(note for axis in rows.axes for note in axis.notices))


def _losses(
    rows: Rows, groups: Groups, published: pa.Table, plan: Plan
) -> tuple[dict[str, float | None], dict[str, float | None]]:
    """Every loss that applies: from the rows, and from the cells as printed."""
    evidence = Evidence(rows, groups, plan.recipe.k)
    cells = published_view(published, plan, rounded(groups.withheld))
    losses = {name: finite(loss().measure(evidence)) for name, loss in registry.names(Loss).items()}
    return losses, {name: finite(loss().measure(cells)) for name, loss in registry.names(PublishedLoss).items()}


def published_view(table: pa.Table, plan: Plan, withheld: int) -> Published:
    """A release as anyone sees it who has the recipe."""
    publish = {name: recoder.name for name, recoder in plan.recoders.items()}
    return Published(table, plan.recipe.quasi, plan.hierarchies, publish, withheld)


def _risks(groups: Groups) -> dict[str, float | None]:
    return {name: finite(risk().measure(groups)) for name, risk in registry.names(Risk).items()}


def _columns(table: pa.Table, recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """Which column became what, for the public certificate."""
    dropped = (*recipe.identifiers, *recipe.roles.without_role(table.column_names))
    return {
        "quasi": recipe.quasi,
        "sensitive": recipe.sensitive,
        "kept": recipe.keep,
        "dropped": dropped,
        "kept by force": recipe.force_keep,
    }


def public_recipe(recipe: Recipe) -> dict[str, Any]:
    """The recipe as it may be published: no seed, and hierarchy files by their name alone."""
    asked = recipe.as_dict()
    asked.pop("seed", None)
    named = dict(recipe.hierarchies)
    for name, spec in named.items():
        hierarchy = hierarchy_of(spec)
        if isinstance(hierarchy, File):
            named[name] = hierarchy.path.replace("\\", "/").rsplit("/", 1)[-1]
    return {**asked, "hierarchies": named}


def _private(
    seed: int, rows: Rows, groups: Groups, losses: Mapping[str, float | None], risks: Mapping[str, Any]
) -> dict[str, Any]:
    """What only the maker should know."""
    sizes, times = np.unique(groups.sizes, return_counts=True)
    return {
        "seed": seed,
        "rows in": rows.count,
        "withheld": groups.withheld,
        "different rows": rows.distinct.codes.shape[1],
        "losses": dict(losses),
        "risks before": risks["before"],
        "notes": list(groups.notes),
        "group sizes": {str(size): int(number) for size, number in zip(sizes, times, strict=True)},
    }


@dataclass
class Clock:
    """Tells the watcher which stage begins, and keeps the seconds each took."""

    stage: Stage
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[Watch]:
        """One stage."""
        start = time.perf_counter()
        yield self.stage(name)
        self.seconds[name] = time.perf_counter() - start
