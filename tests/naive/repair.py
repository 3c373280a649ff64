"""Groups that are not safe are merged, one after the other, with where size times cost grows
least.
"""

from __future__ import annotations

from naive.costs import Costs


def repaired(columns, groups, safe, follows=lambda rows: True):
    """Lists of rows. A partner is looked for among those with which the union follows the rules, if
    there are any.
    """
    cost = Costs(columns).of
    parts = dict(enumerate(groups))
    while len(parts) > 1 and any(not safe(part) for part in parts.values()):
        unsafe = min((g for g in parts if not safe(parts[g])), key=lambda g: (len(parts[g]), g))

        def growth(g, a=unsafe):
            both = parts[a] + parts[g]
            return (
                len(both) * cost(both)
                - len(parts[a]) * cost(parts[a])
                - len(parts[g]) * cost(parts[g])
            )

        others = [g for g in parts if g != unsafe]
        fine = [g for g in others if follows(parts[unsafe] + parts[g])]
        partner = min(fine or others, key=lambda g: (growth(g), g))
        parts[min(unsafe, partner)] = parts[unsafe] + parts[partner]
        del parts[max(unsafe, partner)]
    return list(parts.values())


def loss(columns, groups):
    """Size times cost of each group, summed."""
    cost = Costs(columns).of
    return sum(len(rows) * cost(rows) for rows in groups)
