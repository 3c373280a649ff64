"""`l-diversity`: every group holds at least l different sensitive values (Machanavajjhala et al. 2006, distinct form).

It stops homogeneity: nobody learns a person's value for certain from the group alone. It does not stop a good guess:
nine of ten rows may share one value. Merging only adds values, so safe groups stay safe when merged.

| group | diagnoses | l = 2 |
|---|---|---|
| `[20, 29]`, Oslo | flu, flu, asthma | safe |
| `[30, 39]`, Rome | flu, flu, flu | not safe |
| `[40, 49]`, Rome | flu, (missing), (missing) | not safe: a missing value is no second one |
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import Counts, Flags
from shoal.privacy.model import Model


@dataclass(frozen=True)
class LDiversity(Model):
    """At least l different sensitive values in every group; missing is no value."""

    name = "l-diversity"
    l: int  # noqa: E741  the name that everyone types

    def __post_init__(self) -> None:
        self._refuse_below("l", 1)

    @property
    def least(self) -> int:
        """l values need l rows."""
        return self.l

    def safe(self, counts: Counts) -> Flags:
        """Different values of the group against l."""
        return (counts[:, :-1] > 0).sum(axis=1) >= self.l

    def measure(self, counts: Counts) -> float:
        """The fewest different values in a group; 0 for a table without rows."""
        return int((counts[:, :-1] > 0).sum(axis=1).min()) if len(counts) else 0

    def failing(self, groups: int, of: int, column: str | None) -> str:
        """How many groups are too uniform."""
        return f"{groups:,} of {of:,} groups hold fewer than {self.l:,} different values of '{column}'"
