"""Mondrian (LeFevre, DeWitt & Ramakrishnan 2006), part by part, with the cut by hierarchy nodes
tried first.

`safe(rows)` may ask more of a side than k rows.
"""

from __future__ import annotations

from naive.costs import Costs, leaves, lowest_above


def mondrian(columns, k, relaxed=False, safe=lambda rows: True, rows=None, kinds="nodes"):
    costs = Costs(columns)

    def divide(part):
        widest_first = sorted(range(len(columns)), key=lambda axis: (-costs.on(axis, part), axis))
        for axis in widest_first:
            for sides in cuts(columns[axis], part, relaxed, kinds):
                if all(len(side) >= k and safe(side) for side in sides):
                    return [group for side in sides for group in divide(side)]
        return [part]

    return divide(list(range(len(columns[0].cells))) if rows is None else rows)


def cuts(column, part, relaxed, kinds="nodes"):
    """The cuts of a part along one column, in the order in which they are tried.

    `kinds` is "median" for the cut at the median alone, "below-median" for the cut below it as
    well, "nodes" for the cut by nodes before both.
    """
    cells = [column.cells[row] for row in part]
    if kinds == "nodes" and column.tree is not None and None not in cells:
        node = lowest_above(column.tree, set(cells))
        if not isinstance(node, str):
            children = [set(leaves(child)) for child in node[1]]
            sides = [[row for row in part if column.cells[row] in child] for child in children]
            yield [side for side in sides if side]
    place = {row: rank(column, column.cells[row]) for row in part}
    in_order = sorted(part, key=lambda row: (place[row], row))
    median = place[in_order[(len(part) - 1) // 2]]
    if relaxed:
        half = (len(part) + 1) // 2
        yield [sorted(in_order[:half]), sorted(in_order[half:])]
        return
    yield [
        [row for row in part if place[row] <= median],
        [row for row in part if place[row] > median],
    ]
    if kinds == "median":
        return
    yield [
        [row for row in part if place[row] < median],
        [row for row in part if place[row] >= median],
    ]


def rank(column, cell):
    """Where a value stands: numbers by size, leaves depth first, missing after all others."""
    if cell is None:
        return float("inf")
    return cell if column.tree is None else leaves(column.tree).index(cell)
