"""Levels: finds the best choices of one level for each column, so that one is chosen by its risk.

    look at the whole table: a choice that is safe for a sample need not be safe for all
    find the best choices of levels, as many as a page shows
    tell the loss of each, the rows that it leaves out, and the risk of being found

A choice that is offered keeps every promise of the recipe; the run judges it again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import msgspec

from shoal.adapters.tables import everyone
from shoal.engines.dividing import refuse_impossible, united
from shoal.engines.promises import promises_of
from shoal.flows.coded import settled
from shoal.flows.declared import declared, profiled
from shoal.handover.ladders import ladders_of
from shoal.partition.method import Solution
from shoal.recipe import Recipe
from shoal.recipe.scheme import without_levels
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

MOST = 40  # choices that are offered


def do(tell: Tell, table: str, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return the best choices of levels, and the rungs of each column in words.

    Levels that the recipe fixes are let free: others are looked for.
    """
    os.nice(10)
    watch = tell("looking at the table")
    people = opened(table)
    asked = Recipe.of(**recipe)
    asked = msgspec.structs.replace(asked, method=without_levels(asked.method))
    asked = settled(asked, people.column_names, lambda some: profiled(people, some))
    plan = asked.plan().among(everyone(asked.population))
    rows, _ = declared(people, plan)
    promises = promises_of(rows, plan)
    refuse_impossible(rows, plan, promises)
    units, guard = united(rows, promises, plan)
    watch = tell("trying levels")
    best = plan.method.solutions(units, asked.k, guard, watch, wanted=MOST)
    choices = []
    nodes = 0
    for each in best:
        nodes = each.nodes
        choices.append(_choice(each))
    ladders = ladders_of(rows, plan.hierarchies, choices[0]["levels"])
    return {"choices": choices, "ladders": ladders, "nodes": nodes, "rows": rows.count}


def _choice(solution: Solution) -> dict[str, Any]:
    """Tell what one choice of levels costs, and how easily people are found under it."""
    sizes = solution.groups.sizes
    assert solution.groups.levels is not None
    return {
        "levels": [int(level) for level in solution.groups.levels],
        "loss": float(solution.loss),
        "left out": solution.groups.withheld,
        "groups": solution.groups.count,
        "average": solution.groups.count / int(sizes.sum()),
        "highest": 1 / int(sizes.min()),
    }
