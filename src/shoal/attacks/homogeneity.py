"""`homogeneity`: do all rows that fit a person say the same?

*The attacker knows* all quasi-identifiers of a person, and that the person is in the release.

    rows    = the published rows whose cells fit
    guess   = their sensitive value where all share one; else the most frequent value of the whole
            release
    control = the most frequent value of the whole release

Every other gain is left to `skewness`: this attack counts only what is certain. A missing sensitive
value is no value. It gates where a model of the recipe forbids groups of one value (l-diversity,
say); k-anonymity alone does not, and homogeneous groups are then reported.

Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, doi:10.1145/1217299.1217302.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Said
from shoal.privacy.model import Model
from shoal.wording import Sentence, Set

LEANINGS = (
    1,
    2,
    3,
    4,
    6,
    9,
    15,
    30,
    100,
)  # times as frequent as the others, which one value may be
TRIED = 50  # of the most frequent values: which groups a model forbids is asked of these


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Learn a value for certain, where all rows that fit a person share it."""

    name = "homogeneity"
    gates = "where promised"
    needs = ("original", "sensitive")
    at_release = True
    stops_it = Sentence("ask for variety: ", Set("models", ["l-diversity:l=2"]), " or more")

    def _tries(self, material: Material) -> Iterator[Tries]:
        yield from certain(material, 0)


def certain(material: Material, ruled_out: int) -> Iterator[Tries]:
    """For each sensitive column: what is certain once so many wrong values are known to be
    wrong.
    """
    for column in material.sensitive:
        said = material.insiders.says(column, material.scored)
        blind = said.guessed_blindly(ruled_out)
        different = said.tally[:, 1]
        own = said.tally[:, 4]
        sure = (different <= ruled_out + 1) & (own > 0)
        what = (
            "what is left once values are ruled out"
            if ruled_out
            else "what all rows that fit a person say"
        )
        words = (
            f"Believes {what}; {sure.mean() if len(sure) else 0.0:.3f} of the people are told so."
        )
        promised = forbidden(material, said, ruled_out + 1)
        # people without a value are nobody's target; and where a model that was recounted on all
        # rows forbids such groups
        # and nobody of the sample is told anything, nobody is: else rare values would widen the
        # interval beyond all limits
        everybody = material.insiders.count == material.insiders.population or (
            promised and not sure.any()
        )
        population = len(sure) if everybody else material.insiders.population
        yield Tries(np.where(sure, 1.0, blind), blind, population, words, column, promised=promised)


def forbidden(material: Material, said: Said, different: int) -> bool:
    """Whether some model calls every group of so few different values unsafe, however frequent
    these are.
    """
    models = [
        model for model in material.models if model.needs_sensitive and model.judges == "group"
    ]
    return any(
        _forbids(model, said, different, material.k or 1)
        for model in models
        if not model.lacks(said.column)
    )


def _forbids(model: Model, said: Said, different: int, k: int) -> bool:
    """Asked of groups of the most frequent values of the table: as frequent as each other, or one
    of them far more.
    """
    values = np.argsort(-said.whole, kind="stable")[:TRIED]
    if len(values) < different:
        return False
    counts = np.zeros((len(values) * len(LEANINGS), len(said.whole) + 1), np.int64)
    for place in range(len(counts)):
        chosen = np.roll(values, -(place % len(values)))[:different]
        counts[place, chosen] = k
        counts[place, chosen[0]] = k * LEANINGS[place // len(values)]
    return not bool(model.safe(counts, said.column).any())
