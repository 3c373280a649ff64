"""One column a level higher at a time, chosen by what it frees for what it costs; literally, with
fractions.
"""

from __future__ import annotations

from fractions import Fraction


def climb(tuples, counts, parts, costs, k):
    """Groups of tuples in the order in which they are found; `parts[column][level][code]`,
    `costs[column][level]`.
    """
    free = list(range(len(tuples)))
    vector = [0] * len(parts)
    groups = []
    while sum(counts[t] for t in free) >= k:
        steps = []
        for column, level in enumerate(vector):
            if level + 1 < len(parts[column]):
                higher = [*vector[:column], level + 1, *vector[column + 1 :]]
                alike = _alike(tuples, free, parts, higher)
                freed = sum(
                    sum(counts[t] for t in some)
                    for some in alike
                    if sum(counts[t] for t in some) >= k
                )
                price = max(costs[column][level + 1] - costs[column][level], 1)
                steps.append(
                    (
                        Fraction(freed + len(free) - len(alike), price),
                        -price,
                        -column,
                        higher,
                        alike,
                    )
                )
        if not steps:
            break
        *_, vector, alike = max(steps, key=lambda step: step[:3])
        found = [some for some in alike if sum(counts[t] for t in some) >= k]
        groups += found
        free = [t for t in free if not any(t in some for some in found)]
    return groups


def _alike(tuples, free, parts, vector):
    """The free tuples that look alike, by their first one."""
    found = {}
    for t in free:
        seen = tuple(
            parts[column][level][code]
            for column, (level, code) in enumerate(zip(vector, tuples[t], strict=True))
        )
        found.setdefault(seen, []).append(t)
    return list(found.values())
