"""`k-anonymity`: every group holds at least k rows (Samarati & Sweeney 1998).

It stops singling out: whoever knows a person's quasi-identifiers finds at least k rows that could
be theirs. It does not stop learning something: k rows may share one diagnosis. A union of two
groups is larger than either, so safe groups stay safe when merged.

| group | rows | k = 3 |
|---|---|---|
| `[20, 29]`, Oslo | 4 | safe |
| `[30, 39]`, Rome | 2 | not safe |

When to use it: always; every release has it. Ask for more where a sensitive column is published.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.column import Column
from shoal.privacy.model import Model


@dataclass(frozen=True)
class KAnonymity(Model):
    """At least k rows in every group."""

    name = "k-anonymity"
    promise = "k"
    usual = {"k": (5, 2, 100)}
    higher_is_stricter = True
    needs_sensitive = False
    only_more_helps = True
    k: int

    def __post_init__(self) -> None:
        self._refuse_below("k", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: k."""
        return self.k

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the rows of each group with k."""
        return self.measures(counts, column) >= self.k

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Count the rows of each group."""
        return counts.sum(axis=1)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups are too small."""
        return f"{who} hold fewer than {self.k:,} rows"
