"""Pacing: the plan of a part of a table, by its share of a time limit or after an interruption."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from shoal.recipe import Plan


def timed(plan: Plan, share: float) -> Plan:
    """Plan a part of a table: its share of the rows is its share of a time limit."""
    limit = plan.recipe.time_limit
    if limit is None:
        return plan
    method = plan.method
    if method.takes_time_limit:
        method = method.with_parameters(time_limit=limit * share)
    recipe = structs.replace(plan.recipe, time_limit=limit * share)
    return replace(plan, method=method, recipe=recipe)


def hurried(plan: Plan) -> Plan:
    """Plan less work for the other parts, once refinement was interrupted."""
    method = plan.method
    if method.takes_effort:
        method = method.with_parameters(effort="low")
    return replace(plan, method=method, recipe=structs.replace(plan.recipe, refine=False))
