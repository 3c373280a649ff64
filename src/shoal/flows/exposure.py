"""Exposure: what a table in memory shows, as it came and as it is published, and every risk."""

from __future__ import annotations

import pyarrow as pa

from shoal import registry
from shoal.encode.rows import Rows
from shoal.kernels.threads import side_by_side
from shoal.recipe import Plan, PlanParts
from shoal.review.losses.published import PublishedView
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Figure, Risk, plain
from shoal.review.sources import Source, printed, unprinted, weighted
from shoal.review.weights import printed_weights, weights_of


def published_view(table: pa.Table, plan: PlanParts, withheld: int) -> PublishedView:
    """Show a release as anyone sees it who has the recipe."""
    publish = {name: recoder.name for name, recoder in plan.recoders.items()}
    capped = {name: coding.open_values for name, coding in plan.recipe.coding.items()}
    return PublishedView(table, plan.recipe.quasi, plan.hierarchies, publish, withheld, capped)


def unpublished(
    table: pa.Table, rows: Rows, plan: Plan, population: Source, *, weighed: bool
) -> Exposure:
    """Show what the rows would tell as they came.

    Refuses a population that does not hold them, and weights that are none.
    """
    weights = [weights_of(table, name) for name in plan.recipe.roles.weight]
    seen = unprinted(rows, _given(plan, population), plan.hierarchies)
    return weighted(seen, weights[0]) if weighed else seen


def exposed(
    published: pa.Table, plan: Plan, population: Source, *, weighed: bool = False
) -> Exposure:
    """Show what a release tells, among everyone who fits its cells.

    Centres name no box, so nobody is counted in them.
    """
    population = _given(plan, population)
    recipe = plan.recipe
    if isinstance(population, pa.Table) and any(
        not recoder.covers for recoder in plan.recoders.values()
    ):
        population = population.num_rows
    seen = printed(published, recipe.quasi, recipe.sensitive, population, plan.hierarchies)
    if weighed and recipe.weight:
        return weighted(seen, printed_weights(published, recipe.weight))
    return seen


def risks_of(seen: Exposure | None) -> dict[str, Figure]:
    """Measure every risk by name; none where nobody looked."""
    if seen is None:
        return {}
    every = registry.names(Risk)
    measured = side_by_side(
        lambda risk: plain(risk().measure(seen)), every.values(), rows=len(seen.groups.labels)
    )
    return dict(zip(every, measured, strict=True))


def _given(plan: Plan, population: Source) -> Source:
    """Choose the population that was handed in, or else the number in the recipe."""
    number = plan.recipe.population
    return number if population is None and not isinstance(number, str) else population
