"""`p-sensitive`: every group holds at least p different sensitive values.

Truta & Vinay 2006, ICDE Workshops.

Together with k this is p-sensitive k-anonymity. It asks for the same as distinct `l-diversity`,
under the name and the letter of its own literature. It stops homogeneity; it does not stop a good
guess. Merging only adds values, so safe groups stay safe. A missing value is no value.

| group | incomes | p = 2 |
|---|---|---|
| `[20, 29]`, Oslo | low, low, high | safe |
| `[30, 39]`, Rome | low, low, (missing) | not safe |

When to use it: if a rule or a paper asks for it by this name; it counts as `l-diversity` does.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.model import Model, different


@dataclass(frozen=True)
class PSensitive(Model):
    """At least p different sensitive values in every group, beside k rows."""

    name = "p-sensitive"
    promise = "p"
    usual = {"p": (3, 2, 20)}
    higher_is_stricter = True
    only_more_helps = True
    p: int

    def __post_init__(self) -> None:
        self._refuse_below("p", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: p values need p rows."""
        return self.p

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: at least p different values."""
        return rules.different(self.p)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the different values of each group with p."""
        return different(counts) >= self.p

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Count the different values of each group."""
        return different(counts)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups hold too few different values."""
        return f"{who} hold fewer than {self.p:,} different values of '{column}'"
