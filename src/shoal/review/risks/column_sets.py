"""How well a set of columns tells rows apart: `distinction` and `separation` (Motwani & Xu 2007).

    distinction = different combinations of values / rows
    separation  = pairs of rows that differ / all pairs of rows

Both are 1 for a key. They find quasi-identifiers before anything is grouped: recount the rows on the columns in
question and hand the groups in.

By hand: sexes f, f, f, m, m: 2/5 = 0.4 different; of 10 pairs 3 + 1 agree, so 0.6 are separated.
"""

from __future__ import annotations

from shoal.groups import Groups


def distinction(groups: Groups) -> float:
    """Different combinations over rows; 0 for a table without rows."""
    return groups.count / int(groups.sizes.sum()) if groups.count else 0.0


def separation(groups: Groups) -> float:
    """Pairs of rows that differ over all pairs; 0 for fewer than two rows."""
    rows = int(groups.sizes.sum())
    alike = int((groups.sizes * (groups.sizes - 1)).sum())
    return 1.0 - alike / (rows * (rows - 1)) if rows > 1 else 0.0
