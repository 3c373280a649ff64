"""`distance-linkage`: find people by their nearest boxes when fields are partly wrong.

*The attacker knows* the quasi-identifiers of a person, some of them wrong: an old register, a
rounded age. With `--register` beside `--original` these are the register's fields (row by row the
same people). Without one, a share `wrong` of the fields is replaced by those of other people, drawn
at random.

    distance(person, box) = sum over columns of what it would cost to widen the cell until it holds
                            the known value
    guess   = one row, at random, of the boxes at least distance
    control = any row of the release: 1 / rows

A guess is right if it is the person's own row. Which of the rows that cover the true values that
is, nobody outside can tell, so each is taken to be it with the same chance. Cells that name one
point (`centre`) cover hardly anyone: there, the rows nearest to the truth are taken for the
person's, which makes the figure an upper bound. The gate measures what goes beyond 1 / k, as for
`record-linkage`. Cost: people x groups x columns.

After distance-based linkage as in Domingo-Ferrer & Torra 2001 (Confidentiality, Disclosure and Data
Access, ch. 6); the distance is that of the methods themselves.

By hand: ages from 20 to 70. Somebody is known as 34 and from Oslo. The box `[30, 39]`, Rome would
have to give up the city, which costs 1; `[40, 49]`, Oslo would have to reach down to 34, 6 of 50
years: 0.12. One of its rows is the guess.

When to use it: on any release: it looks for the nearest row, not only for those that fit exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Ints
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.record_linkage import conceded
from shoal.attacks.sight import SEED, Sight
from shoal.errors import RecipeError
from shoal.kernels.attacks.reach import cells_of, nearest
from shoal.screen import fine_percent
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class DistanceLinkage(Attack):
    """Find people whose fields are partly wrong, by distance to the published boxes."""

    name = "distance-linkage"
    gates = "always"
    needs = ("original",)
    stops_it = Sentence(
        "a larger k of the release (20 keeps the chance below 0.05); ",
        "if its k was promised, tell it here: ",
        Set("k", 5),
    )

    wrong: float = 0.1

    def __post_init__(self) -> None:
        if not 0 <= self.wrong <= 1:
            raise RecipeError(
                f"wrong of '{self.name}' must be a share from 0 to 1, not {self.wrong}"
            )

    def _tries(self, material: Material) -> Iterator[Tries]:
        sight = material.insiders
        known = sight.known if material.same_people else self._blurred(sight)
        cells = cells_of(sight.boxes.first, sight.boxes.last)
        counts = nearest(sight.rows.costs, cells, sight.sizes, known, sight.true)
        near = np.maximum(counts[:, 0], 1)
        near_and_true = counts[:, 1]
        true = np.maximum(counts[:, 2], 1)
        blind = np.full(sight.count, 1.0 / max(material.release.table.num_rows, 1))
        if material.same_people:
            what = "as the register has them"
        else:
            what = f"{fine_percent(self.wrong)} of their fields wrong"
        words = f"Looks for the boxes nearest to people, {what}."
        yield Tries(
            near_and_true / true / near, blind, sight.population, words, conceded=conceded(material)
        )

    def _blurred(self, sight: Sight) -> Ints:
        """Replace some fields of each person by those of another person."""
        rng = np.random.Generator(np.random.PCG64(SEED + 1))
        known = sight.known.copy()
        for axis in range(known.shape[1]):
            swap = rng.random(len(known)) < self.wrong
            known[swap, axis] = known[rng.integers(0, len(known), int(swap.sum())), axis]
        return known
