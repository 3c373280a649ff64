"""Population: holds how many people there are behind a table, in all and in each group.

It is counted in a file of everyone (`review/population_matches`), or estimated: from a number of
people or a sampling fraction, each group being as large a part of everyone as of the table; or from
weights, which say for how many people each row stands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Floats
from shoal.errors import DataError, RecipeError
from shoal.groups import Groups
from shoal.wording import Option, Sentence

TYPED = "a file of everyone, a number of people (250000) or the fraction that was sampled (0.1)"
MOST_PEOPLE = 10**12  # more than ever lived; estimates overflow above
TAKES = Sentence(Option("population"), f" takes {TYPED}")


@dataclass(frozen=True)
class Population:
    """People in all and behind each group; `counted` tells that they were not estimated."""

    people: int
    sizes: Floats
    counted: bool = False
    shared: Counts | None = None
    """Of those counted behind each group, how many stand behind another one too."""

    @classmethod
    def estimated(cls, groups: Groups, given: int | float) -> Population:
        """Estimate from a number of people (whole), or the sampled fraction (a float up to 1)."""
        refuse_odd(given)
        rows = int(groups.sizes.sum())
        people = given if isinstance(given, int) else min(round(rows / given), MOST_PEOPLE)
        if people < rows:
            raise DataError(
                "the population is smaller than the table", {"people": people, "rows": rows}, TAKES
            )
        return cls(people, groups.sizes.astype(np.float64) * (people / max(rows, 1)))

    @classmethod
    def weighted(cls, groups: Groups, weights: AnyArray) -> Population:
        """Estimate from weights: for how many people each row stands, itself among them."""
        there = groups.labels >= 0
        sizes = np.bincount(groups.labels[there], weights[there], groups.count).astype(np.float64)
        return cls(round(float(sizes.sum())), np.maximum(sizes, groups.sizes))

    @property
    def together(self) -> Population:
        """Return the population behind one group of all rows."""
        return Population(self.people, np.array([float(self.people)]), self.counted)


def refuse_odd(given: int | float) -> None:
    """Refuse what is neither a number of people nor a fraction of them."""
    least = 1 if isinstance(given, int) else 1 / MOST_PEOPLE
    most = MOST_PEOPLE if isinstance(given, int) else 1
    fits = least <= given <= most
    if isinstance(given, bool) or not fits:
        raise RecipeError(f"population can't be {given}", remedy=TAKES)


def read(text: str) -> int | float | str:
    """Read what was typed: a number of people, a fraction, or the name of a file.

    >>> read("250000"), read("0.1"), read("everyone.csv")
    (250000, 0.1, 'everyone.csv')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
