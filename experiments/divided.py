"""Divided: the groups and releases of `shoal.anonymize`, without what no page of results shows.

What is left out changes no cell and takes most of the time: attacks and risks before a release,
its certificate, and lower bounds of the loss. A test compares with `shoal.anonymize`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.comparison.cells import Cell, Row, digest
from shoal.encode.rows import Rows
from shoal.engines.local import LocalEngine
from shoal.engines.local.dividing import groups_of
from shoal.engines.local.recoding import recoded
from shoal.errors import ShoalError
from shoal.flows.coded import settled
from shoal.flows.declared import encoded, understood_table
from shoal.groups import Groups, unwatched
from shoal.recipe import Plan, Recipe
from shoal.review.losses.loss import Evidence, Loss

LOSSES = (
    "total-information-loss",
    "discernibility",
    "classification-metric",
    "average-group-size",
    "squared-error",
)
FEW = 200  # rows of a first run of each method, which nobody times
WARM: set[str] = set()


@dataclass(frozen=True)
class Divided:
    """A table in groups, and the CPU seconds that dividing took."""

    table: pa.Table
    plan: Plan
    rows: Rows
    groups: Groups
    seconds: float

    @cached_property
    def evidence(self) -> Evidence:
        """What losses look at."""
        return Evidence(self.rows, self.groups, self.plan.recipe.k)

    def lost(self, name: str) -> float | None:
        """Measure a loss by name."""
        return registry.names(Loss)[name]().measure(self.evidence)

    def published(self) -> pa.Table:
        """Write the release."""
        return recoded(self.table, self.rows, self.groups, self.plan)


def divided(table: pa.Table, recipe: Recipe) -> Divided:
    """Divide a table as a recipe with a seed asks; raises what can't be divided."""
    recipe = settled(recipe, table.column_names, lambda names: LocalEngine().counted(table, names))
    plan = recipe.plan()
    understood, notes = understood_table(table, plan)
    rows, _ = encoded(understood, notes, plan)
    begun = time.process_time()
    groups = groups_of(rows, plan, np.random.default_rng(recipe.seed), unwatched)
    return Divided(understood, plan, rows, groups, time.process_time() - begun)


@dataclass(frozen=True)
class Grouping:
    """A method by the name that a page gives it, k and seed; `key` names the result."""

    method: str
    k: int
    seed: int
    key: str


@dataclass(frozen=True)
class Measuring:
    """Divide one table by some methods; recipes lack k and seed."""

    table: pa.Table
    recipes: Mapping[str, Mapping[str, Any]]
    __module__ = __name__  # by which finished groupings are kept

    def cells(self, ks: Iterable[int], seeds: Iterable[int]) -> list[Grouping]:
        """List every method, k and seed."""
        hashed = digest(self.table, self.table.column_names)
        return [
            Grouping(name, k, seed, Cell(name, self._recipe(name, k, seed)).key(hashed))
            for name, k, seed in product(self.recipes, ks, seeds)
        ]

    def __call__(self, cell: Grouping) -> Row:
        """Divide the table, and measure what is lost."""
        recipe = self._recipe(cell.method, cell.k, cell.seed)
        self._warm_up(recipe)
        try:
            found = divided(self.table, recipe)
        except ShoalError as error:
            return {"refused": error.problem}
        losses = {name: found.lost(name) for name in LOSSES}
        return {"seconds": found.seconds, "largest-group": int(found.groups.sizes.max()), **losses}

    def _recipe(self, name: str, k: int, seed: int) -> Recipe:
        return Recipe.of(**self.recipes[name], k=k, seed=seed)

    def _warm_up(self, recipe: Recipe) -> None:
        """Run each method once on a few rows, so that no figure holds compilation."""
        name = f"{recipe.method} {recipe.refine}"
        if name not in WARM:
            WARM.add(name)
            with suppress(ShoalError):  # whatever is wrong, the real run says it better
                divided(self.table.slice(0, FEW), Recipe.of(**recipe.as_dict() | {"k": 5}))
