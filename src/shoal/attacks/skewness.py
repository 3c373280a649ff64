"""`skewness`: compare guesses from the rows that fit a person with those from the whole table.

*The attacker knows* all quasi-identifiers of a person, and that the person is in the release.

    guess   = the most frequent sensitive value among the rows that fit (ties at random)
    control = the most frequent value of the whole release

This is the best guess there is, and so holds what `homogeneity` finds. A person's own row is among
those that fit: in groups of k it alone is worth up to 1 / k. Even groups that keep l-diversity may
be skewed: a value of 1 row in 100 that is half of a group has become fifty times as likely. The
words give the largest such step. It never gates: no model promises that a guess gains nothing.

Li, Li & Venkatasubramanian 2007, doi:10.1109/ICDE.2007.367856.

By hand: the rows that fit say flu, flu and cold: the guess is flu, right for two of the three
people. The most frequent value of the release is cold: the control is right for one of them.

Cost: people x groups, as `record-linkage`.

When to use it: whenever a sensitive column is published: how much a group shifts what is believed
of a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Said
from shoal.screen import fine_percent
from shoal.wording import Remedy, Sentence, Set


@dataclass(frozen=True)
class Skewness(Attack):
    """Guess the value that is most frequent among the rows that fit a person."""

    name = "skewness"
    needs = ("original", "sensitive")
    stops_it = Remedy(
        Sentence("keep groups close to the table: ", Set("models", ["t-closeness:t=0.2"])),
        "a larger k",
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        for column in material.sensitive:
            said = material.insiders.says(column, material.scored)
            before, after = _largest_step(said)
            words = (
                "Guesses what most rows that fit say. The largest step of one value is from "
                f"{fine_percent(before)} to {fine_percent(after)} of the rows."
            )
            yield Tries(
                said.guessed(), said.guessed_blindly(), material.insiders.population, words, column
            )


def _largest_step(said: Said) -> tuple[float, float]:
    """Find the true value whose share rises most: its share in the table, and in rows that fit."""
    if not len(said.truth):
        return 0.0, 0.0
    before = said.whole[said.truth] / max(int(said.whole.sum()), 1)
    after = said.tally[:, 4] / np.maximum(said.tally[:, 0], 1)
    most = int(np.argmax(after - before))
    return float(before[most]), float(after[most])
