"""Frontier: measures what each k would cost, so that k is chosen on a curve.

    look at the table once, or at a sample of it where it is long
    for each k, the outline of the curve first:
        divide, recode and recount as a run would, with little effort where there are many rows
        tell the loss of a cell, the number of groups, and the risk of whoever is easiest to find

Fewer rows stand further apart, and less effort loses more: the whole table at full effort loses no
more than the curve says, or hardly more. Nobody waits for it, so it gives way to whatever else the
machine does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.adapters.tables import everyone
from shoal.encode.rows import Rows
from shoal.engines.local.dividing import groups_of
from shoal.engines.local.gate import gated
from shoal.engines.local.recoding import recoded
from shoal.errors import ShoalError
from shoal.flows import overlap
from shoal.flows.coded import settled
from shoal.flows.declared import declared, profiled
from shoal.flows.exposure import published_view
from shoal.groups import Watch, within
from shoal.partition.method import Method
from shoal.recipe import Recipe
from shoal.review.certificate import finite
from shoal.review.certificate_format import OverlapPrivate
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.published import PublishedLoss
from shoal.studio.words import in_words
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

KS = (5, 20, 100, 2, 10, 50, 3, 7, 30, 15, 75)  # in this order: the outline first
MOST = 50_000  # rows that are looked at
MOST_OVERLAPPING = 2_000  # where each is compared with each
QUICKLY = 2_000  # rows beyond which little effort is spent
SEED = 1  # curves of one table are drawn from one sample
# what is minimized: the shares that measure it, of cells as printed where there is one
LOSSES: Mapping[str, tuple[str, ...]] = {
    "span": ("published-height-share", "span-share"),
    "height": ("published-height-share", "height-share"),
    "leaf-share": ("published-leaf-share", "leaf-share"),
    "squared-error": ("squared-error-share",),
}
Point = dict[str, Any]


def do(tell: Tell, table: str, recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Report one point for each k; the recipe's own k does not matter."""
    os.nice(10)
    tell("looking at the table")
    everybody = opened(table)
    asked = settled(
        Recipe.of(**recipe), everybody.column_names, lambda some: profiled(everybody, some)
    )
    bench = FrontierBench(sampled(everybody, MOST_OVERLAPPING if asked.overlaps else MOST), asked)
    ks = [k for k in KS if k <= bench.rows.count]
    for place, k in enumerate(ks):
        point = bench.point(k, within(tell(f"k = {k}"), place / len(ks), (place + 1) / len(ks)))
        tell.say(
            "point",
            **point,
            rows=bench.rows.count,
            of=everybody.num_rows,
            little_effort=bench.quickly,
        )
    return {}


def sampled(table: pa.Table, most: int) -> pa.Table:
    """Return all rows, or `most` rows drawn at random, in their order."""
    if table.num_rows <= most:
        return table
    drawn = np.random.default_rng(SEED).choice(table.num_rows, most, replace=False)
    return table.take(pa.array(np.sort(drawn)))


@dataclass(frozen=True)
class FrontierBench:
    """Divide one table for one k after the other."""

    table: pa.Table
    asked: Recipe

    @property
    def quickly(self) -> bool:
        """Tell whether little effort is spent, as there are many rows."""
        method = registry.names(Method).get(registry.parse(self.asked.method)[0])
        searches = (method is not None and method.takes_effort) or self.asked.refine
        return searches and self.asked.effort == "default" and self.table.num_rows > QUICKLY

    def recipe(self, k: int) -> Recipe:
        """Return the recipe with this k."""
        beside = {"effort": "low"} if self.quickly else {}
        return Recipe.of(**{**self.asked.as_dict(), **beside, "k": k, "preset": None, "seed": SEED})

    def point(self, k: int, watch: Watch) -> Point:
        """Measure what this k costs, or say why it can't be had."""
        try:
            cost = self._boxes(k) if self.asked.overlaps else self._groups(k, watch)
        except ShoalError as refusal:
            cost = {"refused": in_words(refusal)}
        return {"k": k, **cost}

    @cached_property
    def rows(self) -> Rows:
        """Encode the table on its axes, for every k; refuses what no k could mend."""
        recipe = self.recipe(1)
        plan = recipe.overlap_plan() if recipe.overlaps else recipe.plan()
        return declared(self.table, plan)[0]

    @cached_property
    def _population(self) -> Any:
        return everyone(self.asked.population)

    def _groups(self, k: int, watch: Watch) -> Point:
        plan = self.recipe(k).plan().among(self._population)
        groups = groups_of(self.rows, plan, np.random.default_rng(SEED), watch)
        published = recoded(self.table, self.rows, groups, plan)
        counted = gated(published, plan).groups
        evidence = Evidence(self.rows, groups, k)
        cells = published_view(published, plan, groups.withheld)

        def measured(name: str) -> float | None:
            of_cells = registry.names(PublishedLoss)
            if name in of_cells:
                return of_cells[name]().measure(cells)
            return registry.names(Loss)[name]().measure(evidence)

        risk = 1 / int(counted.sizes.min()) if counted.count else 0.0
        return {**_loss(plan.loss, measured), "groups": counted.count, "risk": risk}

    def _boxes(self, k: int) -> Point:
        """Measure this k where each row has a box of its own."""
        recipe = self.recipe(k)
        outcome, _ = overlap.run(self.table, recipe, groups_of)
        private = outcome.certificate.private
        assert isinstance(private, OverlapPrivate)
        return {
            **_loss(recipe.overlap_plan().loss, outcome.losses.get),
            "groups": None,
            "risk": private.link.largest,
        }


def _loss(minimized: str, measured: Callable[[str], float | None]) -> Point:
    """Return the first loss that tells about what is minimized, and its name."""
    for name in (*LOSSES.get(minimized, (minimized,)), *LOSSES["height"]):
        if (loss := finite(measured(name))) is not None:
            return {"measure": name, "loss": float(loss)}
    return {"measure": None, "loss": None}
