"""`intersection`: combine what two releases of the same people say.

*The attacker knows* all quasi-identifiers of a person, that the person is in both releases, and
both releases. Each alone may keep every promise; nothing is promised about both.

    votes   = for each sensitive value, the lesser of its numbers of rows that fit the person in the
            one and in the other
    guess   = the value with most votes (ties at random)
    control = the better of the guesses from one release alone

It never gates: it reports what a further release would cost. Of several earlier releases, each is
held against this one.

Ganta, Kasiviswanathan & Smith 2008, doi:10.1145/1401890.1401926.

By hand: the rows that fit say flu, flu and asthma in the first release, asthma, asthma and cold in
the second. Votes: flu min(2, 0) = 0, asthma min(1, 2) = 1, cold 0. The guess is asthma; the first
release alone would have said flu.

When to use it: before a second release of the same people: what both give away together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Sight


@dataclass(frozen=True)
class Intersection(Attack):
    """Guess the value that two releases of the same people agree on."""

    name = "intersection"
    needs = ("original", "earlier", "sensitive")
    stops_it = (
        "publish once; or make the next release from the same groups (the same recipe and "
        "seed, without new people)"
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        for earlier in material.earlier:
            other = Sight.of(earlier, material.scored, None, material.most)
            shared = [name for name in material.sensitive if name in earlier.sensitive]
            for column in shared:
                yield self._together(material, other, column)

    def _together(self, material: Material, other: Sight, column: str) -> Tries:
        sight = material.exactly
        said = sight.says(column, material.scored, other.seen)
        also = other.says(column, material.scored, sight.seen)
        alone = max(
            (said.guessed(), also.guessed()),
            key=lambda chances: float(np.mean(chances)) if len(chances) else 0.0,
        )
        words = (
            "Keeps the values that both releases allow, and is compared with the better "
            "release alone."
        )
        return Tries(said.guessed_with(also), alone, sight.population, words, column)
