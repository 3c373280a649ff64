"""`nearest-record`: find people by the published row nearest to their original values.

*The attacker knows* the original values of many people in other words (a register), and looks for
the published row of each.

    guess = the published row that lies nearest, every column on its range from 0 to 1
    control = any row

Noise that keeps clusters keeps neighbours too: small noise is no protection against somebody who
has the values, and the rate is high even for noise that nothing can take off. So it is reported and
does not gate. Cost: people times rows.

By hand: ages from 0 to 100. Somebody of 40 is looked for among rows published as 38, 45 and 70: the
first is nearest, 0.02 of the range away, and is the guess. The control is right once in three
times.

When to use it: on perturbed numbers: how often a person is found by nearness alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.attacks.attack import Tries
from shoal.attacks.on_numbers import NumbersAttack
from shoal.attacks.perturbed import Perturbed
from shoal.wording import Call, Sentence

PEOPLE = 1_000


@dataclass(frozen=True)
class NearestRecord(NumbersAttack):
    """Find people by the published row nearest to their original values."""

    name = "nearest-record"
    gates = "never"
    stops_it = Sentence("a larger scale, or k-anonymity in place of noise: ", Call("anonymize"))

    def _on(self, numbers: Perturbed) -> Tries:
        truth = np.nan_to_num(numbers.truth, nan=0.5)
        seen = numbers.filled
        rows = len(seen)
        people = np.sort(
            np.random.default_rng(1).permutation(rows)[: PEOPLE if numbers.varies.any() else 0]
        )
        squares = (seen * seen).sum(axis=1)
        nearest = np.array(
            [int(np.argmin(squares - 2 * seen @ truth[person])) for person in people]
        )
        hits = (nearest == people).astype(np.float64)
        words = "Looks for the published row nearest to each person's original values."
        return Tries(hits, np.full(len(people), 1.0 / rows), rows, words)
