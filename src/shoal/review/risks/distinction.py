"""`distinction`: different combinations of quasi-identifiers over rows (Motwani & Xu 2007).

    risk = different combinations of values / rows

1 for columns that are a key together. The number is that of `average-prosecutor-risk`; this is its
other reading, which needs no adversary and finds quasi-identifiers before anything is grouped. An
audit gives it for every column.

By hand: sexes f, f, f, m, m: 2/5 = 0.4.

When to use it: on a table before anything is done: which columns tell rows apart?
"""

from __future__ import annotations

from shoal.groups import Groups
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Risk


class Distinction(Risk):
    """Different combinations of quasi-identifiers over rows."""

    name = "distinction"
    question = "singling out"

    def measure(self, seen: Exposure) -> float:
        """Divide groups by rows."""
        return distinction(seen.groups)


def distinction(groups: Groups) -> float:
    """Divide different combinations by rows; 0 for a table without rows."""
    return groups.count / int(groups.sizes.sum()) if groups.count else 0.0
