"""`alpha-k`: no sensitive value is held by more than a share alpha of a group.

Wong et al. 2006, doi:10.1145/1150402.1150499.

Together with k this is (alpha, k)-anonymity. It stops a good guess about the values it guards: all
of them, or those named by `values=[HIV; hepatitis]`. It does not stop learning that someone has one
of two values, nor anything about values that are not named. A share in a union lies between the
shares in the two groups, so safe groups stay safe when merged. Shares are taken among the rows that
have a value, never less than among all; a group in which nobody has one is not safe, unless alpha
is 1.

| group | diagnoses | alpha = 0.5 | alpha = 0.4, values = [HIV] |
|---|---|---|---|
| `[20, 29]`, Oslo | flu, flu, HIV | not safe: 2/3 flu | safe: 1/3 HIV |
| `[30, 39]`, Rome | flu, HIV, (missing) | safe | not safe: 1/2 HIV |

When to use it: if a good guess is what you fear, or if one value alone is harmful (`values=[HIV]`)
and the others may be as frequent as they are.
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
class AlphaK(Model):
    """No sensitive value, or none of those named, in more than a share alpha of k or more rows."""

    name = "alpha-k"
    promise = "alpha"
    usual = {"alpha": (0.5, 0.05, 1)}
    alpha: float
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._refuse_unless(0 < self.alpha <= 1, "alpha", "above 0 and at most 1", 0.5)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: 1 / alpha rows.

        Where some values are not guarded, one row may be enough.
        """
        return 1 if self.values else math.ceil(1 / decimal(self.alpha))

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: a ceiling for each guarded share."""
        guarded = column.named(self.values) if self.values else np.ones(column.size, np.bool_)
        ceilings = [decimal(self.alpha) if one else Fraction(1) for one in guarded]
        return rules.bounds(column, ceilings, nobody=self.alpha == 1)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare rows of the most frequent value with a share alpha of those with any value."""
        rows = known(counts)
        return at_most(self._highest(counts, column), rows, decimal(self.alpha)) & (
            (rows > 0) | (self.alpha == 1)
        )

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the largest share of a guarded value in each group.

        1 where nobody has a value.
        """
        rows = known(counts)
        return np.where(rows > 0, self._highest(counts, column) / np.maximum(rows, 1), 1.0)

    def failing(self, who: str, column: str | None) -> str:
        """Say in how many groups a value is too frequent."""
        return f"in {who} more than a share of {self.alpha:g} have one value of '{column}'"

    def _highest(self, counts: Counts, column: Column) -> Counts:
        return highest(
            counts[:, np.append(column.named(self.values), True)] if self.values else counts
        )
