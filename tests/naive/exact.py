"""The least loss that any grouping of a few rows can have, by trying them all."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from naive.costs import UNIT, Costs


def least_loss(columns, k, *, withhold=False):
    """Size times cost, summed over the groups of the best partition into groups of at least k;
    integers of 2^20.

    Where rows may be withheld, each of them costs everything.
    """
    cost = Costs(columns).of

    @cache
    def best(left):
        """The rows that are left: the lowest one stands in a group with some of the others."""
        if not left:
            return 0
        first = left[0]
        others = left[1:]
        found = UNIT * len(columns) + best(others) if withhold else None
        for size in range(k, len(left) + 1):
            if 0 < len(left) - size < k and not withhold:
                continue
            for chosen in combinations(others, size - 1):
                rest = tuple(row for row in others if row not in chosen)
                loss = size * cost([first, *chosen]) + best(rest)
                found = loss if found is None else min(found, loss)
        return found

    return best(tuple(range(len(columns[0].cells))))


def cheapest_boxes(columns, k):
    """For each row, the least cost of any k rows that it is one of; that of everything where there
    are fewer.
    """
    cost = Costs(columns).of
    rows = range(len(columns[0].cells))
    chosen = {some: cost(some) for some in combinations(rows, k)}
    return [
        min((paid for some, paid in chosen.items() if row in some), default=UNIT * len(columns))
        for row in rows
    ]
