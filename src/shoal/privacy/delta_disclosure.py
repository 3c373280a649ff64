"""`delta-disclosure`: no share in a group is far from that in the table, in either direction.

Brickell & Shmatikov 2008.

For every value of the table, |ln(q / p)| < delta, natural logarithm, q its share in the group and p
in the table. It stops learning much about any value, be it that someone has it or that they do not.
It does not stop learning what the table itself tells of everybody. It is the strictest of its kind:
a value that a group lacks altogether has q = 0, whose logarithm is infinite, so every group must
hold every value. That is `absent=violation`. `absent=skip` passes over values that a group lacks,
as other software does (ARX also takes logarithms to the base 2: its delta is ours divided by ln 2):
weaker, and it says nothing about who lacks what.

Under `absent=violation` each bound is a floor or a ceiling on a share, and the share in a union
lies between those of the two groups, so safe groups stay safe when merged. Under `skip` they need
not: a value absent in one group and just frequent enough in another is too rare in their union.
Shares are taken among the rows that have a value; a group in which nobody has one lacks them all.

| value | in the table | in a group | abs ln(q / p) | delta = 0.7 |
|---|---|---|---|---|
| flu | 0.5 | 0.75 | 0.405 | safe |
| gout | 0.5 | 0.25 | 0.693 | safe |
| HIV | 0.1 | 0 | infinite | not safe; skipped: safe |

Verdicts compare q / p with e^delta, known to fifty digits; what lies between its bounds counts as
not safe.

Source: J. Brickell, V. Shmatikov, The cost of privacy, KDD 2008, doi:10.1145/1401890.1401904.

When to use it: if nothing at all may be learnt, in either direction. Expect a high loss; try
`t-closeness` and `beta-likeness` first.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import at_most, decimal, exp
from shoal.privacy.model import Model, known


@dataclass(frozen=True)
class DeltaDisclosure(Model):
    """Every value's share in a group within a factor e^delta of that in the table."""

    name = "delta-disclosure"
    promise = "delta"
    usual = {"delta": (1, 0.1, 5)}
    delta: float
    absent: Literal["violation", "skip"] = "violation"

    def __post_init__(self) -> None:
        self._refuse_unless(0 < self.delta <= 700, "delta", "above 0 (and at most 700)", 1)
        self._refuse_unless(
            self.absent in ("violation", "skip"), "absent", "violation or skip", "violation"
        )

    @property
    def survives_merging(self) -> bool:  # type: ignore[override]
        """False where absent values are skipped."""
        return self.absent == "violation"

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: a floor and a ceiling for each share."""
        totals = column.totals[:-1]
        most, _ = exp(decimal(self.delta))
        shares = [Fraction(int(total), max(int(totals.sum()), 1)) for total in totals]
        high = [share * most for share in shares]
        low = [share / most for share in shares]
        return rules.bounds(column, high, low, all_must_occur=self.absent == "violation")

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare q / p and p / q of each value in each group with e^delta."""
        inside, outside, passed = self._ratios(counts, column)
        most, _ = exp(decimal(self.delta))
        near = at_most(inside, outside, most, below=True) & at_most(
            outside, inside, most, below=True
        )
        return (near | passed).all(axis=1) & (known(counts) > 0)

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the largest |ln(q / p)| in each group, which delta must exceed.

        It is infinite where a value is absent and not skipped.
        """
        inside, outside, passed = self._ratios(counts, column)
        ratios = np.maximum(inside, outside) / np.maximum(np.minimum(inside, outside), 1)
        distances = np.where(
            passed, 0.0, np.where(inside > 0, np.log(np.maximum(ratios, 1.0)), np.inf)
        ).max(axis=1, initial=0.0)
        return np.where(known(counts) > 0, distances, np.inf)

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups a share is too far from the table's."""
        apart = f"{self.delta:g} or more from the table's, in logarithms"
        return f"in {who} a share of '{column}' is {apart}"

    def _ratios(self, counts: Counts, column: Column) -> tuple[Counts, Counts, Flags]:
        """Return numerators of q and p over one denominator, and which values are skipped."""
        there = column.totals[:-1] > 0
        inside = counts[:, :-1][:, there] * column.totals[:-1].sum()
        outside = column.totals[:-1][there] * known(counts)[:, None]
        return inside, outside, (inside == 0) & (self.absent == "skip")
