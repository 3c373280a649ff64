"""`homogeneity`: do all rows that fit a person say the same?

*The attacker knows* all quasi-identifiers of a person, and that the person is in the release.

    rows    = the published rows whose cells fit
    guess   = their sensitive value where all share one; else the most frequent value of the whole
            release
    control = the most frequent value of the whole release

Every other gain is left to `skewness`: this attack counts only what is certain. A missing sensitive
value is no value. It gates where a model of the recipe forbids groups of one value (l-diversity,
say); k-anonymity alone does not, and homogeneous groups are then reported. Who knows the kept
columns too sees fewer rows: that is reported, as no model promises anything against it.

Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, doi:10.1145/1217299.1217302.

By hand: the rows that fit one person say flu, flu and flu: the guess is flu, for certain. Those
that fit another say flu, flu and asthma: the guess is that of the control, the most frequent value
of all.

Cost: people x groups, as `record-linkage`.

When to use it: whenever a sensitive column is published: groups that share one value need no
searching.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Flags
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.sight import Said, Sight
from shoal.privacy.model import Model
from shoal.screen import fine_percent
from shoal.wording import Sentence, Set

# How many times as frequent as the others one value may be.
LEANINGS = (1, 2, 3, 4, 6, 9, 15, 30, 100)
# Groups of this many most frequent values are tried, to see which ones a model forbids.
TRIED = 50


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
    """Yield for each sensitive column what is certain about people.

    The attacker knows of `ruled_out` wrong values that they are wrong.
    """
    yield from _certain(material, material.insiders, ruled_out)
    if (kept := material.insiders_kept) is not None:
        for tries in _certain(material, kept, ruled_out):
            words = f"Knows the kept columns too. {tries.words}"
            yield replace(tries, words=words, promised=False, reported=True)


def _certain(material: Material, sight: Sight, ruled_out: int) -> Iterator[Tries]:
    """Yield for each sensitive column what the rows that fit people say for certain."""
    for column in material.sensitive:
        said = sight.says(column, material.scored)
        blind = said.guessed_blindly(ruled_out)
        different = said.tally[:, 1]
        own = said.tally[:, 4]
        sure = (different <= ruled_out + 1) & (own > 0)
        if ruled_out:
            what = "what is left once values are ruled out"
        else:
            what = "what all rows that fit a person say"
        share = sure.mean() if len(sure) else 0.0
        words = f"Believes {what}; {fine_percent(share)} of the people are told so."
        promised = forbidden(material, said, ruled_out + 1)
        population = _population(material, sure, promised=promised)
        yield Tries(np.where(sure, 1.0, blind), blind, population, words, column, promised=promised)


def _population(material: Material, sure: Flags, *, promised: bool) -> int:
    """Count the people of whom those tried are a sample; people without a value are not tried."""
    # Where a model that was recounted on all rows forbids such groups and nobody of the sample is
    # told anything, nobody at all is: without this, rare values would widen the interval beyond
    # all limits.
    nobody_is_told = promised and not sure.any()
    if nobody_is_told or material.insiders.count == material.insiders.population:
        return len(sure)
    return material.insiders.population


def forbidden(material: Material, said: Said, different: int) -> bool:
    """Tell whether a model forbids every group of at most `different` values."""
    models = [
        model
        for model in material.models
        if model.guards(said.column.name) and model.judges == "group"
    ]
    return any(
        _forbids(model, said, different, material.k or 1)
        for model in models
        if not model.lacks(said.column)
    )


def _forbids(model: Model, said: Said, different: int, k: int) -> bool:
    """Tell whether a model refuses all tried groups of the most frequent values.

    In these groups the values are equally frequent, or one is up to 100 times as frequent as the
    others.
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
