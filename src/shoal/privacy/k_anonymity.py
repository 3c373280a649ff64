"""`k-anonymity`: every group holds at least k rows (Samarati & Sweeney 1998).

It stops singling out: whoever knows a person's quasi-identifiers finds at least k rows that could be theirs. It does
not stop learning something: k rows may share one diagnosis. A union of two groups is larger than either, so safe groups
stay safe when merged.

| group | rows | k = 3 |
|---|---|---|
| `[20, 29]`, Oslo | 4 | safe |
| `[30, 39]`, Rome | 2 | not safe |
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import Counts, Flags
from shoal.privacy.model import Model


@dataclass(frozen=True)
class KAnonymity(Model):
    """At least k rows in every group."""

    name = "k-anonymity"
    needs_sensitive = False
    k: int

    def __post_init__(self) -> None:
        self._refuse_below("k", 1)

    @property
    def least(self) -> int:
        """No group below k."""
        return self.k

    def safe(self, counts: Counts) -> Flags:
        """Rows of the group against k."""
        return counts.sum(axis=1) >= self.k

    def measure(self, counts: Counts) -> float:
        """The smallest group; 0 for a table without rows."""
        return int(counts.sum(axis=1).min(initial=2**62)) if len(counts) else 0

    def failing(self, groups: int, of: int, column: str | None) -> str:
        """How many groups are too small."""
        return f"{groups:,} of {of:,} groups hold fewer than {self.k:,} rows"
