"""READ THIS FIRST. A table in, a verified release out: one line for each stage, over any engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar, Unpack

from shoal import registry
from shoal.declare.numbering import numbered_once
from shoal.errors import PrivacyNotMet, RecipeError, ShoalError
from shoal.flows import limits
from shoal.flows.attacked import passed
from shoal.flows.certified import Figures, certificate_of
from shoal.flows.clock import Clock, Stage, unstaged
from shoal.flows.coded import exact_notes, settled
from shoal.flows.exposure import risks_of
from shoal.flows.port import (
    BesideRecipe,
    Engine,
    Grouped,
    Looked,
    Outcome,
    Recounted,
    Request,
    Store,
)
from shoal.flows.staying import loss_of_staying
from shoal.groups import DIVIDING
from shoal.ledger.across import Crossed
from shoal.recipe import Recipe
from shoal.review.certificate import finite
from shoal.review.counterfeits import refuse_few_people_beside
from shoal.review.losses.published import PublishedLoss
from shoal.review.nesting import refuse_crossing
from shoal.review.sources import Source
from shoal.review.what_is_left import columns_left

Origin = TypeVar("Origin")

TOLD = ("interrupted", "time-limit", "left-out", "blanked", "guarding", "ledger")
"""Kinds of notes that the maker should see."""


def run(
    source: Origin,
    recipe: Recipe,
    engine: Engine[Origin],
    stage: Stage = unstaged,
    population: Source = None,
    **beside: Unpack[BesideRecipe],
) -> Outcome:
    """Carry out a recipe; return the release, or refuse and publish nothing."""
    clock = Clock(stage)
    request = Request.of(recipe, population, **beside)
    with engine.opened() as store, numbered_once():
        with clock("looking at the table") as watch:
            names = store.columns(source)
            _refuse_unfit(engine, names, request)
            request = _settled_request(request, names, source, engine, population)
            table = store.look(source, request, watch)
        with clock(DIVIDING) as watch:
            groups = store.divide(table, request, watch)
        with clock("recoding") as watch:
            released = store.publish(table, groups, request, watch)
        with clock("recounting") as watch:  # the gate: PrivacyNotMet, or silence
            counted = store.recount(released, request, watch)
            _refuse_lost(counted, table.rows - groups.withheld + groups.again)
            if groups.counterfeits is not None:
                stated = groups.counterfeits
                refuse_few_people_beside(released, request.recipe.quasi, stated, request.recipe.k)
            if request.plan.method.nests:
                refuse_crossing(counted.view)
        with clock("attacking"):
            findings = passed(store.attack(table, groups, released, request))
        with clock("measuring"):
            crossed = _crossed(store, table, groups, request, counted)
            measured = store.measure(table, groups, request)
            printed = _printed_losses(counted, 0)
            charged = _printed_losses(counted, groups.withheld) if groups.withheld else printed
            columns = columns_left(counted.view)
            risks = {"before": risks_of(table.before), "after": risks_of(counted.seen)}
        figures = Figures(printed, charged, risks, findings, crossed)
        certificate = certificate_of(request, table, groups, counted, measured, figures)
    return Outcome(
        table=released,
        groups=groups.labels,
        certificate=certificate,
        losses={**measured.losses, **charged},
        risks=risks,
        notices=(
            *table.notices,
            *exact_notes(columns, request.plan),
            *(note for note in groups.notes if note.kind in TOLD),
        ),
        seconds=clock.seconds,
        axes=table.axes,
        columns=columns,
        recipe=request.recipe,
        view=counted.view,
        crossed=crossed,
    )


def _settled_request(
    request: Request, names: Sequence[str], source: Origin, engine: Engine[Origin], behind: Source
) -> Request:
    """Plan the recipe anew where a look at the table chose what it left open."""
    typed = request.recipe
    recipe = settled(typed, names, lambda some: engine.counted(source, some))
    if recipe is typed:
        return request
    return Request.of(recipe, behind, bound=request.thorough, typed=typed, across=request.across)


def _refuse_unfit(engine: Engine[Origin], names: Sequence[str], request: Request) -> None:
    """Refuse columns that are not there or have two roles, and what the engine can't do."""
    errors = [*request.recipe.roles.fit(names), *limits.refusals(engine, request)]
    if errors:
        raise RecipeError.together(errors)


def _crossed(
    store: Store[Any, Any, Any, Any],
    table: Looked,
    groups: Grouped,
    request: Request,
    counted: Recounted,
) -> Crossed | None:
    """Compare with earlier releases, if there is a ledger; refuse what would expose people."""
    if request.across is None:
        return None
    members = store.members(table, groups, request)
    balanced = any(model.balances for model in request.plan.models)
    invariant = request.recipe.sensitive if balanced else ()
    try:
        return request.across.crossed(members, request.recipe.k, tuple(invariant))
    except PrivacyNotMet as refusal:
        price = loss_of_staying(store, table, request, counted)
        published = {"published": refusal.facts.pop("published", "nothing")}
        refusal.facts |= {**price, **published}
        raise


def _refuse_lost(counted: Recounted, expected: int) -> None:
    """Refuse a release that has more or fewer rows than were to be published."""
    if counted.rows != expected:
        facts = {"rows": counted.rows, "expected": expected, "published": "nothing"}
        raise ShoalError("the release does not have the rows it should", facts)


def _printed_losses(counted: Recounted, withheld: int) -> dict[str, float | None]:
    """Measure the losses of the cells as printed; withheld rows count in full."""
    view = replace(counted.view, withheld=withheld) if withheld else counted.view
    return {
        name: finite(loss().measure(view)) for name, loss in registry.names(PublishedLoss).items()
    }
