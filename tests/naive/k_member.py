"""Greedy k-member clustering (Byun, Kamra, Bertino & Li 2007), row by row.

Ties go to the lowest row or the oldest group. Random: the first reference row, and the order of the
rows left over. `rows` may name some of the table's rows: they are grouped by what they cost in the
whole table. `classes` gives each row a class: one that is not among the most frequent of a group
makes its box cost `class_weight` more, 1 being a whole column.
"""

from __future__ import annotations

import numpy as np

from naive.costs import UNIT, Costs


def k_member(columns, k, rng, seed_rule="previous-seed", rows=None, classes=None, class_weight=0.0):
    cost = Costs(columns).of
    penalty = round(min(class_weight, 2 * len(columns) + 1) * UNIT)

    def price(group, row):
        return cost([*group, row]) + (penalty if penalty and stranger(group, row) else 0)

    def stranger(group, row):
        held = [classes[member] for member in group]
        return held.count(classes[row]) < max(map(held.count, held))

    free = list(range(len(columns[0].cells))) if rows is None else list(rows)
    groups, free = grow(cost, price, free, k, rng, seed_rule)
    settle(cost, price, groups, free, rng)
    return groups


def grow(cost, price, free, k, rng, seed_rule="previous-seed"):
    """Groups of k, and who is left."""
    reference = free[int(rng.integers(len(free)))]
    groups = []
    while len(free) >= k:
        seed = max(free, key=lambda row: (cost([reference, row]), -row))
        group = [seed]
        free = [row for row in free if row != seed]
        while len(group) < k:
            best = min(free, key=lambda row: (price(group, row), row))
            free.remove(best)
            group.append(best)
        groups.append(group)
        reference = seed if seed_rule == "previous-seed" else group[-1]
    return groups, free


def settle(cost, price, groups, free, rng):
    """Who is left joins the group where size times cost grows least."""
    for row in rng.permutation(np.array(free, np.int64)).tolist():
        growth = [
            (len(group) + 1) * price(group, row) - len(group) * cost(group) for group in groups
        ]
        groups[growth.index(min(growth))].append(row)
