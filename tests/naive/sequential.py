"""Sequential clustering (Goldberger & Tassa 2010), row by row.

Ties go to the lowest group number. Random: the first deal, and the two halves of a group that is
split.
"""

from __future__ import annotations

import numpy as np

from naive.costs import Costs
from naive.threshold import merged


def sequential(columns, k, rng, restarts=1, cycles=10, alpha=0.5, omega=1.5):
    cost = Costs(columns).of

    def loss(groups):
        return sum(len(group) * cost(group) for group in groups)

    results = [
        once(cost, len(columns[0].cells), k, rng, cycles, alpha, omega) for _ in range(restarts)
    ]
    return min(results, key=loss)


def once(cost, rows, k, rng, cycles, alpha, omega):
    count = max(rows // max(int(alpha * k), 1), 1)
    groups = {number: [] for number in range(count)}
    for place, row in enumerate(rng.permutation(rows)):
        groups[place % count].append(int(row))
    for _ in range(cycles):
        moved = [row for row in range(rows) if move(cost, groups, row, k)]
        large = [number for number in sorted(groups) if len(groups[number]) > int(omega * k)]
        for number in large:
            members = rng.permutation(np.array(sorted(groups[number]))).tolist()
            half = (len(members) + 1) // 2
            groups[max(groups) + 1] = members[half:]
            groups[number] = members[:half]
        if not moved and not large:
            break
    return merged(cost, sorted(groups.values(), key=min), k)


def move(cost, groups, row, k):
    """Move a row to the best other group if the loss falls, or if it stands alone; whether it
    moved.
    """
    own = next(number for number in groups if row in groups[number])
    without = [other for other in groups[own] if other != row]
    others = [number for number in sorted(groups) if number != own]
    if not others or (not without and k == 1):
        return False
    change = {}
    for number in others:
        group = groups[number]
        change[number] = (len(group) + 1) * cost([*group, row]) - len(group) * cost(group)
        change[number] += (len(without) * cost(without) if without else 0) - len(
            groups[own]
        ) * cost(groups[own])
    best = min(others, key=lambda number: (change[number], number))
    if without and change[best] >= 0:
        return False
    groups[best].append(row)
    groups[own] = without
    if not without:
        del groups[own]
    return True
