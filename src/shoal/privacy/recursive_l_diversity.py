"""`recursive-l-diversity`: no value is too frequent beside the rare ones.

Machanavajjhala et al. 2007.

With the counts of a group's values in descending order, r1 < c * (r_l + r_(l+1) + ... + r_m). It
stops a guess that rules out l - 2 values and still finds one that stands out: c bounds how much. It
does not stop surprises: a value that is rare in the table may be frequent in a group. The l - 1
most frequent values of a union hold at most as many rows as those of both groups, so its tail is at
least both tails together, and r1 at most the sum of both: safe groups stay safe when merged.
Missing values are counted on neither side.

| group | diagnoses | c = 2, l = 2 | c = 2, l = 3 |
|---|---|---|---|
| `[20, 29]`, Oslo | flu 3, asthma 2, gout 1 | safe: 3 < 2 * 3 | not safe: 3 > 2 * 1 |
| `[30, 39]`, Rome | flu 3, (missing) 9 | not safe: no tail | not safe |

Source: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: privacy beyond
k-anonymity, TKDD 1(1) 2007, doi:10.1145/1217299.1217302. What is measured is the bound that c must
exceed for the given l; audits measure it for l = 2.

When to use it: if an attacker may rule out some values by other means: what is left must still be
mixed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import at_most, decimal
from shoal.privacy.model import Model, highest


@dataclass(frozen=True)
class RecursiveLDiversity(Model):
    """The most frequent value in fewer rows than c times the l-th and all rarer values have."""

    name = "recursive-l-diversity"
    promise = "c"
    usual = {"c": (3, 0.1, 10), "l": (3, 1, 10)}
    c: float
    l: int

    def __post_init__(self) -> None:
        self._refuse_unless(self.c > 0, "c", "above 0", 2)
        self._refuse_below("l", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: l values need l rows."""
        return self.l

    @classmethod
    def unpromised(cls) -> RecursiveLDiversity:
        """Measure against an attacker who rules one value out."""
        return cls(c=1, l=2)

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels."""
        return rules.tail(column, decimal(self.c), self.l)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the most frequent value with the tail."""
        return at_most(highest(counts), self._tail(counts), decimal(self.c), below=True)

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute what c must exceed: the most frequent value over the tail.

        Infinite without a tail.
        """
        tail = self._tail(counts)
        return np.where(tail > 0, highest(counts) / np.maximum(tail, 1), np.inf)

    def feasible(self, measured: float) -> str | None:
        """Spell a promise a little above what was measured, because c must exceed it."""
        return super().feasible(measured * 1.001)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups are too uneven."""
        those = f"{self.c:g} times as frequent as all from the {self.l}. on together"
        return f"in {who} one value of '{column}' is {those}"

    def _tail(self, counts: Counts) -> Counts:
        falling = -np.sort(-counts[:, :-1], axis=1)
        return falling[:, self.l - 1 :].sum(axis=1)
