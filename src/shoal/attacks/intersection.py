"""`intersection`: combine what two releases of the same people say.

*The attacker knows* all quasi-identifiers of a person, that the person is in both releases, and
both releases. Each alone may keep every promise; nothing is promised about both.

    each earlier release is held against this one, as `repeated` does with all of them at once
    control = the better of the guesses from one release alone

It never gates: it reports what a further release would cost.

Ganta, Kasiviswanathan & Smith 2008, doi:10.1145/1401890.1401926.

By hand: the rows that fit say flu, flu and asthma in the first release, asthma, asthma and cold in
the second. Votes: flu min(2, 0) = 0, asthma min(1, 2) = 1, cold 0. The guess is asthma; the first
release alone would have said flu.

Cost: people x groups for each release.

When to use it: before a second release of the same people: what both give away together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.attacks.attack import Material, Tries
from shoal.attacks.repeated import Repeated


@dataclass(frozen=True)
class Intersection(Repeated):
    """Guess the value that two releases of the same people agree on."""

    name = "intersection"
    words = (
        "Keeps the values that both releases allow, and is compared with the better release alone."
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        for earlier in material.earlier:
            yield from self._together(material, (earlier,))
