"""`shoal`: cheapest-first peeling, then refinement. Our own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.encode.rows import Rows
from shoal.groups import Groups, Guard, Watch
from shoal.partition.beginnings import begin
from shoal.partition.method import Method
from shoal.partition.pieces import Pieces, ordered
from shoal.partition.refinement import EFFORTS, Refiner


@dataclass(frozen=True)
class Shoal(Method):
    """Cheapest-first peeling, then refinement: the lowest loss at near-linear cost. Ours, and the default."""

    name = "shoal"
    effort: Literal["low", "default", "high"] = "default"

    def _divide(self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch) -> Groups:
        tuples, least = ordered(rows), min(max(k, guard.least), rows.count)
        labels, notes = begin(rows, tuples, least, rng, watch)
        out = np.empty(rows.count, np.int32)
        out[tuples.order] = labels
        pieces = Refiner(rows, tuples, least, EFFORTS[self.effort], rng, watch).refined(Pieces.of(out, tuples))
        return Groups.of(pieces.labels(tuples), notes)
