"""`k-e`: every group holds at least k different numbers that span a range of at least e.

Zhang et al. 2007.

For sensitive columns of numbers, where many different values may still be nearly the same: 30,000
and 30,100 are two values and one salary. It stops learning a number to within e. It does not stop a
good guess: all rows but one may lie close together at one end. Merging only adds values and widens
the range, so safe groups stay safe. k is that of the recipe unless given here (in an audit: 1
unless given, so that the range alone is asked for). A missing value is no number.

| group | salaries | k = 3, e = 5000 |
|---|---|---|
| `[20, 29]`, Oslo | 30000, 33000, 36000 | safe: spans 6000 |
| `[30, 39]`, Rome | 30000, 30000, 36000 | not safe: two different ones |
| `[40, 49]`, Rome | 30000, 30100, 30200 | not safe: spans 200 |

Verdicts are exact: numbers are the decimals that are printed, and 30 and 30.0 are one. Dates and
times are no numbers here.

Source: Q. Zhang, N. Koudas, D. Srivastava, T. Yu, Aggregate query answering on anonymized tables,
ICDE 2007, doi:10.1109/ICDE.2007.367857.

When to use it: for salaries, costs and other numbers: three different values that lie close
together hide nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.declare.columns import is_text
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import decimal
from shoal.privacy.model import Model, different

LARGEST = Fraction(sys.float_info.max)


@dataclass(frozen=True)
class KE(Model):
    """At least k different sensitive numbers in every group, spanning at least e."""

    name = "k-e"
    promise = "e"
    higher_is_stricter = True
    only_more_helps = True
    e: float
    k: int | None = None

    def __post_init__(self) -> None:
        self._refuse_unless(self.e > 0, "e", "above 0", 1)
        self._refuse_unless((self.k or 1) >= 1 and self.k != 0, "k", "at least 1", 2)

    @property
    def own_k(self) -> int | None:
        """The k that was given beside that of the recipe."""
        return self.k

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: k values need k rows, a range two."""
        return max(self.k or 1, 2)

    def under(self, k: int) -> KE:
        """Take k from the recipe, unless it was given."""
        return self if self.k is not None else replace(self, k=k)

    def lacks(self, column: Column) -> str | None:
        """Say that numbers are needed, where the column holds others: only numbers have a range."""
        return super().lacks(column) if column.numeric else f"numbers in '{column.name}'"

    def rule(self, column: Column) -> Rule | None:
        """Return the rule for kernels; None where texts spell a number in two ways."""
        # Kernels count values, not numbers.
        if self.lacks(column) or len(_numbers(column)) < column.size:
            return None
        return rules.wide(column, decimal(self.e), self.k or 1)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the different numbers with k, and the range with e."""
        if self.lacks(column):
            return np.zeros(len(counts), np.bool_)
        wide = np.array([span >= decimal(self.e) for span in self._spans(counts, column)], np.bool_)
        return wide & (_different(counts, column) >= (self.k or 1))

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the range of each group; 0 where it holds too few different numbers."""
        spans = np.array([_float(span) for span in self._spans(counts, column)], np.float64)
        return np.where(_different(counts, column) >= (self.k or 1), spans, 0.0)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups are too narrow."""
        many = f"{self.k:,} different numbers" if self.k else "numbers"
        return f"{who} do not hold {many} of '{column}' that span {self.e:g}"

    def _spans(self, counts: Counts, column: Column) -> list[Fraction]:
        """Compute the distance from the least to the largest number of each group."""
        if not column.size:
            return [Fraction(0)] * len(counts)
        there = counts[:, :-1] > 0
        ends = np.where(
            there.any(axis=1),
            [there.argmax(axis=1), column.size - 1 - there[:, ::-1].argmax(axis=1)],
            0,
        )
        codes, places = np.unique(ends, return_inverse=True)
        numbers = column.numbers(codes)
        low, high = places.reshape(ends.shape)
        return [numbers[j] - numbers[i] for i, j in zip(low.tolist(), high.tolist(), strict=True)]


def _float(span: Fraction) -> float:
    """Convert a range to a float; one beyond all floats becomes the largest of them."""
    return float(min(span, LARGEST))


def _different(counts: Counts, column: Column) -> Counts:
    """Count the different numbers of each group: 30 and 30.0 are one number."""
    starts = _numbers(column)
    if len(starts) == column.size:
        return different(counts)
    numbers = np.add.reduceat(counts[:, :-1], starts, axis=1)
    return np.asarray((numbers > 0).sum(axis=1), np.int64)


def _numbers(column: Column) -> list[int]:
    """List the places where each different number begins among the ascending values."""
    if not is_text(column.values.type):
        return list(range(column.size))
    numbers = column.numbers(np.arange(column.size))
    return [i for i, number in enumerate(numbers) if i == 0 or number != numbers[i - 1]]
