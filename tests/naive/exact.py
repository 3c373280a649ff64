"""The least loss that any grouping of a few rows can have, by trying them all."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from naive.costs import Costs


def least_loss(columns, k):
    """Size times cost, summed over the groups of the best partition into groups of at least k; integers of 2^20."""
    cost = Costs(columns).of

    @cache
    def best(left):
        """The rows that are left: the lowest one stands in a group with some of the others."""
        if not left:
            return 0
        first, others, found = left[0], left[1:], None
        for size in range(k, len(left) + 1):
            if 0 < len(left) - size < k:
                continue
            for chosen in combinations(others, size - 1):
                rest = tuple(row for row in others if row not in chosen)
                loss = size * cost([first, *chosen]) + best(rest)
                found = loss if found is None else min(found, loss)
        return found

    return best(tuple(range(len(columns[0].cells))))
