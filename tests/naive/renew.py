"""The boxes of a region and the groups that are made of them, read literally. Tuples are numbers;
boxes are sets of them.
"""

from __future__ import annotations

from itertools import product


def boxes(parts, counts, least):
    """All different sets of tuples that share a part on every axis, at whatever levels, and hold so
    many rows.

    `parts[axis][level][t]` is the part of a tuple.
    """
    found = set()
    for vector in product(*(range(len(levels)) for levels in parts)):
        kinds = [
            tuple(parts[axis][level][t] for axis, level in enumerate(vector))
            for t in range(len(counts))
        ]
        found |= {frozenset(t for t, other in enumerate(kinds) if other == kind) for kind in kinds}
    return {box for box in found if sum(counts[t] for t in box) >= least}


def groups(ordered, counts, worth, cost, k, least):
    """The label of each tuple: boxes in the given order become groups, the rest joins where it
    costs least; and the loss.
    """
    label = [None] * len(counts)

    def held(some):
        return sum(counts[t] for t in some)

    def members(group):
        return [t for t in range(len(counts)) if label[t] == group]

    number = 0
    for box in ordered:
        taken = [t for t in box if label[t] is None]
        if held(t for t in range(len(counts)) if label[t] is None) < least or held(taken) < least:
            continue
        lent = []
        for group in reversed(range(number)):
            for t in box:
                spare = held(members(group)) - held(x for x in lent if label[x] == group) - k
                if label[t] == group and held(taken + lent) < k and counts[t] <= spare:
                    lent.append(t)
        if held(taken + lent) < k:
            continue
        for t in taken + lent:
            label[t] = number
        number += 1

    def loss(some):
        return sum(counts[t] * worth[t] for t in some) * cost(some)

    for t in [t for t in range(len(counts)) if label[t] is None]:
        label[t] = min(range(number), key=lambda g: (loss([*members(g), t]) - loss(members(g)), g))
    return label, sum(loss(members(g)) for g in range(number))
