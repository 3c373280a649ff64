"""Balanced: groups for a model that asks for each sensitive value equally often.

Groups that would look alike become one, since nobody could tell them apart in the release. Then
counterfeits fill groups up, see `counterfeits`.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.arrays import Ints
from shoal.encode.rows import Rows
from shoal.engines.dividing import may_be_withheld
from shoal.engines.local.counterfeits import Counterfeits, filled_up
from shoal.engines.promises import published_cells
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.ledger.published import looks_of
from shoal.partition.balanced_groups import balanced_groups
from shoal.privacy.model import Model
from shoal.recipe import Plan
from shoal.wording import Remedy, Set


def balancing_model(plan: Plan) -> Model | None:
    """Return the model that asks for balanced groups; None where none does."""
    return next((model for model in plan.models if model.balances), None)


def balanced_labels(rows: Rows, plan: Plan, model: Model, seed: int) -> Ints:
    """Divide rows into balanced groups; -1 where a row can stand in none."""
    rng = np.random.default_rng(seed)
    return balanced_groups(rows, plan.recipe.k, model.least, rng)


def refuse_unbalanced(rows: Rows, model: Model) -> None:
    """Refuse a table whose sensitive values can't stand equally often in groups of people."""
    column = rows.sensitive[0]
    if column.kind != "category":
        problem = f"model '{model.name}' guards categories, and '{column.name}' holds none"
        way = Set("read_as", {column.name: "text"}, "read it as text")
        raise RecipeError(problem, remedy=Remedy(way, "choose another model"))
    if rows.person is not None:
        problem = f"model '{model.name}' asks for one row of each person"
        raise RecipeError(problem, remedy="publish one row for each person")


def balanced_division(
    rows: Rows, plan: Plan, model: Model, seed: int
) -> tuple[Groups, Counterfeits]:
    """Divide a whole table, and fill its groups up."""
    refuse_unbalanced(rows, model)
    labels = balanced_labels(rows, plan, model, seed)
    _refuse_left_out(labels, plan, model)
    groups = _told_apart(rows, Groups.of(labels), plan)
    return groups, filled_up(rows, groups, plan)


def _told_apart(rows: Rows, groups: Groups, plan: Plan) -> Groups:
    """Let groups that look alike be one, until all look different."""
    while True:
        labels, _ = looks_of(published_cells(rows, groups, plan), groups)
        fewer = Groups.of(labels)
        if fewer.count == groups.count:
            return groups
        groups = fewer


def _refuse_left_out(labels: Ints, plan: Plan, model: Model) -> None:
    """Refuse to leave out more rows than the recipe allows."""
    out = int(np.count_nonzero(labels < 0))
    allowed = may_be_withheld(plan, len(labels))
    if out <= allowed and out < len(labels):
        return
    share = math.ceil(1000 * out / len(labels)) / 1000
    way = Set("withhold", share, "leave them out") if out < len(labels) else "lower k"
    facts = {"model": model.spoken, "rows that may be left out": allowed, "published": "nothing"}
    problem = f"{out:,} of {len(labels):,} rows have no value, or one that is too frequent"
    raise PrivacyNotMet(problem, facts, Remedy(way, "ask for less"))
