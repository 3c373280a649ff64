"""MDAV (Domingo-Ferrer & Torra 2005), row by row, on numbers and trees.

Squared distances are summed over the numbers first, then over the trees; means over rows in
ascending order.
"""

from __future__ import annotations

from math import fsum, sqrt

from naive.costs import UNIT, Costs, leaves


def mdav(columns, k):
    space = [number(column) for column in columns if column.tree is None]
    space += [tree(column) for column in columns if column.tree is not None]

    def distances(point, rows):
        result = {}
        for row in rows:
            total = 0.0
            for (cells, _, distance), cell in zip(space, point, strict=True):
                total += distance(cells[row], cell)
            result[row] = total
        return result

    def furthest(point, rows):
        far = distances(point, rows)
        return max(rows, key=lambda row: (far[row], -row))

    def take(row, free):
        near = distances([cells[row] for cells, _, _ in space], free)
        group = sorted(free, key=lambda other: (other != row, near[other], other))[:k]
        return group, [other for other in free if other not in group]

    free = list(range(len(columns[0].cells)))
    groups = []
    while len(free) >= 2 * k:
        pair = len(free) >= 3 * k
        r = furthest([centre(free) for _, centre, _ in space], free)
        group, free = take(r, free)
        groups.append(group)
        if pair:
            s = furthest([cells[r] for cells, _, _ in space], free)
            group, free = take(s, free)
            groups.append(group)
    return [*groups, free]


def number(column):
    """z-scores of shares of the range; missing is as far as the range, or 1 where there is none."""
    there = [cell for cell in column.cells if cell is not None]
    low = min(there, default=0.0)
    high = max(there, default=0.0)
    shares = [(cell - low) / ((high - low) or 1.0) for cell in there]
    mean = fsum(shares) / max(len(shares), 1)
    scale = (
        sqrt(fsum((x - mean) * (x - mean) for x in shares) / max(len(shares) - 1, 1))
        if low < high
        else 1.0
    )
    score = [
        None if cell is None else ((cell - low) / ((high - low) or 1.0) - mean) / scale
        for cell in column.cells
    ]
    if low == high:
        score = [None if cell is None else 0.0 for cell in column.cells]
    scores = [x for x in score if x is not None]
    far = (max(scores) - min(scores)) ** 2 if low < high else 1.0

    def centre(rows):
        inside = [score[row] for row in rows if score[row] is not None]
        total = 0.0
        for x in inside:
            total += x
        return total / len(inside) if inside else None

    def distance(a, b):
        if a is None or b is None:
            return 0.0 if a is b else far
        return (a - b) * (a - b)

    return score, centre, distance


def tree(column):
    """Heights of common ancestors over the tree's, squared, over their mean around the middle of
    the table.
    """
    order = leaves(column.tree)

    def step(a, b):
        pair = type(column)([a, b], column.tree)
        return Costs([pair]).of([0, 1])

    steps = {(a, b): step(a, b) for a in [*order, None] for b in [*order, None]}

    def centre(rows):
        inside = [column.cells[row] for row in rows if column.cells[row] is not None]
        return min(
            sorted(set(inside), key=order.index),
            key=lambda leaf: sum(steps[leaf, other] for other in inside),
            default=None,
        )

    everyone = range(len(column.cells))
    middle = centre(everyone)
    there = [cell for cell in column.cells if cell is not None]
    spread = sum(steps[middle, cell] ** 2 for cell in there) / UNIT**2 / max(len(there), 1) or 1.0

    def distance(a, b):
        return (steps[a, b] / UNIT) ** 2 * (1.0 / spread)

    return column.cells, centre, distance
