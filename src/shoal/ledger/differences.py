"""Differences: people who joined or left between two releases, group by group.

Whoever subtracts one release from another sees who came and who went. So in each group those who
were not in the other release have to be k, or nobody; and so have those of each earlier group who
are not in the new release.

Boxes that contain one another need no count of their own, where people are known. Say a box of one
release lies inside a box of another, and fewer than k people are in the outer one alone. Each of
them was either absent from the other release, and is counted here among too few; or was in another
group of it, and then shares both groups with fewer than k (`company`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Ints
from shoal.ledger.company import ABSENT


@dataclass(frozen=True)
class Difference:
    """People who are in one release and not in another: all, and those who are too few."""

    people: Flags
    few: Flags
    """Of these, people who share their group with fewer than k of these."""


def only_in(one: Ints, other: Ints, k: int) -> Difference:
    """Find people of one release who are not in another, and who of them are too few.

    >>> one = np.array([0, 0, 0, 1], np.int32)
    >>> other = np.array([0, 0, -1, -1], np.int32)
    >>> only_in(one, other, 2).few.tolist()
    [False, False, True, True]
    """
    away = (one != ABSENT) & (other == ABSENT)
    counts = np.bincount(one[away], minlength=1)
    few = np.zeros(len(one), np.bool_)
    few[away] = counts[one[away]] < k
    return Difference(away, few)
