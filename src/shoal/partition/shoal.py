"""`shoal`: cheapest-first peeling, then refinement. Our own, and the default.

    begin:   walk over vectors that say how far each column is generalized, in the order of increasing mean loss; at each,
             rows without a group that are alike under it, k or more, become one (see `beginnings` and `levels`)
    refine:  move, swap, dissolve and split, inside blocks of near groups, while the loss falls (see `refinement`)

`effort` counts work, never seconds, so a seed repeats a result. On Adult (30,162 rows, 8 columns) at k = 10:

    low      the beginning alone                        loses 19,642 in a quarter of a second
    default  three rounds of refinement                        19,196 in a second
    high     more rounds, and small regions divided anew       about 18,900 in half a minute

A group's box is that of its members, not that of the vector which found them. Tuples are taken in the order of their codes,
so the order of the table's rows changes nothing but which of several equal rows goes where. Costs are linear in the number of
different tuples (times the number of vectors, at most 50,000; with more of them the walk takes the cheapest). Where the walk
can't be finished, and for small tables, the best of several beginnings is refined: the private certificate says which.

Where the models ask for more than size, what the beginning left unsafe is merged before it is refined.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.encode.rows import Rows
from shoal.groups import Groups, Guard, Watch
from shoal.partition.beginnings import begin
from shoal.partition.method import Method
from shoal.partition.pieces import ordered
from shoal.partition.refinement import Effort, refine
from shoal.partition.repair import repair

BEGINNING = 0.2  # the share of the work that is done when refinement begins


@dataclass(frozen=True)
class Shoal(Method):
    """Cheapest-first peeling, then refinement: the lowest loss at near-linear cost. Ours, and the default."""

    name = "shoal"
    effort: Effort = "default"

    def _divide(self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch) -> Groups:
        tuples, least = ordered(rows), min(max(k, guard.least), rows.count)
        labels = np.empty(rows.count, np.int32)
        more = self.effort != "low"
        labels[tuples.order], notes = begin(rows, tuples, least, rng, lambda share: watch(BEGINNING * share), others=more)
        groups = Groups.of(labels, notes)
        if not guard.only_size and not guard.safe(groups).all():
            groups = repair(groups, rows, guard)
        if self.effort == "low":
            return groups
        return refine(
            groups, rows, k, guard, rng, lambda share: watch(BEGINNING + (1 - BEGINNING) * share), effort=self.effort
        )
