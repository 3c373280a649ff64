"""`k-map`: every group looks like at least k people of the population.

Sweeney 2002; El Emam & Dankar 2008.

For a release that is a sample: whoever knows a person's quasi-identifiers, and not whether they are
in the sample, finds at least k people of the population that could be meant. It stops
re-identification by those who start from the release (the journalist's way). It does not stop those
who know that a person is in it: a group may hold one row. A union of groups looks like all the
people that either looks like, so safe groups stay safe when merged.

| group | rows | people of the population | k = 3 |
|---|---|---|---|
| `[20, 29]`, Oslo | 1 | 4 | safe |
| `[30, 39]`, Rome | 2 | 2 | not safe |

It is judged beside a table of the population, in which every row of the release must be.

Source: L. Sweeney, k-Anonymity, IJUFKS 10(5) 2002, doi:10.1142/S0218488502001648.

Cost: people of the population times groups at most, mostly decided by the first column.

When to use it: if an attacker does not know who is in the table, and a table of everyone is at
hand. It asks for less than k.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.population import PopulationModel


@dataclass(frozen=True)
class KMap(PopulationModel):
    """At least k people of the population behind every group."""

    name = "k-map"
    promise = "k"
    usual = {"k": (5, 2, 100)}
    higher_is_stricter = True
    k: int

    def __post_init__(self) -> None:
        self._refuse_below("k", 1)

    def safe_among(self, rows: Counts, people: Counts) -> Flags:
        """Compare people of the population with k; fewer people than rows can't be."""
        return (people >= self.k) & (people >= rows)

    def measured_among(self, rows: Counts, people: Counts) -> AnyArray:
        """Count the people of the population who look like each group.

        0 where they are fewer than its rows.
        """
        return people * (people >= rows)

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups look like too few people."""
        return f"{who} look like fewer than {self.k:,} people of the population"
