"""`beta-likeness`: in no group is a value much more frequent than in the table (Cao & Karras 2012).

For every value whose share q in a group exceeds its share p in the table, the relative gain (q - p)
/ p is at most beta (`form=basic`), or at most the smaller of beta and -ln p (`form=enhanced`),
which binds frequent values tighter. It stops learning that a person probably has a value that few
have, where a difference of shares would look small. It does not stop learning that someone does
*not* have a value: losses are free. Each bound is a ceiling on a share, and the share in a union
lies between those of the two groups, so safe groups stay safe when merged. Shares are taken among
the rows that have a value; a group in which nobody has one shows no gain and is safe: it tells of
nobody that they have a value.

| value | in the table | in a group | gain | beta = 1, basic | enhanced |
|---|---|---|---|---|---|
| HIV | 0.02 | 0.05 | 1.5 | not safe | not safe |
| flu | 0.4 | 0.78 | 0.95 | safe | not safe: -ln 0.4 = 0.916 |

Verdicts are exact in whole numbers; -ln p is known to fifty digits, and what lies between its
bounds counts as not safe.

Source: J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11) 2012.

When to use it: if some values are rare and harmful: a small rise of a rare value counts as much as
a large rise of a frequent one.
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
from shoal.privacy.exact import at_most, decimal, ln
from shoal.privacy.model import Model, known


@dataclass(frozen=True)
class BetaLikeness(Model):
    """No value in any group more frequent than in the table by a relative gain above beta."""

    name = "beta-likeness"
    promise = "beta"
    usual = {"beta": (2, 0.1, 10)}
    beta: float
    form: Literal["basic", "enhanced"] = "basic"

    def __post_init__(self) -> None:
        self._refuse_unless(self.beta > 0, "beta", "above 0", 1)
        self._refuse_unless(
            self.form in ("basic", "enhanced"), "form", "basic or enhanced", "basic"
        )

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: a ceiling for each share."""
        totals = column.totals[:-1]
        shares = [Fraction(int(total), max(int(totals.sum()), 1)) for total in totals]
        gains = np.ones(len(shares), object)  # a value that nobody has can gain nothing
        gains[totals > 0] = self._bounds(totals[totals > 0])
        return rules.bounds(
            column, [share * gain for share, gain in zip(shares, gains, strict=True)], nobody=True
        )

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the gain of each value in each group with its bound: q / p <= 1 + bound."""
        parts, wholes, there = _shares(counts, column)
        return np.all(at_most(parts, wholes, self._bounds(column.totals[:-1][there])), axis=1)

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the largest gain in each group.

        In the enhanced form it is infinite where a gain exceeds -ln p, whatever beta.
        """
        parts, wholes, there = _shares(counts, column)
        gains = np.maximum((parts - wholes) / np.maximum(wholes, 1), 0.0).max(axis=1, initial=0.0)
        if self.form == "basic":
            return gains
        lowest = [bound + 1 for bound in _surprises(column.totals[:-1][there])]
        return np.where(at_most(parts, wholes, np.array(lowest, object)).all(axis=1), gains, np.inf)

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups a value gains too much."""
        gained = f"gains more than {self.beta:g} over its share in the table"
        return f"in {who} a value of '{column}' {gained}"

    def _bounds(self, totals: Counts) -> AnyArray | Fraction:
        beta = decimal(self.beta)
        if self.form == "basic":
            return 1 + beta
        return np.array([1 + min(beta, bound) for bound in _surprises(totals)], object)


def _shares(counts: Counts, column: Column) -> tuple[Counts, Counts, Flags]:
    """Compute q / p of each value that occurs, as numerators and denominators."""
    there = column.totals[:-1] > 0
    parts = counts[:, :-1][:, there] * column.totals[:-1].sum()
    return parts, column.totals[:-1][there] * known(counts)[:, None], there


def _surprises(totals: Counts) -> list[Fraction]:
    """Compute -ln p of each value, from below."""
    rows = int(totals.sum())
    return [-ln(Fraction(int(total), rows))[1] if total < rows else Fraction(0) for total in totals]
