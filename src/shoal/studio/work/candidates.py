"""Candidates: tries other choices on a sample, so that one is taken by its risk and its loss.

    draw a sample, always the same one of a table
    for each k, without and with each further promise, with bands of the groups' own and with the
    same bands for everyone:
        divide, recode and recount as a run would, with little effort
        tell the loss of a cell, and the risks by which choices are compared

Losses and risks are those that a run tells, so both stand in one picture. A sample stands further
apart than its table: a run loses less than the try of the same choice.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from shoal.adapters.tables import everyone
from shoal.errors import ShoalError
from shoal.flows.exposure import exposed, published_view
from shoal.recipe import Recipe
from shoal.review.loss_by_column import paid
from shoal.review.losses.loss import Evidence
from shoal.review.losses.published import HEIGHT
from shoal.review.risks.best_guess import BestGuess
from shoal.review.risks.exposure import Exposure
from shoal.studio.words import in_words
from shoal.studio.work.frontier import sampled
from shoal.studio.work.inspecting import opened
from shoal.studio.work.previewing import TriedSample, quickly, size_for, tried, weighed
from shoal.studio.work.telling import Tell

KS = (3, 5, 10, 20, 50)
UNIFORM = "full-domain"
Told = dict[str, Any]


def do(
    tell: Tell, table: str, recipe: Mapping[str, Any], promises: Sequence[Sequence[str]]
) -> Told:
    """Report a candidate for each choice, the recipe's own promises first.

    `promises` lists the promises that are tried beside each k.
    """
    os.nice(10)
    tell("looking at the table")
    everybody = opened(table)
    asked = Recipe.of(**recipe)
    choices = list(choices_of(asked, promises, everybody.num_rows))
    sample = sampled(everybody, size_for([choice.k for choice in choices]))
    for choice in choices:
        tell("trying")
        candidate = {"k": choice.k, "models": list(choice.models), "method": choice.method}
        told = measured(sample, choice, everybody)
        tell.say("candidate", **candidate, rows=sample.num_rows, of=everybody.num_rows, **told)
    return {}


def choices_of(recipe: Recipe, promises: Sequence[Sequence[str]], rows: int) -> Iterator[Recipe]:
    """List the recipes that are tried, an outline first."""
    ks = sorted({k for k in (*KS, recipe.k) if k * 2 <= rows} | {min(recipe.k, rows)})
    for models in promises:
        for method in methods_of(recipe):
            for k in ks:
                yield msgspec.structs.replace(
                    recipe, k=k, models=tuple(models), method=method, preset=None, refine=False
                )


def methods_of(recipe: Recipe) -> list[str]:
    """Name a method with bands of the groups' own, and the one with the same bands for everyone."""
    local = Recipe().method if is_uniform(recipe.method) else recipe.method
    return [local, UNIFORM]


def is_uniform(method: str) -> bool:
    """Tell whether a method gives everyone the same bands.

    >>> is_uniform("full-domain(at_least=[0, 1])"), is_uniform("mondrian")
    (True, False)
    """
    return method.partition("(")[0].partition(":")[0] == UNIFORM


def measured(sample: pa.Table, recipe: Recipe, everybody: pa.Table) -> Told:
    """Tell the loss and the risks of a choice, or why it can't be had."""
    try:
        if recipe.overlaps:
            return {"refused": "Rows with boxes of their own have no preview."}
        one = tried(sample, quickly(recipe, everybody))
    except ShoalError as refusal:
        return {"refused": in_words(refusal)}
    seen = exposed(one.published, one.plan, everyone(None))
    return {"loss": loss_of(one), "groups": one.counted.count, **risks_of(seen)}


def loss_of(one: TriedSample) -> float:
    """Return the mean loss of a cell as printed, or of the groups where cells name no box."""
    view = published_view(one.published, one.plan, one.groups.withheld)
    printed = view.by_column(HEIGHT)
    boxes = paid(Evidence(one.rows, one.groups, one.plan.recipe.k)).columns
    losses = {box.name: box.height for box in boxes}
    losses |= {name: loss for name, loss in printed.items() if loss is not None}
    return weighed(losses, one.plan.recipe.importance)


def risks_of(seen: Exposure) -> Told:
    """Return the risks by which candidates are compared, by name."""
    sizes = seen.groups.sizes
    guesses = BestGuess().measure(seen)
    return {
        "highest": 1 / int(sizes.min()) if len(sizes) else 0.0,
        "average": len(sizes) / seen.rows if seen.rows else 0.0,
        "guessed": max(guesses.values()) if isinstance(guesses, dict) and guesses else None,
    }
