"""`lkc`: at most l known quasi-identifiers lead to k rows, and to no value for certain.

Mohammed et al. 2009.

For any l of the quasi-identifiers and any combination of their published values that some row has,
at least k rows have that combination, and no sensitive value is held by more than a share c of
them. It stops whoever knows l columns; with many quasi-identifiers nobody knows all, and k rows
that agree on all of them cost too much. It does not stop whoever knows more. Shares are taken among
the rows that have a value; a combination in which nobody has one is not safe, unless c is 1.

| known (l = 1) | rows | flu among them | k = 3, c = 0.7 |
|---|---|---|---|
| `[20, 29]` | 4 | 2 | safe |
| Oslo | 5 | 4 | not safe |

k is that of the recipe unless given here: `-k 1 --model lkc:l=2,c=0.5,k=20` promises 20 rows to
whoever knows two columns, and nothing more. What is measured is the largest share.

It judges the release as a whole: a group may leave others behind when it changes its look, so
merging safe groups may break the promise elsewhere. It asks for one scheme for all rows
(`top-down`), where equal values are published equally; rows count as alike where their cells are
equal, which is never more than those that an attacker can't tell apart.

Source: N. Mohammed, B. C. M. Fung, P. C. K. Hung, C. Lee, Anonymizing healthcare data, KDD 2009,
doi:10.1145/1557019.1557157.

Cost: one grouping of the rows by each combination of l quasi-identifiers: 120 of them for l = 3 of
ten columns.

When to use it: for tables of many quasi-identifiers of which nobody knows more than a few:
purchases, places, long questionnaires.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.column import Column
from shoal.privacy.exact import at_most, decimal
from shoal.privacy.model import Judged, Model, highest, known


@dataclass(frozen=True)
class LKC(Model):
    """Any l known quasi-identifiers leave k rows, and no value with more certainty than c."""

    name = "lkc"
    promise = "c"
    usual = {"l": (3, 1, 10), "c": (0.5, 0.05, 1)}
    judges: ClassVar[Judged] = "release"
    survives_merging = False
    l: int
    c: float
    k: int | None = None

    def __post_init__(self) -> None:
        self._refuse_below("l", 1)
        self._refuse_unless(0 < self.c <= 1, "c", "above 0 and at most 1", 0.5)
        self._refuse_unless((self.k or 1) >= 1 and self.k != 0, "k", "at least 1", 2)

    @property
    def own_k(self) -> int | None:
        """The k that was given beside that of the recipe."""
        return self.k

    @property
    def survives_recoding(self) -> bool:
        """True: rows that look alike on some columns still do, and so unions of them are judged."""
        return True

    @property
    def columns_known(self) -> int:
        """The number of quasi-identifiers that an attacker knows at a time: l."""
        return self.l

    def under(self, k: int) -> LKC:
        """Take k from the recipe, unless it was given."""
        return self if self.k is not None else replace(self, k=k)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare rows that look alike with k, and their most frequent value with a share c."""
        rows = known(counts)
        sure = at_most(highest(counts), rows, decimal(self.c)) & ((rows > 0) | (self.c == 1))
        return sure & (counts.sum(axis=1) >= (self.k or 1))

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the largest share among rows that look alike; infinite for fewer than k rows."""
        rows = known(counts)
        share = np.where(rows > 0, highest(counts) / np.maximum(rows, 1), 1.0)
        return np.where(counts.sum(axis=1) >= (self.k or 1), share, np.inf)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups few known columns tell too much about."""
        return (
            f"for {who}, {self.l:,} known columns leave fewer than {self.k or 1:,} rows, "
            f"or tell a value of '{column}' with more certainty than {self.c:g}"
        )
