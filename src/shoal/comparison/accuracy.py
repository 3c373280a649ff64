"""Accuracy: how well a classifier that learns from a release predicts a column of other rows.

    some of the table  = at most 9,000 rows, all of a person or none
    two thirds of them   are released as the cell asks, and a random forest learns from that
    the others           are tested as they are

Beside it stand the same classifier that learnt from the same rows as they came, and the commonest
class. A part of a table is released with more loss than the whole: the figures compare methods, and
`shoal mine` measures one release at length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.local import LocalEngine
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.flows import groups
from shoal.flows.declared import understood_table
from shoal.mining.classification import MAJORITY, Classification
from shoal.mining.learners import refuse_without_learners
from shoal.mining.task import MiningMaterial
from shoal.recipe import Recipe

LEARNER = "random-forest"
ACCURACY = "accuracy"
ORIGINAL = "accuracy-original"
COMMONEST = "accuracy-commonest"
NAMES = (ACCURACY, ORIGINAL, COMMONEST)
ROWS = 9_000
TABLES = 3  # concrete tables that are made of a release


def refuse_unlearnt(recipe: Recipe, target: str) -> None:
    """Refuse a class that is not published, and learning without the package for it."""
    refuse_without_learners()
    published = (*recipe.quasi, *recipe.sensitive, *recipe.keep)
    if target not in published:
        problem = f"'{target}' is to be predicted, but it is not published"
        raise RecipeError(problem, remedy=did_you_mean(target, published))


def accuracies(table: pa.Table, recipe: Recipe, target: str) -> dict[str, float | None]:
    """Measure shares of rows that are predicted rightly, in [0, 1].

    None of a release that is refused where the table is only a part.
    """
    inside, outside = split(table, recipe.person)
    try:
        outcome = groups.run(inside, recipe, LocalEngine())
        assert outcome.recipe is not None
        plan = outcome.recipe.plan()
        material = MiningMaterial(
            understood_table(inside, plan)[0],
            outcome.table,
            recipe.quasi,
            (*recipe.sensitive, *recipe.keep),
            plan.hierarchies,
            target=target,
            test=understood_table(outside, plan)[0],
            tables=TABLES,
        )
        figures = Classification((LEARNER,)).measure(material)
    except ShoalError:
        return dict.fromkeys(NAMES)
    learnt = figures[f"accuracy of {LEARNER}"]
    commonest = figures[f"accuracy of {MAJORITY}"].unchanged
    return dict(zip(NAMES, (learnt.value, learnt.unchanged, commonest), strict=True))


def split(table: pa.Table, person: str | None) -> tuple[pa.Table, pa.Table]:
    """Choose rows to release and rows to test on, the same for every cell."""
    numbers: Any = np.arange(table.num_rows)
    if person is not None:
        codes = pc.dictionary_encode(table[person].combine_chunks()).indices
        alone = pc.add(pa.array(numbers, pa.int64()), table.num_rows)  # who has no name
        numbers = np.asarray(pc.coalesce(pc.cast(codes, pa.int64()), alone))
    different, unit = np.unique(numbers, return_inverse=True)
    turn = np.random.default_rng(1).permutation(len(different))[unit.reshape(-1)]
    share = min(1.0, ROWS / max(table.num_rows, 1))
    last = len(different) * share
    first = pa.array(np.flatnonzero(turn < last * 2 / 3))
    others = pa.array(np.flatnonzero((turn >= last * 2 / 3) & (turn < last)))
    return table.take(first), table.take(others)
