"""`m-invariance`: over any number of releases, no value of a person is likelier than 1 in m.

Xiao & Tao 2007.

Every group holds at least m different sensitive values, each equally often, and a person stands
beside the same values in every release. Then values can change places without anybody noticing, so
that each is as likely as any other, however many releases are compared. It stops guessing from one
release and from several, where people join and leave. It does not stop who recognizes a person by
other columns, and promises nothing to people whose own value changes: their group is no longer
published.

| group | diagnoses | m = 3 |
|---|---|---|
| `[20, 29]`, Oslo | flu, flu, asthma, asthma, gout, gout | safe |
| `[30, 39]`, Rome | flu, flu, asthma, gout | not safe: flu is likelier |
| `[40, 49]`, Rome | flu, flu, asthma, asthma | not safe: two values |

Where people are lacking, *counterfeits* fill a group up: rows of nobody, with the cells of the
group and a value of it. The public certificate says how many each group has. k counts people:
counterfeits are none of them. Two safe groups with other values are not safe when merged.

The paper asks for one row of each value in a group. Here each value stands there equally often, so
that k may exceed the number of values. A missing value is no value, and rows without one are left
out or wait. Groups are made for this model alone: no method is asked.

Source: X. Xiao, Y. Tao, m-Invariance: towards privacy preserving re-publication of dynamic
datasets, SIGMOD 2007, doi:10.1145/1247480.1247556.

When to use it: if the same people are published again and again with a diagnosis or an offence
beside them, and who works with the table can live with a few counterfeits. Use it with a ledger and
sticky groups.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.column import Column
from shoal.privacy.model import Model, different, highest, known


@dataclass(frozen=True)
class MInvariance(Model):
    """At least m different sensitive values in every group, each equally often, over releases."""

    name = "m-invariance"
    promise = "m"
    usual = {"m": (3, 2, 20)}
    higher_is_stricter = True
    survives_merging = False
    balances = True
    m: int

    def __post_init__(self) -> None:
        self._refuse_below("m", 1)

    @property
    def least(self) -> int:
        """The smallest size a safe group can have: m values need m rows."""
        return self.m

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare the different values of each group with m, and their numbers with each other."""
        return self.measures(counts, column) >= self.m

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Count the different values of each group; none where some are more frequent."""
        values = different(counts)
        alike = known(counts) == values * highest(counts)
        return values * (alike & (counts[:, -1] == 0))

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups hold too few values, or some more often than others."""
        return (
            f"{who} do not hold {self.m:,} different values of '{column}' equally often: "
            "some value would be likelier"
        )
