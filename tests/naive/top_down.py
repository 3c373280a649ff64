"""Top-down specialization (Mohammed, Fung, Hung & Lee 2009) with all columns taken together, cut by
cut.

A node is a set of the values of one column (None is missing). `classes` is what the score tells
about; without it the score is what rows times cost falls by. `safe(rows)` may ask more of a group
than k rows.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2

from naive.costs import Costs, leaves, lowest_above
from naive.mondrian import rank


def top_down(columns, k, classes=None, safe=lambda rows: True):
    costs = Costs(columns)
    rows = range(len(columns[0].cells))
    nodes = [[frozenset(column.cells)] for column in columns]
    dropped = set()

    def inside(axis, node):
        return [row for row in rows if columns[axis].cells[row] in node]

    def score(axis, node, cut):
        def weight(values):
            there = inside(axis, values)
            return (
                unrest([classes[row] for row in there])
                if classes
                else len(there) * costs.on(axis, there)
            )

        fall = weight(node) - sum(weight(child) for child in cut)
        return Fraction(fall, len(inside(axis, node)) if classes else 1)

    def best_cut(axis, node):
        found = list(cuts(columns[axis], node))
        scores = [score(axis, node, cut) for cut in found]
        return (max(scores), found[scores.index(max(scores))]) if found else (0, [])

    def groups():
        where = {}
        for row in rows:
            key = tuple(
                next(n for n in nodes[a] if column.cells[row] in n)
                for a, column in enumerate(columns)
            )
            where.setdefault(key, []).append(row)
        return list(where.values())

    while True:
        offers = []
        for axis, column in enumerate(columns):
            for node in nodes[axis]:
                points, cut = best_cut(axis, node)
                if points > 0 and (axis, node) not in dropped:
                    offers.append(
                        (-points, axis, min(rank(column, value) for value in node), node, cut)
                    )
        if not offers:
            return groups()
        _, axis, _, node, cut = min(offers, key=lambda offer: offer[:3])
        before = nodes[axis]
        nodes[axis] = [other for other in before if other != node] + cut
        if not all(len(group) >= k and safe(group) for group in groups()):
            nodes[axis] = before
            dropped.add((axis, node))


def cuts(column, node):
    """All ways to cut a node: missing from the rest first; then the children of a tree node, or any
    threshold.
    """
    if None in node and len(node) > 1:
        yield [node - {None}, frozenset([None])]
    elif None in node or len(node) < 2:
        return
    elif column.tree is not None:
        above = lowest_above(column.tree, node)
        yield [child for child in (node & set(leaves(part)) for part in above[1]) if child]
    else:
        values = sorted(node)
        for i in range(1, len(values)):
            yield [frozenset(values[:i]), frozenset(values[i:])]


def unrest(classes):
    """Rows times entropy, from n * log2(n) rounded to 2^-20."""

    def disorder(n):
        return round(n * log2(max(n, 1)) * 2**20)

    return disorder(len(classes)) - sum(disorder(classes.count(one)) for one in set(classes))
