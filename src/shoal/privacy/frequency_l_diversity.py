"""`frequency-l-diversity`: no sensitive value is held by more than one in l rows of a group.

It stops a good guess: whoever finds a person's group names their value rightly with a chance of at
most 1/l. It does not stop surprises: a value that is rare in the table may be held by every l-th
row of a group. The share of a value in a union lies between its shares in the two groups, so safe
groups stay safe when merged. Shares are taken among the rows that have a value, which is never less
than among all: missing values hide nobody. A group in which nobody has a value is not safe, unless
l is 1.

| group | diagnoses | l = 2 |
|---|---|---|
| `[20, 29]`, Oslo | flu, flu, asthma, gout | safe: 2 of 4 |
| `[30, 39]`, Rome | flu, flu, asthma, (missing) | not safe: 2 of 3 |

Source: the form of l-diversity used by M. Last, T. Tassa, A. Zhmudyak, E. Shmueli, Information
Sciences 256 (2014) 138-161.

When to use it: if you want to say `nobody is guessed right with more than 1 in l`. It is the
easiest of the stricter models to explain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import at_most, decimal
from shoal.privacy.model import Model, highest, known


@dataclass(frozen=True)
class FrequencyLDiversity(Model):
    """No sensitive value in more than one of l rows of a group."""

    name = "frequency-l-diversity"
    promise = "l"
    usual = {"l": (2, 1, 10)}
    higher_is_stricter = True
    l: float

    def __post_init__(self) -> None:
        self._refuse_below("l", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: one of l rows needs l rows."""
        return math.ceil(decimal(self.l))

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: a ceiling for each share."""
        return rules.bounds(column, [1 / decimal(self.l)] * column.size, nobody=self.l == 1)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the rows of the most frequent value with one l-th of those with any value."""
        rows = known(counts)
        return at_most(highest(counts), rows, Fraction(1) / decimal(self.l)) & (
            (rows > 0) | (self.l == 1)
        )

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute rows with a value over rows with the most frequent one."""
        return np.maximum(known(counts) / np.maximum(highest(counts), 1), 1.0)

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups a value is too frequent."""
        return f"in {who} more than one of {self.l:g} rows share a value of '{column}'"
