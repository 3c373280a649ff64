"""`entropy-l-diversity`: values of a group are as uncertain as l equally frequent ones.

Machanavajjhala et al. 2007.

The entropy of the shares q of a group's values is at least ln l: - sum q ln q >= ln l. It stops
groups in which one value stands out too much, all values counting. It does not stop a good guess
where many rare values make up for a frequent one. The table itself must be that uncertain, so an
uneven column allows a small l only. Entropy is concave: that of a union is at least that of the
less uncertain group, so safe groups stay safe when merged. Shares are taken among the rows that
have a value; a group in which nobody has one is not safe, unless l is 1.

| group | diagnoses | as uncertain as | l = 2 |
|---|---|---|---|
| `[20, 29]`, Oslo | flu 1, asthma 1 | 2 | safe |
| `[30, 39]`, Rome | flu 2, asthma 1 | 1.89 | not safe |

Verdicts are exact: with n rows and counts c, the entropy is at least ln l where n^n >= l^n *
product of c^c. Floats decide where they are sure, bounds of fifty digits where those are, and these
whole numbers everywhere else.

Source: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: privacy beyond
k-anonymity, TKDD 1(1) 2007, doi:10.1145/1217299.1217302.

When to use it: if groups must be as uncertain as l equally frequent values, not merely hold l of
them. The table itself must be that uncertain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags, Floats
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import SURE, decimal, ln
from shoal.privacy.model import Model, known


@dataclass(frozen=True)
class EntropyLDiversity(Model):
    """Values in every group at least as uncertain as l equally frequent ones."""

    name = "entropy-l-diversity"
    promise = "l"
    usual = {"l": (2, 1, 10)}
    higher_is_stricter = True
    l: float

    def __post_init__(self) -> None:
        self._refuse_below("l", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: l values need l rows."""
        return math.ceil(decimal(self.l))

    def rule(self, column: Column) -> Rule | None:
        """Return the rule for kernels, in rounded logarithms."""
        return rules.uncertain(column, decimal(self.l))

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the entropy of each group with ln l."""
        over = _entropies(counts) - math.log(self.l)
        verdicts: Flags = over > 0
        for group in np.flatnonzero(np.abs(over) <= SURE):
            verdicts[group] = _reaches(
                [int(count) for count in counts[group, :-1] if count], decimal(self.l)
            )
        return verdicts

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the number of equally frequent values that are as uncertain.

        1 where nobody has a value.
        """
        return np.exp(_entropies(counts))

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups values are too certain."""
        return f"in {who} '{column}' is less uncertain than {self.l:g} equally frequent values"


def _entropies(counts: Counts) -> Floats:
    """Compute ln n - (sum of c ln c) / n, over the rows with a value."""
    rows = np.maximum(known(counts), 1)
    logs = (counts[:, :-1] * np.log(np.maximum(counts[:, :-1], 1))).sum(axis=1)
    return np.maximum(np.log(rows) - logs / rows, 0.0)


def _reaches(counts: list[int], l: Fraction) -> bool:
    """Tell if n^n >= l^n * product of c^c: by bounds if these decide, else by the numbers.

    Entropy knows shares alone, so a common divisor is left out first: many a tie becomes small.
    """
    if not counts:
        return l == 1
    divisor = math.gcd(*counts)
    counts = [count // divisor for count in counts]
    rows = sum(counts)
    logs = {count: ln(Fraction(count)) for count in {*counts, rows}}
    low = rows * logs[rows][0] - sum(count * logs[count][1] for count in counts)
    high = rows * logs[rows][1] - sum(count * logs[count][0] for count in counts)
    wanted = ln(l)
    if low >= rows * wanted[1] or high < rows * wanted[0]:
        return low >= rows * wanted[1]
    return (rows * l.denominator) ** rows >= l.numerator**rows * math.prod(
        count**count for count in counts
    )
