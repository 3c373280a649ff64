"""`separation`: how many pairs of rows differ in a quasi-identifier, over all pairs (Motwani & Xu
2007).

    risk = pairs of rows that differ / all pairs of rows

1 for columns that are a key together. It falls slowly: groups of five in a thousand rows still
separate 0.996 of all pairs. So it compares sets of columns, and says little about a release. An
audit gives it for every column.

By hand: sexes f, f, f, m, m: of 10 pairs 3 + 1 agree, so 0.6 are separated.
"""

from __future__ import annotations

from shoal.groups import Groups
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class Separation(Risk):
    """Pairs of rows that the quasi-identifiers tell apart, over all pairs; near 1 even where nobody
    is alone.
    """

    name = "separation"
    question = "singling out"

    def measure(self, seen: Exposure) -> float:
        """Pairs that differ over pairs; a row alone in its table is told apart from nobody."""
        return separation(seen.groups)


def separation(groups: Groups) -> float:
    """Pairs of rows that differ over all pairs; 0 for fewer than two rows."""
    rows = int(groups.sizes.sum())
    alike = int((groups.sizes * (groups.sizes - 1)).sum())
    return 1.0 - alike / (rows * (rows - 1)) if rows > 1 else 0.0
