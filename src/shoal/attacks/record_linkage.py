"""`record-linkage`: whose row is it? People of a register are looked up in the published boxes.

*The attacker knows* the quasi-identifiers of a person (all of them, or those that a register holds;
an empty field is not known), and that the person is in the release.

    candidates = the published rows whose cells fit what is known
    guess      = one of them, at random: right with a chance of 1 / candidates
    control    = any row of the release: 1 / rows

Everyone's own row is among the candidates, because boxes cover their rows; a person of an outside
register who is not in the release counts as if, so the figure is then an upper bound. k-anonymity
concedes a chance of 1 / k: the gate measures what goes beyond it. Who knows the kept columns of a
person too is left with fewer rows: a second finding, which does not gate. Cost: people x groups,
mostly decided by the first column.

Sweeney 2002, doi:10.1142/S0218488502001648.

By hand: somebody is 34 and lives in 10117. Four of 300 published rows say `[30, 39]` and `101**`,
no other fits: a guess is right with a chance of 1/4, without the release 1/300. At k = 4 that is
what was conceded.

When to use it: on every release: the plain attack, whose success k limits to 1 in k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Longs
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Sight
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class RecordLinkage(Attack):
    """Find people of a register among the published rows that fit them."""

    name = "record-linkage"
    gates = "always"
    needs = ("people",)
    flows = ("groups", "overlap")
    at_release = True
    stops_it = Sentence(
        "a larger k of the release (20 keeps the chance below 0.05); ",
        "if its k was promised, tell it here: ",
        Set("k", 5),
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        words = "Looks people up among the published rows."
        yield _tried(material, material.targets, words)
        if material.flow == "groups" and (kept := material.targets_kept) is not None:
            words = "Looks people up among the published rows, and knows their kept columns too."
            yield replace(_tried(material, kept, words), reported=True)


def _tried(material: Material, sight: Sight, words: str) -> Tries:
    """Guess one of the rows that fit each person."""
    rows = max(material.release.table.num_rows, 1)
    chance = np.where(sight.candidates > 0, 1.0 / np.maximum(sight.candidates, 1), 0.0)
    blind = np.full(sight.count, 1.0 / rows)
    words = f"{words} The fewest that someone fits: {fewest(sight.candidates):,}."
    return Tries(chance, blind, sight.population, words, conceded=conceded(material))


def conceded(material: Material) -> float:
    """Return the chance of being found that the release promises."""
    return 1.0 / material.k if material.k else 0.0


def fewest(candidates: Longs) -> int:
    """Return the least number of rows that anyone who fits somewhere may be."""
    there = candidates[candidates > 0]
    return int(there.min()) if len(there) else 0
