"""The flow of a table larger than memory: one line for each stage."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.attacks.attacking import Findings
from shoal.declare.memory import PER_CELL, PER_ROW
from shoal.distortions.parts import Parts
from shoal.errors import RecipeError
from shoal.groups import unwatched
from shoal.pipeline import Clock, Stage, columns_of, public_recipe, risks_of, withstood
from shoal.recipe import Plan, Recipe
from shoal.review.certificate import Certificate, finite, public_counts, rounded
from shoal.review.certificate_format import GroupsCertificate, GroupsPrivate, PublishedColumns
from shoal.review.losses.published import PublishedLoss
from shoal.review.partial_counts import Printed
from shoal.review.risks.risk import Figure
from shoal.streaming.coding import Coded, coded
from shoal.streaming.dividing import Found, groups_of
from shoal.streaming.gate import Recounted, recounted
from shoal.streaming.spill import Folder
from shoal.streaming.writing import Cells, cells_of, write

# bytes that are taken before the first row is read: the program, and code that is being compiled
PROCESS = 600_000_000
LEAST_ROWS = 100_000  # that must fit at once
LEFT_OUT = "measured on parts of the table: what does not add up over them is left out"


@dataclass(frozen=True)
class Outcome:
    """What a run gives: what was measured. The table is where it was written to."""

    certificate: Certificate[GroupsCertificate, GroupsPrivate]
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    recipe: Recipe
    divided: int
    """How many groups there were before those that look alike became one."""


@dataclass(frozen=True)
class Work:
    """A table that has been written, and must be recounted before anyone may see it."""

    plan: Plan
    memory: int
    seed: int
    table: Coded
    found: Found
    findings: Findings
    columns: PublishedColumns
    notices: tuple[str, ...]
    clock: Clock

    def certified(self, written: Parts, folder: Folder) -> Outcome:
        """The certificates of what was written, read again as texts; or a refusal."""
        with self.clock("recounting") as watch:
            count = recounted(
                written,
                self.plan,
                self.memory,
                rows_at_once(self.memory, self.plan.recipe),
                folder,
                watch,
            )
        with self.clock("measuring"):
            printed = _printed(count, self.plan, self.found.withheld)
            risks = risks_of(count.seen)
        public = public_counts(
            *(
                count.rows,
                public_recipe(self.plan.recipe),
                count.groups,
                count.models,
                printed,
                risks,
                count.mark,
            ),
            columns=self.columns,
            withheld=rounded(self.found.withheld),
            version=registry.version(),
            attacks=[finding.stated() for finding in self.findings.all if finding.trials],
        )
        certificate = Certificate(public, self._private())
        losses = {**self.found.losses, **printed}
        return Outcome(
            *(
                certificate,
                losses,
                {"before": {}, "after": risks},
                self.notices,
                self.clock.seconds,
                self.plan.recipe,
            ),
            divided=len(self.found.sizes),
        )

    def _private(self) -> GroupsPrivate:
        """What only the maker should know."""
        sizes, times = np.unique(self.found.sizes, return_counts=True)
        return GroupsPrivate(
            seed=self.seed,
            rows_in=self.table.count,
            withheld=self.found.withheld,
            losses=dict(self.found.losses),
            notes=[*self.found.notes, LEFT_OUT],
            group_sizes={str(size): int(number) for size, number in zip(sizes, times, strict=True)},
            bound=None,
        )


def through(
    parts: Parts,
    recipe: Recipe,
    memory: int,
    folder: Folder,
    publish: Callable[[pa.Table], None],
    stage: Stage = lambda name: unwatched,
) -> Work:
    """Hand a release on, part by part; whoever takes the parts must keep them back until they are
    certified.
    """
    clock = Clock(stage)
    plan = recipe.plan()
    at_once = rows_at_once(memory, recipe)
    seed = recipe.seed if recipe.seed is not None else secrets.randbits(63)
    with clock("looking at the table") as watch:
        table, file, notices = coded(parts, plan, memory, folder, watch)
    with clock("dividing into groups") as watch:
        found = groups_of(table, file, plan, at_once, np.random.default_rng(seed), folder, watch)
    with clock("recoding"):
        cells = cells_of(table, found, plan)
    with clock("attacking"):
        findings = _withstood(table, found, cells, plan)
    with clock("writing") as watch:
        write(table, found, cells, at_once, folder, publish, watch)
    columns = columns_of(parts.schema.empty_table(), recipe)
    return Work(plan, memory, seed, table, found, findings, columns, notices, clock)


def rows_at_once(memory: int, recipe: Recipe) -> int:
    """How many rows fit into so many bytes while they are divided."""
    published = len(recipe.quasi) + len(recipe.sensitive) + len(recipe.keep)
    rows = (memory - PROCESS) // (PER_ROW + PER_CELL * len(recipe.quasi) + 8 * published)
    if rows < LEAST_ROWS:
        raise RecipeError(f"a memory of {memory:,} bytes is too little", remedy="--memory 2GB")
    return rows


def _printed(count: Recounted, plan: Plan, withheld: int) -> dict[str, float | None]:
    """The losses of the cells as printed."""
    publish = {name: recoder.name for name, recoder in plan.recoders.items()}
    seen = Printed(
        pa.table({}),
        plan.recipe.quasi,
        plan.hierarchies,
        publish,
        rounded(withheld),
        count=count.rows,
        times=count.cells,
    )
    return {
        name: finite(loss().measure(seen)) for name, loss in registry.names(PublishedLoss).items()
    }


def _withstood(table: Coded, found: Found, cells: Cells, plan: Plan) -> Findings:
    """What attacks find that look for people of some whole groups, in these alone: nobody else may
    be taken for them.
    """
    labels = found.stretch[0]
    codes = found.stretch[1:]
    others = codes[len(table.axes) :]
    shown = np.concatenate((cells.codes[:, labels], others))
    order = np.lexsort(shown[::-1])
    published = cells.published(labels[order], others[:, order], table)
    return withstood(table.values(codes), table.rows(codes), published, plan)
