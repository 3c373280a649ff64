"""`repeated`: combine what any number of releases of the same people say.

*The attacker knows* all quasi-identifiers of a person, and all releases that the person is in. Each
alone may keep every promise; what they promise together is what a ledger judges.

    votes   = for each sensitive value, the least of its numbers of rows that fit the person, over
            all releases. One that agrees on no value with the others is left out: the person is not
            in it, or the value has changed
    guess   = the value with most votes (ties at random)
    control = the best of the guesses from one release alone

It never gates: it reports what a further release would cost.

Ganta, Kasiviswanathan & Smith 2008, doi:10.1145/1401890.1401926, for two releases.

By hand: the rows that fit say flu, flu, asthma in the first release, asthma, cold, cold in the
second, flu, asthma, gout in the third. Votes: flu min(2, 0, 1) = 0, asthma min(1, 1, 1) = 1, all
others 0. The guess is asthma, which no release alone would have told.

Cost: people x groups for each release.

When to use it: before a third, fourth or twelfth release of the same people: what all of them give
away together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Seen, Sight


@dataclass(frozen=True)
class Repeated(Attack):
    """Guess the value that all releases of the same people agree on."""

    name = "repeated"
    needs = ("original", "earlier", "sensitive")
    stops_it = (
        "publish with a ledger that guards all releases, or keep people in the groups they were "
        "published in (sticky)"
    )
    words: ClassVar[str] = (
        "Keeps the values that all releases allow, and is compared with the best release alone."
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        yield from self._together(material, material.earlier)

    def _together(self, material: Material, earlier: tuple[Seen, ...]) -> Iterator[Tries]:
        """Hold some releases against this one, for each sensitive column that they share."""
        sights = [material.exactly]
        sights += [Sight.of(seen, material.scored, None, material.most) for seen in earlier]
        for column in material.sensitive:
            telling = [sight for sight in sights if column in sight.seen.sensitive]
            if len(telling) > 1:
                yield self._agreed(material, telling, column)

    def _agreed(self, material: Material, sights: list[Sight], column: str) -> Tries:
        releases = [sight.seen for sight in sights]
        said = [
            sight.says(
                column, material.scored, *(seen for seen in releases if seen is not sight.seen)
            )
            for sight in sights
        ]
        together = said[0]
        for other in said[1:]:
            together = together.agreed_with(other)
        people = len(together.truth)
        control = _best([each.guessed()[:people] for each in said])
        population = sights[0].population
        return Tries(together.guessed(), control, population, self.words, column)


def _best(chances: list[Floats]) -> Floats:
    """Choose the release whose guesses are right most often."""
    if not len(chances[0]):
        return chances[0]
    return max(chances, key=lambda each: float(np.mean(each)))
