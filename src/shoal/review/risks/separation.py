"""`separation`: pairs of rows that differ in a quasi-identifier, over all pairs.

Motwani & Xu 2007.

    risk = pairs of rows that differ / all pairs of rows

1 for columns that are a key together. It falls slowly: groups of five in a thousand rows still
separate 0.996 of all pairs. So it compares sets of columns, and says little about a release. An
audit gives it for every column.

By hand: sexes f, f, f, m, m: of 10 pairs 3 + 1 agree, so 0.6 are separated.

When to use it: on a table before anything is done: which columns keep pairs of rows apart?
"""

from __future__ import annotations

from shoal.groups import Groups
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class Separation(Risk):
    """The share of pairs of rows that quasi-identifiers tell apart; often near 1."""

    name = "separation"
    question = "singling out"

    def measure(self, seen: Exposure) -> float:
        """Divide pairs that differ by pairs; a row alone in its table differs from nobody."""
        return separation(seen.groups)


def separation(groups: Groups) -> float:
    """Divide pairs of rows that differ by all pairs; 0 for fewer than two rows."""
    rows = int(groups.sizes.sum())
    alike = int((groups.sizes * (groups.sizes - 1)).sum())
    return 1.0 - alike / (rows * (rows - 1)) if rows > 1 else 0.0
