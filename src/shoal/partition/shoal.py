"""`shoal`: group first what is most alike, then refine. Our own, and the default.

Rows that are alike after the least coarsening are taken off first, then those that need more; that
is called peeling. Then rows move between near groups while the loss falls.

    begin:   walk over vectors that say how far each column is generalized, in the order of
             increasing mean loss; at each, rows without a group that are alike under it, k or more,
             become one (see `beginnings` and `levels`)
    refine:  move, swap, dissolve and split, inside blocks of near groups, while the loss falls (see
             `refinement`)
    balance: go on, rows that lose more than others being worth more (see `balance`)

`effort` counts work, never seconds, so a seed repeats a result (unless a `time_limit` is set, in
seconds: refinement then stops and what was reached is published). On Adult (30,162 rows, 8 columns)
at k = 10:

    low      the beginning alone                        loses 19,642 in a third of a second
    default  rounds of refinement and balance, some regions divided anew    18,767 in 4 seconds
    high     goes on from there with many more of both                      18,229 in 40 seconds

With high effort, tables of up to 60 different rows (120 in all) at k of at most 5 are searched for
the best grouping that there is (see `optimum`); most often it is found and proven.

A group's box is that of its members, not that of the vector which found them. Tuples are taken in
the order of their codes, so the order of the table's rows changes nothing but which of several
equal rows goes where. Costs are linear in the number of different tuples (times the number of
vectors, at most 50,000; with more of them the walk takes the cheapest). Where the walk can't be
finished, and for small tables, the best of several beginnings is refined: the private certificate
says which. More effort goes on where less effort ended, so it never loses more; tables of up to
1,000 different tuples are refined with low effort too.

Where the models ask for more than size, kernels test every group while it is built (see
`kernels/guards`): a generalized tuple becomes a group if it is safe, and a step of refinement is
taken if all groups that it touches stay safe. What no such test is known for, and what is unsafe
all the same, is merged before it is refined.

By hand: ages 20, 21, 23, 40, 42, 60 and 61 at k = 2. 60 and 61, 20 and 21 and 40 and 42 are alike
after the least coarsening. 23 joins where the loss grows least: 3 * 3 - 2 * 1 = 7 years beside 20
and 21, 3 * 19 - 2 * 2 = 53 beside 40 and 42. So {20, 21, 23} {40, 42} {60, 61}, which lose 9 + 4 +
2 = 15 years, and nothing loses less.

When to use it: always, unless a reader asks for the same bands in all rows (`full-domain`,
`banded`) or for another method by name.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from shoal.encode.rows import Rows
from shoal.errors import RecipeError
from shoal.groups import Groups, Guard, Watch, within
from shoal.kernels.guards import NO_RULES
from shoal.partition.beginnings import AtLeast, Beginnings
from shoal.partition.method import Method
from shoal.partition.microaggregation import microaggregate
from shoal.partition.optimum import is_small, optimum_of
from shoal.partition.pieces import ordered
from shoal.partition.refinement import REFINABLE, Effort, refine
from shoal.partition.repair import loss_of, repair

BEGINNING = 0.2  # the share of the work that is done when refinement begins
# What is done afterwards, and which share of the work it is. More effort goes on where less ended:
# so it never loses more.
EFFORT_SHARES: dict[Effort, dict[Effort, tuple[float, float]]] = {
    "low": {},
    "default": {"default": (BEGINNING, 1.0)},
    "high": {"default": (BEGINNING, 0.3), "high": (0.3, 1.0)},
}


@dataclass(frozen=True)
class Shoal(Method):
    """Cheapest-first peeling, then refinement: lowest loss at near-linear cost; the default."""

    name = "shoal"
    losses: ClassVar[tuple[str, ...]] = REFINABLE
    takes_effort = True
    takes_time_limit = True
    peels = True
    effort: Effort = "default"
    time_limit: float | None = None  # seconds after which refinement stops
    balance: float = 0.83  # how much more the loss of those counts who lose most

    def __post_init__(self) -> None:
        if not 0 <= self.balance <= 1:
            raise RecipeError(
                f"balance of '{self.name}' must be from 0 to 1, not {self.balance:g}",
                remedy="shoal:balance=0.5",
            )

    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        until = time.monotonic() + (self.time_limit or math.inf)
        rules = NO_RULES if guard.rules is None else guard.rules
        tuples = ordered(rows, apart=len(rules.kind) > 0)
        least = min(max(k, guard.least), rows.count)
        if rows.loss == "squared-error":
            return microaggregate(rows, least, rng, watch, effort=self.effort, until=until)

        def refined(begun: Groups, some: Rows, effort: Effort) -> Groups:
            return refine(begun, some, least, AtLeast(least), rng, effort=effort)

        beginnings = Beginnings(
            rows,
            tuples,
            least,
            rng,
            within(watch, 0.0, BEGINNING),
            others=self.effort != "low",
            rules=rules,
            refinements=[partial(refined, effort=effort) for effort in self._efforts],
        )
        labels = np.empty(rows.count, np.int32)
        labels[tuples.order], notes = beginnings.best()
        # numbered as they were found, so that merging does not hang on the order of the rows
        groups = Groups(labels, int(labels.max(initial=-1)) + 1, notes)
        groups = (
            groups if guard.only_size or guard.safe(groups).all() else repair(groups, rows, guard)
        )
        groups = Groups.of(groups.labels, notes)
        for effort, share in EFFORT_SHARES[self.effort].items():
            groups = refine(
                groups,
                rows,
                k,
                guard,
                rng,
                within(watch, *share),
                effort=effort,
                until=until,
                balance=self.balance,
            )
        return self._best_of_all(groups, rows, least, guard)

    @property
    def seeks_the_best(self) -> bool:
        """True with high effort."""
        return self.effort == "high"

    def _best_of_all(self, groups: Groups, rows: Rows, least: int, guard: Guard) -> Groups:
        """Look for the best grouping of a small table, with high effort and without a time limit.

        Where the models don't call it safe, the groups stay as they are.
        """
        late = self.time_limit is not None or groups.interrupted
        if not self.seeks_the_best or late or groups.withheld or not is_small(rows, least):
            return groups
        best = optimum_of(rows, rows.costs, least, groups)
        if best.loss >= loss_of(groups, rows):
            return groups
        better = Groups.of(best.labels, groups.notes)
        return better if guard.safe(better).all() else groups

    @property
    def _efforts(self) -> tuple[Effort, ...]:
        """List the efforts up to this one: each goes on where the one before ended."""
        return ("low",) if self.effort == "low" else ("low", "default")
