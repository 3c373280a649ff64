"""Distortion: the parts that all ways to perturb numbers share.

Validation lives here, once.

A distortion begins with the shape of the whole table and then takes its rows part by part, in
order: so tables larger than memory are perturbed as small ones are. With one seed, other parts
change nothing but the last digits of sums, and the groups of `microaggregated-noise`; `parts` sees
to it that they are the same wherever a table comes from.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from shoal.arrays import Floats
from shoal.distortions.chance import Chance
from shoal.distortions.shape import Shape
from shoal.errors import RecipeError, ShoalError
from shoal.groups import Note

MOST = 10  # times the range
ARCSINE_VARIANCE = 1 / 8  # of noise between -0.5 and 0.5 that follows the arcsine law


@dataclass
class Stream:
    """A distortion at work: rows in, perturbed rows out, in the order of the table."""

    perturb: Callable[[Floats], Floats]
    # For the private certificate, when all is done.
    notes: Callable[[], tuple[Note, ...]] = field(default=lambda: ())

    def more(self, values: Floats) -> Floats:
        """Perturb the next rows; missing values stay missing."""
        perturbed = self.perturb(values)
        if perturbed.shape != values.shape or not np.array_equal(
            np.isnan(perturbed), np.isnan(values)
        ):
            raise ShoalError("a distortion lost a value", {"published": "nothing"})
        return perturbed


@dataclass(frozen=True)
class Distortion(ABC):
    """A way to perturb numbers. Its parameters are the fields of a frozen dataclass, with defaults.

    `scale` says how much: at 0.1, noise reaches five hundredths of a column's range to either side,
    or has the variance of noise that does. A missing value stays missing, and a column of one value
    stays as it is: noise needs a range.
    """

    name: ClassVar[str]
    """The name that users type."""
    scale: float = 0.1

    @property
    def orbit_parameter(self) -> float:
        """The parameter r of the logistic map by which an attacker follows its noise."""
        return 4.0

    def __post_init__(self) -> None:
        if not 0 < self.scale <= MOST:
            problem = (
                f"scale of '{self.name}' must be above 0 and at most {MOST}, not {self.scale:g}"
            )
            raise RecipeError(problem, remedy=f"{self.name}:scale=0.1")

    def distort(self, values: Floats, chance: Chance) -> Floats:
        """Perturb a whole table `[rows, columns]`, NaN being missing."""
        return self.begin(Shape.of([values]), chance).more(values)

    @abstractmethod
    def begin(self, shape: Shape, chance: Chance) -> Stream:
        """Start the work on a table of this shape."""
