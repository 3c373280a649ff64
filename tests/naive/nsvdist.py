"""NSVDist (Last, Tassa, Zhmudyak & Shmueli 2014), row by row: each row and the k - 1 others around it.

Of the rows outside whose sensitive values all occur less than floor(k / l) times in the neighbourhood, the one with which it
costs least joins next; ties go to the lowest row. `sensitive` is a list of columns; None is a value like any other.
"""

from __future__ import annotations

from naive.costs import Costs


def nsvdist(columns, sensitive, k, l=1):  # noqa: E741
    """The neighbourhood of each row in the order in which it grew; None where it can't reach k."""
    cost = Costs(columns).of
    return [around(row, len(columns[0].cells), cost, sensitive, k, k // l) for row in range(len(columns[0].cells))]


def around(row, rows, cost, sensitive, k, most):
    near = [row]
    while len(near) < k:
        free = [
            other
            for other in range(rows)
            if other not in near and all(times(column, column[other], near) < most for column in sensitive)
        ]
        if not free:
            return None
        near.append(min(free, key=lambda other: (cost([*near, other]), other)))
    return near


def times(column, value, near):
    return sum(column[row] == value for row in near)
