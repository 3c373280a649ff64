"""Attacked: whose rows are attacked before a release whose rows never stand in one place.

Attacks look for people of some whole groups of the first shard, in these groups alone: nobody else
may be taken for them.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Longs
from shoal.groups import Groups

ATTACKED_ROWS = 50_000  # in whole groups


def attacked_rows(groups: Groups) -> Longs:
    """Choose the rows of the first groups of a shard, about `ATTACKED_ROWS` of them."""
    upto = int(np.searchsorted(np.cumsum(groups.sizes), ATTACKED_ROWS))
    return np.flatnonzero((groups.labels >= 0) & (groups.labels <= upto))
