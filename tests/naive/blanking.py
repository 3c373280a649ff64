"""Blanked cells, read literally: the cheapest way to blank single cells, tried in full.

A table is a list of rows of cells, already recoded. In the end every row stands among at least k
rows with equal cells, where a blank equals only a blank. Groups of fewer than 2k rows are enough:
a larger one can be cut in two that blank no more.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations


def least(table, k, weights):
    """The least sum of weights of blanked cells; infinite where k rows are not there."""
    rows = range(len(table))

    @cache
    def best(left):
        if not left:
            return 0
        first, *others = left
        costs = [float("inf")]
        for size in range(k - 1, min(2 * k - 1, len(left))):
            for joined in combinations(others, size):
                group = (first, *joined)
                rest = tuple(row for row in left if row not in group)
                costs.append(cost([table[row] for row in group], weights) + best(rest))
        return min(costs)

    return best(tuple(rows))


def cost(group, weights):
    """What it costs to make the rows of a group equal: columns in which they differ are blank."""
    pairs = zip(weights, zip(*group, strict=True), strict=True)
    return len(group) * sum(weight for weight, cells in pairs if len(set(cells)) > 1)
