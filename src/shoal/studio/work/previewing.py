"""Previewing: tries recipes on a sample, and shows what each would do to the same ten people.

    draw a sample, always the same one of a table
    for each recipe that is asked for:
        divide, recode and recount as a run would, with little effort
        tell the loss, what is left of each column, and ten cells before and after

A sample stands further apart than the whole table and little effort loses more, so a run loses no
more than its preview, or hardly more. Two previews of one table can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.adapters.tables import everyone
from shoal.declare.columns import text_of, whole
from shoal.declare.hierarchies.suggesting import suggested
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.engines.local.dividing import groups_of
from shoal.engines.local.gate import gated
from shoal.engines.local.recoding import recoded
from shoal.errors import ShoalError
from shoal.flows.coded import settled
from shoal.flows.declared import encoded, profiled, understood_table
from shoal.flows.exposure import published_view
from shoal.groups import Groups
from shoal.recipe import Plan, Recipe
from shoal.review.loss_by_column import paid
from shoal.review.losses.loss import Evidence
from shoal.review.what_is_left import columns_left
from shoal.studio.words import in_words
from shoal.studio.work.frontier import SEED, sampled
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

LEAST = 2_000  # rows of a sample, where k is small
MOST = 20_000
GROUPS = 40  # of the least size that a sample should hold
CELLS = 10
BETTER = 0.99  # of the loss without it: a hierarchy that spares less is not worth its choice
Told = dict[str, Any]


def do(
    tell: Tell, table: str, recipes: Mapping[str, Mapping[str, Any]], *, suggest: bool = False
) -> Told:
    """Report a preview for each recipe, by its name; they may not refuse each other.

    `suggest` also tries hierarchies: the first recipe as it is, and then with those that suit each
    column that has none. The result names the hierarchies that lose less.
    """
    everybody = opened(table)
    asked = {name: Recipe.of(**recipe) for name, recipe in recipes.items()}
    sample = sampled(everybody, size_for([recipe.k for recipe in asked.values()]))
    for name, recipe in asked.items():
        tell("trying")
        told = preview(sample, recipe, everybody)
        tell.say("preview", name=name, rows=sample.num_rows, of=everybody.num_rows, **told)
    if not suggest:
        return {}
    first = next(iter(asked.values()))
    return {"hierarchies": _suggestions(tell, sample, first, everybody)}


def size_for(ks: Sequence[int]) -> int:
    """Choose how many rows a sample has, so that groups of k fit well into it.

    >>> size_for([5]), size_for([5, 100]), size_for([5_000])
    (2000, 4000, 20000)
    """
    return min(max(LEAST, GROUPS * max(ks)), MOST)


def preview(sample: pa.Table, recipe: Recipe, everybody: pa.Table) -> Told:
    """Tell what a recipe does to a sample, or why it can't be had."""
    try:
        if recipe.overlaps:
            return {"refused": "Rows with boxes of their own have no preview."}
        return _told(sample, quickly(recipe, everybody))
    except ShoalError as refusal:
        return {"refused": in_words(refusal)}


def quickly(recipe: Recipe, everybody: pa.Table) -> Recipe:
    """Return the recipe with little effort; what follows from all rows follows from all of them."""
    known = settled(recipe, everybody.column_names, lambda some: profiled(everybody, some))
    quick = {"effort": "low", "seed": SEED, "keep_order": True, "time_limit": None}
    return msgspec.structs.replace(known, **quick)


@dataclass(frozen=True)
class TriedSample:
    """A sample that was divided, recoded and recounted as a run would do it."""

    plan: Plan
    rows: Rows
    groups: Groups
    published: pa.Table
    counted: Groups


def tried(sample: pa.Table, recipe: Recipe) -> TriedSample:
    """Carry a recipe out on a sample."""
    plan = recipe.plan().among(everyone(recipe.population))
    table, notes = understood_table(sample, plan)
    rows, _ = encoded(table, notes, plan)
    groups = groups_of(rows, plan, np.random.default_rng(SEED), lambda share, loss=None: None)
    published = recoded(table, rows, groups, plan)
    return TriedSample(plan, rows, groups, published, gated(published, plan).groups)


def _told(sample: pa.Table, recipe: Recipe) -> Told:
    one = tried(sample, recipe)
    left = columns_left(published_view(one.published, one.plan, one.groups.withheld))
    spent = paid(Evidence(one.rows, one.groups, recipe.k))
    lost = {each.name: each.leaves for each in spent.columns}
    return {
        "loss": weighed(lost, recipe.importance),
        "columns": {
            name: {**column.as_dict(), "loss": lost[name]} for name, column in left.items()
        },
        "cells": _cells(sample, one.published, one.groups, one.plan),
        "groups": one.counted.count,
        "left out": one.groups.withheld / max(one.rows.count, 1),
        "risk": 1 / int(one.counted.sizes.min()) if one.counted.count else 0.0,
        "agreed": agreed(one.rows, one.groups),
    }


def weighed(losses: Mapping[str, float], importance: Mapping[str, float]) -> float:
    """Average losses of columns, each by how much it matters.

    >>> weighed({"age": 0.1, "job": 0.4}, {"age": 2})
    0.2
    """
    weights = {name: float(importance.get(name, 1)) for name in losses}
    total = sum(weights.values()) or 1.0
    return round(sum(losses[name] * weight for name, weight in weights.items()) / total, 12)


def _cells(sample: pa.Table, published: pa.Table, groups: Groups, plan: Plan) -> Told:
    """Show ten rows of each quasi-identifier as they came in and as they would be published."""
    places = np.linspace(0, sample.num_rows - 1, min(CELLS, sample.num_rows)).astype(np.int64)
    there = groups.labels >= 0
    after = published.take(pa.array((np.cumsum(there) - 1)[places], mask=~there[places]))
    return {
        name: [
            [before, spelled]
            for before, spelled in zip(
                text_of(whole(sample[name].take(pa.array(places)))).to_pylist(),
                spelled(after, name),
                strict=True,
            )
        ]
        for name in plan.recipe.quasi
    }


def spelled(after: pa.Table, name: str) -> list[str | None]:
    """Spell the cells of a column; two bounds stand beside each other."""
    names = [name] if name in after.column_names else [f"{name}_lo", f"{name}_hi"]
    columns = [text_of(whole(after[one])).to_pylist() for one in names]
    return [
        None if all(cell is None for cell in cells) else " - ".join(cell or "" for cell in cells)
        for cells in zip(*columns, strict=True)
    ]


def agreed(rows: Rows, groups: Groups) -> dict[str, int]:
    """Count the groups that share one value of each sensitive column: it is learnt of them all."""
    counts = {}
    for column in rows.sensitive:
        there = groups.labels >= 0
        pairs = np.unique(np.stack([groups.labels[there], column.codes[there]]), axis=1)
        values = np.bincount(pairs[0], minlength=groups.count)
        counts[column.name] = int((values == 1).sum())
    return counts


def _suggestions(
    tell: Tell, sample: pa.Table, recipe: Recipe, everybody: pa.Table
) -> dict[str, str]:
    """Try a hierarchy that suits each column, and keep those with which less is lost.

    One column after the other, each beside what was kept before it.
    """
    kept: dict[str, str] = {}
    best = preview(sample, recipe, everybody).get("loss")
    for name in [name for name in recipe.quasi if name not in recipe.hierarchies]:
        tell("trying hierarchies")
        spec = _suited(sample, recipe, name)
        if spec is None or best is None:
            continue
        hierarchies = {**recipe.hierarchies, **kept, name: spec}
        tried = preview(sample, msgspec.structs.replace(recipe, hierarchies=hierarchies), everybody)
        tell.say("tried", column=name, hierarchy=spec, **tried)
        if tried.get("loss") is not None and tried["loss"] < BETTER * best:
            best = tried["loss"]
            kept[name] = spec
    return kept


def _suited(sample: pa.Table, recipe: Recipe, name: str) -> str | None:
    """Spell the hierarchy that suits a column; None where it would be all or nothing anyway."""
    table, _ = understood_table(sample, recipe.plan())
    column = profile(whole(table[name]), name)
    hierarchy = suggested(column.values, column.kind)
    return None if hierarchy.name == "flat" else registry.spell(hierarchy)
