"""Cheapest-first peeling, vector by vector and row by row; wide groups are cut; what is left joins
where it costs least and is safe.

Levels are read literally: a tree's inner nodes from below, a number's intervals of 3, 6, 12 ...
times the smallest gap.
"""

from __future__ import annotations

from itertools import pairwise, product

from naive.costs import UNIT, Costs, height
from naive.cut import cut
from naive.mondrian import mondrian

MOST_WIDTHS = 7


def levels_of(column):
    """For each level, the part that each row falls into and what all rows pay, levels that change
    nothing left out.
    """
    cells = column.cells
    there = sorted({cell for cell in cells if cell is not None})
    found = list(_of_numbers(cells, there) if column.tree is None else _of_tree(cells, column.tree))
    if there and None in cells:
        found.append(([0] * len(cells), UNIT * len(cells)))
    kept = found[:1]
    for level in found[1:]:
        if _blocks(level[0]) != _blocks(kept[-1][0]):
            kept.append(level)
    return [(parts, cost // len(cells)) for parts, cost in kept]


def _blocks(parts):
    """Who shares a part with whom."""
    return {tuple(i for i, other in enumerate(parts) if other == part) for part in parts}


def _of_numbers(cells, there):
    whole = (there[-1] - there[0]) if there else 0
    widths = []
    if len(there) > 2:
        width = 3 * min(b - a for a, b in pairwise(there))
        while width < whole:
            widths.append(width)
            width *= 2
    parts = [{x: x for x in there}]
    parts += [{x: (x - there[0]) // width for x in there} for width in widths[-MOST_WIDTHS:]]
    parts.append(dict.fromkeys(there, 0))
    for part in parts:
        cost = 0
        for cell in cells:
            if cell is not None:
                ends = [
                    round((x - there[0]) / (whole or 1.0) * UNIT)
                    for x in there
                    if part[x] == part[cell]
                ]
                cost += max(ends) - min(ends)
        yield [None if cell is None else ("part", part[cell]) for cell in cells], cost


def _of_tree(cells, tree):
    """The ancestor of each row at each level, all leaves standing at the same depth below the
    root.
    """
    above = dict(_paths(tree, []))
    depth = max(len(path) for path in above.values())
    for level in range(depth):
        nodes = {
            leaf: ([path[0]] * (depth - len(path)) + path)[level] for leaf, path in above.items()
        }
        full = max(height(tree), 1)
        yield (
            [None if cell is None else id(nodes[cell]) for cell in cells],
            sum(round(height(nodes[cell]) / full * UNIT) for cell in cells if cell is not None),
        )


def _paths(tree, above):
    if isinstance(tree, str):
        yield tree, [tree, *above]
        return
    for child in tree[1]:
        yield from _paths(child, [tree, *above])


def peel(columns, k, in_order, safe=lambda rows: True):
    """Groups as lists of rows. `in_order` lists the rows in the order of their codes; `safe(rows)`
    may ask for more than k.
    """
    levels = [levels_of(column) for column in columns]
    vectors = sorted(
        product(*(range(len(some)) for some in levels)),
        key=lambda vector: sum(some[level][1] for some, level in zip(levels, vector, strict=True)),
    )
    free = list(in_order)
    groups = []
    for vector in vectors:
        alike = {}
        for row in free:
            key = tuple(some[level][0][row] for some, level in zip(levels, vector, strict=True))
            alike.setdefault(key, []).append(row)
        ready = [rows for rows in alike.values() if len(rows) >= k and safe(rows)]
        groups += ready
        free = [row for row in free if not any(row in rows for rows in ready)]
    cost = Costs(columns).of
    left = []
    groups = [part for group in groups for part in cut(columns, group, k, safe)]
    for row in free:
        growth = [
            (len(group) + 1) * cost([*group, row]) - len(group) * cost(group) for group in groups
        ]
        fine = [number for number, group in enumerate(groups) if safe([*group, row])]
        if fine:
            groups[min(fine, key=lambda number: (growth[number], number))].append(row)
        else:
            left.append(row)
    if len(left) >= k:
        return groups + sorted(
            mondrian(columns, k, rows=left),
            key=lambda rows: min(in_order.index(row) for row in rows),
        )
    for row in left:
        growth = [
            (len(group) + 1) * cost([*group, row]) - len(group) * cost(group) for group in groups
        ]
        groups[growth.index(min(growth))].append(row)
    return groups
