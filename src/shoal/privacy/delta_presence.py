"""`delta-presence`: being in the release is neither too likely nor too unlikely.

Nergiz, Atzori, Clifton 2007.

For every group, the share of the people of the population who look like it that are in the release
lies between `low` and `high`. It stops learning that a person is in the table (a list of patients,
say), or that they are not. It does not stop learning their value once that is known. The share in a
union lies between those of the two groups; but the box of a union may reach into a third group, so
safe groups need not stay safe when merged.

| group | rows | people of the population | low = 0, high = 0.5 |
|---|---|---|---|
| `[20, 29]`, Oslo | 2 | 4 | safe |
| `[30, 39]`, Rome | 2 | 3 | not safe |

It is judged beside a table of the population, in which every row of the release must be, and only
where nobody of it looks like two groups: a group that shares people with another is not safe.
Numbers therefore need a hierarchy or tight intervals; snapped ones share their ends. What is
measured is the highest share. People who look like no group are not in the release for certain: the
pair (low, high) speaks of those who look like one.

Source: M. E. Nergiz, M. Atzori, C. Clifton, Hiding the presence of individuals from shared
databases, SIGMOD 2007, doi:10.1145/1247480.1247554.

Cost: people of the population times groups at most, mostly decided by the first column.

When to use it: if it is harmful to be known to be in the table, as in a register of patients. It
needs a table of everyone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.exact import at_most, decimal
from shoal.privacy.population import PopulationModel


@dataclass(frozen=True)
class DeltaPresence(PopulationModel):
    """A share between low and high of the people who look like a group is in the release."""

    name = "delta-presence"
    promise = "high"
    usual = {"low": (0, 0, 0.5), "high": (0.5, 0.05, 1)}
    apart = True
    survives_merging = False
    low: float
    high: float

    def __post_init__(self) -> None:
        self._refuse_unless(0 <= self.low <= 1, "low", "between 0 and 1", 0)
        self._refuse_unless(self.low <= self.high <= 1, "high", "between low and 1", 0.5)

    def safe_among(self, rows: Counts, people: Counts) -> Flags:
        """Compare rows over people with both ends."""
        low = decimal(self.low)
        high = decimal(self.high)
        enough = at_most(people * low.numerator, rows * low.denominator, decimal(1))
        return at_most(rows, people, high) & enough & (people >= rows)

    def measured_among(self, rows: Counts, people: Counts) -> AnyArray:
        """Compute the share of each group; infinite where there are fewer people than rows."""
        return np.where(people >= rows, rows / np.maximum(people, 1), np.inf)

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups presence is too likely or too unlikely."""
        between = f"between {self.low:g} and {self.high:g}"
        present = f"the share of people present is not {between}"
        return f"in {who} {present}, or they share people with others"
