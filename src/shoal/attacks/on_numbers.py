"""NumbersAttack: the parts that attacks on perturbed numbers share.

A subclass says what it gets out of numbers before and after noise; that the attack is about
distortions, and that it needs their numbers, is said here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from shoal.arrays import Floats
from shoal.attacks.attack import Attack, Gates, Material, Tries
from shoal.attacks.perturbed import Perturbed
from shoal.wording import Sentence, Set

OTHER_NOISE = Sentence(
    "noise that does not follow from row to row: ", Set("method", "correlated-noise")
)


class NumbersAttack(Attack):
    """An attack on a distortion, which gates unless it says otherwise."""

    gates: ClassVar[Gates] = "always"
    needs = ("numbers",)
    flows = ("distort",)

    def _tries(self, material: Material) -> Iterator[Tries]:
        assert material.numbers is not None
        yield self._on(material.numbers)

    @abstractmethod
    def _on(self, numbers: Perturbed) -> Tries:
        """Carry out the attack on numbers before and after noise."""


def cell_tries(
    numbers: Perturbed, right: Floats, blind: Floats, words: str, column: str | None = None
) -> Tries:
    """Put guesses of single cells together, with the number of cells of the whole table."""
    return Tries(right, blind, round(len(right) / numbers.share), words, column)
