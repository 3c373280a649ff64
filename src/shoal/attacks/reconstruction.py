"""`reconstruction`: solve overlapping distributions, as linear equations, for everyone's value.

*The attacker knows* the quasi-identifiers of all people in the table, and the method (see
`overlapped`).

    each row tells how often each value occurs among some records: an equation for each value
    own        = the most frequent value of the row that was grown around the person, where the
               method shows which it is
    votes      = what the rows that speak about the person tell, each counted the less the more
               people it speaks about
    equations  = least squares over all rows and all people; the largest component is the guess
    shares     = the same where everybody's components are shares that add up to 1

All are tried, and the best of them counts: an attacker could not be sure which it is. The control
guesses the most frequent value of all. Distributions over overlapping sets are what Dinur & Nissim
(2003, doi:10.1145/773153.773173) showed to be solvable: neither k nor l bounds what this attack
gets. It gates: right for more than max(1 / l, share of the most frequent value) + 0.05, and nothing
is published. With l = 1 nothing was promised about sensitive values, and it reports.

Cost: 800 passes over all members at most. Where members times values exceed FIGURES, votes alone
are tried: sets that large tell little more than the frequencies of the table.

By hand: one row speaks about Ada and Bea and says one flu, one cold; another about Bea and Cem and
says two flu. So Bea and Cem have flu, and the cold is left for Ada: two distributions, three people
known.

When to use it: on releases of overlap methods (`nsvdist`), whose rows publish distributions of
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Ints
from shoal.attacks.attack import Attack, Finding, Material, Tries
from shoal.attacks.overlapped import Overlapped, Told
from shoal.kernels.attacks.equations import regress, spread, within
from shoal.screen import fine_percent
from shoal.wording import Sentence, Set

FIGURES = 50_000_000  # members times values: some ten seconds


@dataclass(frozen=True)
class Reconstruction(Attack):
    """Solve overlapping distributions for everyone's sensitive value."""

    name = "reconstruction"
    gates = "where promised"
    needs = ("overlapped",)
    flows = ("overlap",)
    stops_it = Sentence(
        "a higher l, and a sampled value for each row instead of a distribution: ",
        Set("method", "nsvdist:l=3,values=sampled"),
    )

    def _findings(self, material: Material) -> Iterator[Finding]:
        assert material.overlapped is not None
        for name, told in material.overlapped.told.items():
            if not (told.truth < told.shares.shape[1]).any():
                yield self._impossible("Nobody has a value that could be guessed.", name)
                continue
            yield self._of_column(
                name, guesses(material.overlapped, told), told, material.overlapped.l
            )

    def _tries(self, material: Material) -> Iterator[Tries]:
        yield from ()

    def _of_column(self, name: str, guessed: dict[str, Ints], told: Told, l: int) -> Finding:
        there = told.truth < told.shares.shape[1]
        truth = told.truth[there]
        usual = float(np.bincount(truth).max() / len(truth))
        right = {how: float(np.mean(guess[there] == truth)) for how, guess in guessed.items()}
        best = max(right, key=lambda how: right[how])
        conceded = max(1 / l, usual)
        tried = ", ".join(f"{fine_percent(share)} by {how}" for how, share in right.items())
        words = (
            f"Knows all quasi-identifiers and the method: right about {tried}; "
            f"{fine_percent(usual)} by the most frequent value."
        )
        gained = (right[best] - usual) / (1 - usual) if usual < 1 else 0.0
        return Finding(
            name=self.name,
            column=name,
            gates=l > 1,
            trials=len(truth),
            attack=right[best],
            control=usual,
            advantage=gained,
            low=gained,
            high=gained,
            conceded=conceded,
            beyond=right[best] - conceded,
            words=words,
            stops_it=self.stops_it,
        )


def guesses(known: Overlapped, told: Told) -> dict[str, Ints]:
    """Guess the value of every record, in each way that is open."""
    unit_of = np.arange(len(told.truth), dtype=np.int32) if known.unit_of is None else known.unit_of
    times = np.bincount(unit_of).astype(np.float64)
    spoken_of = np.add.reduceat(times[known.members], known.starts[:-1])
    whole = told.shares * spoken_of[:, None]
    prior = whole.sum(axis=0) / max(whole.sum(), 1e-300)
    guessed: dict[str, Ints] = {}
    if known.own is not None:
        guessed["own row"] = _largest(told.shares[known.own] + 1e-9 * prior)
    votes = np.empty((len(times), told.shares.shape[1]))
    spread(known.starts, known.members, told.shares / spoken_of[:, None], votes)
    guessed["votes"] = _largest(votes + 1e-9 * prior)[unit_of]
    if len(known.members) * len(prior) <= FIGURES:
        system = (known.starts, known.members, times, whole, np.tile(prior, (len(times), 1)))
        guessed["equations"] = _largest(regress(*system))[unit_of]
        guessed["shares"] = _largest(within(*system))[unit_of]
    return guessed


def _largest(scores: Floats) -> Ints:
    return scores.argmax(axis=1).astype(np.int32)
