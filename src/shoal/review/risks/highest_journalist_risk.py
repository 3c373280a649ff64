"""`highest-journalist-risk`: the chance of finding the row that is easiest to find among everyone.

    risk = 1 / least number of people who look like a published row

The journalist does not know who is in the table, and picks among all people who fit a row (El Emam
& Dankar 2008). With a file of everyone these are counted. With their number or a sampling fraction
they are estimated, a group of f rows as f times people over rows: an average, so that rare people
look safer than they may be; `individual-risk` allows for that.

By hand: groups of 4, 2 and 2 rows that stand for 40, 5 and 20 people: 1/5 = 0.2.

When to use it: if an attacker does not know who is in the table and a population is known; rules
about published files often mean this one.
"""

from __future__ import annotations

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class HighestJournalistRisk(Risk):
    """The chance of finding whoever is easiest to find among everyone."""

    name = "highest-journalist-risk"
    question = "linkability"
    needs_population = True

    def measure(self, seen: Exposure) -> float | None:
        """Divide 1 by the fewest people."""
        if seen.population is None:
            return None
        return 1.0 / float(seen.population.sizes.min()) if seen.rows else 0.0
