"""Threshold clustering (Loukides & Shao 2007), row by row.

Ties go to the lowest row; groups bear the number of their lowest row. Random: the sample behind
delta, and the seeds.
"""

from __future__ import annotations

from math import ceil

from naive.costs import UNIT, Costs


def threshold(columns, k, rng, delta=None, small="reattach", protection=0.0, sensitive=None):
    """Lists of rows; rows that stand in none are withheld."""
    cost = Costs(columns).of
    rows = range(len(columns[0].cells))
    values = {value for value in sensitive or [] if value is not None}
    worth = round(protection * UNIT / len(values)) if values else 0
    limit = sampled(cost, rows, k, rng) if delta is None else round(delta * UNIT)
    free = list(rows)
    groups = []
    for seed in rng.permutation(len(rows)):
        if seed not in free:
            continue
        group = []
        best = int(seed)
        while best is not None:
            free.remove(best)
            group.append(best)
            held = {None, *(sensitive[row] for row in group)} if sensitive else {None}
            near = {row: cost([*group, row]) for row in free}
            score = {
                row: near[row] - worth * (bool(sensitive) and sensitive[row] not in held)
                for row in free
            }
            best = min(
                (row for row in free if near[row] <= limit),
                key=lambda row, s=score: (s[row], row),
                default=None,
            )
        groups.append(group)
    return finished(cost, sorted(groups, key=min), k, small)


def sampled(cost, rows, k, rng):
    """The 0.9 quantile of the distances of 500 random rows to their (k-1)-th neighbours."""
    some = rng.choice(len(rows), min(len(rows), 500), replace=False)
    distances = sorted(sorted(cost([row, other]) for other in rows)[k - 1] for row in some)
    return distances[ceil(0.9 * len(distances)) - 1]


def finished(cost, groups, k, small):
    kept = [group for group in groups if len(group) >= k]
    too_small = [group for group in groups if len(group) < k]
    if small == "withhold":
        return kept
    if not kept:
        return merged(cost, groups, k)
    for group in too_small:
        growth = [
            len(other + group) * cost(other + group) - len(other) * cost(other) for other in kept
        ]
        kept[growth.index(min(growth))] += group
    return kept


def merged(cost, groups, k):
    """The smallest group below k is united with the one where size times cost grows least, until
    none is below k.

    The lower number stays; ties go to the lowest number.
    """
    groups = dict(enumerate(groups))
    while len(groups) > 1 and min(map(len, groups.values())) < k:
        a = min(groups, key=lambda g: (len(groups[g]), g))
        loss = {g: len(groups[g]) * cost(groups[g]) for g in groups}
        both = {
            g: len(groups[a] + groups[g]) * cost(groups[a] + groups[g]) for g in groups if g != a
        }
        b = min(both, key=lambda g: (both[g] - loss[g], g))
        groups[min(a, b)] = groups[a] + groups[b]
        del groups[max(a, b)]
    return list(groups.values())
