"""`l-diversity`: every group holds at least l different sensitive values.

Machanavajjhala et al. 2006, distinct form.

It stops homogeneity: nobody learns a person's value for certain from the group alone. It does not
stop a good guess: nine of ten rows may share one value. Merging only adds values, so safe groups
stay safe when merged.

| group | diagnoses | l = 2 |
|---|---|---|
| `[20, 29]`, Oslo | flu, flu, asthma | safe |
| `[30, 39]`, Rome | flu, flu, flu | not safe |
| `[40, 49]`, Rome | flu, (missing), (missing) | not safe: a missing value is no second one |

When to use it: as a first step beyond k, with l = 3, wherever a diagnosis, an offence or an opinion
is published.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.model import Model, different


@dataclass(frozen=True)
class LDiversity(Model):
    """At least l different sensitive values in every group; missing is no value."""

    name = "l-diversity"
    promise = "l"
    usual = {"l": (3, 2, 20)}
    higher_is_stricter = True
    only_more_helps = True
    l: int

    def __post_init__(self) -> None:
        self._refuse_below("l", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: l values need l rows."""
        return self.l

    def rule(self, column: Column) -> Rule:
        """Return the rule for kernels: at least l different values."""
        return rules.different(self.l)

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the different values of each group with l."""
        return different(counts) >= self.l

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Count the different values of each group."""
        return different(counts)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups hold too few different values."""
        return f"{who} hold fewer than {self.l:,} different values of '{column}'"
