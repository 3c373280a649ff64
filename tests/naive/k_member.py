"""Greedy k-member clustering (Byun, Kamra, Bertino & Li 2007), row by row.

Ties go to the lowest row or the oldest group. Random: the first reference row, and the order of the rows left over.
`rows` may name some of the table's rows: they are grouped by what they cost in the whole table.
"""

from __future__ import annotations

import numpy as np

from naive.costs import Costs


def k_member(columns, k, rng, seed_rule="previous-seed", rows=None):
    cost = Costs(columns).of
    free = list(range(len(columns[0].cells))) if rows is None else list(rows)
    reference = free[int(rng.integers(len(free)))]
    groups = []
    while len(free) >= k:
        seed = max(free, key=lambda row: (cost([reference, row]), -row))
        free.remove(seed)
        group = [seed]
        while len(group) < k:
            best = min(free, key=lambda row: (cost([*group, row]), row))
            free.remove(best)
            group.append(best)
        groups.append(group)
        reference = seed if seed_rule == "previous-seed" else group[-1]
    for row in rng.permutation(np.array(free, np.int64)):
        growth = [(len(group) + 1) * cost([*group, row]) - len(group) * cost(group) for group in groups]
        groups[growth.index(min(growth))].append(int(row))
    return groups
