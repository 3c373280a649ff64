"""`background-knowledge`: learn a value for certain once some others are known to be wrong.

*The attacker knows* all quasi-identifiers of a person, that the person is in the release, and so
many (`values`) sensitive values that the person does not have: of those that would otherwise be
guessed, the most frequent.

    guess   = the value that is left among the rows that fit, where only one is; else as the control
            does
    control = the most frequent value of the whole release that is not ruled out

l-diversity resists l - 2 such values. It gates where a model of the recipe forbids groups of so few
different values.

Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam 2007, doi:10.1145/1217299.1217302.

By hand: the rows that fit say flu, flu and asthma, and the attacker knows that the person has no
flu: asthma is left, for certain. Where they say flu, asthma and cold, two are left, and the guess
is that of the control.

Cost: people x groups, as `record-linkage`.

When to use it: to see what someone who knows a value that a person does not have can rule out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.homogeneity import certain
from shoal.errors import RecipeError
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class BackgroundKnowledge(Attack):
    """Learn a value for certain, once some others are known to be wrong."""

    name = "background-knowledge"
    gates = "where promised"
    needs = ("original", "sensitive")
    at_release = True
    stops_it = Sentence(
        "ask for more variety: ",
        Set("models", ["l-diversity:l=3"]),
        " resists one value ruled out, l=4 two",
    )

    values: int = 1

    def __post_init__(self) -> None:
        if self.values < 0:
            raise RecipeError(f"values of '{self.name}' must be at least 0, not {self.values}")

    def _tries(self, material: Material) -> Iterator[Tries]:
        yield from certain(material, self.values)
