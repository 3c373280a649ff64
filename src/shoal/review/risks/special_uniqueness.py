"""`special-uniqueness`: the share of rows that a few columns are enough to single out.

    risk = rows that stand alone on three quasi-identifiers or fewer / rows

A row that is unique on all quasi-identifiers together may owe that to their number alone. One that
is unique on a few of them is special: whoever knows three things about a person knows the row, and
it is likely to be unique outside the table too. The combinations are the minimal sample uniques of
the special uniques detection algorithm (Elliot, Manning & Ford 2002,
doi:10.1142/S0218488502001600); as all combinations of at most three are counted, nothing is missed.
None where there are too many quasi-identifiers to look at all combinations.

By hand: (f, 20), (f, 30), (m, 20), (m, 40): nobody has a sex alone, ages 30 and 40 are one person's
each, and f with 20 and m with 20 are found by two columns: 4/4 = 1.

Cost: one grouping of the rows by each combination of at most three columns: 175 of them for ten
columns.

When to use it: on a table before anything is done: who is singled out by three columns or fewer is
in more danger than others.
"""

from __future__ import annotations

import numpy as np

from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class SpecialUniqueness(Risk):
    """The share of rows that three quasi-identifiers or fewer single out."""

    name = "special-uniqueness"
    question = "singling out"

    def measure(self, seen: Exposure) -> float | None:
        """Divide groups of one row with a small key by rows."""
        if seen.smallest_key is None:
            return None
        return int(np.count_nonzero(seen.smallest_key)) / seen.rows if seen.rows else 0.0
