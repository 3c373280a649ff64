"""NSVDist (Last, Tassa, Zhmudyak & Shmueli 2014), row by row: each row and the k - 1 others around
it.

Of the rows outside whose sensitive values all occur less than floor(k / l) times in the
neighbourhood, the one with which it costs least joins next; ties go to the lowest row. `sensitive`
is a list of columns; None is a value like any other.

What a set of rows costs, in whole numbers: under `height` its range, or the height of the lowest
common ancestor; under `loss-metric` its range, or how many different leaves it holds; under
`squared-error`, on numbers alone, the squares of its rows around their mean, a missing number
standing at the mean of all and on a line of its own, one range away.
"""

from __future__ import annotations

from naive.costs import UNIT, Costs, leaves


def nsvdist(columns, sensitive, k, l=1, loss="height"):
    """The neighbourhood of each row in the order in which it grew; None where it can't reach k."""
    cost = {
        "height": Costs(columns).of,
        "loss-metric": of_sets(columns),
        "squared-error": of_squares(columns),
    }[loss]
    return [
        around(row, len(columns[0].cells), cost, sensitive, k, k // l)
        for row in range(len(columns[0].cells))
    ]


def around(row, rows, cost, sensitive, k, most):
    near = [row]
    while len(near) < k:
        free = [
            other
            for other in range(rows)
            if other not in near
            and all(times(column, column[other], near) < most for column in sensitive)
        ]
        if not free:
            return None
        near.append(min(free, key=lambda other: (cost([*near, other]), other)))
    return near


def times(column, value, near):
    return sum(column[row] == value for row in near)


def of_sets(columns):
    boxes = Costs(columns)

    def on(axis, rows):
        held = {columns[axis].cells[row] for row in rows}
        if columns[axis].tree is None or None in held:
            return boxes.on(axis, rows)
        return round((len(held) - 1) / max(len(leaves(columns[axis].tree)) - 1, 1) * UNIT)

    return lambda rows: sum(on(axis, rows) for axis in range(len(columns)))


def of_squares(columns):
    lines = [line for column in columns if column.tree is None for line in lines_of(column.cells)]
    return lambda rows: sum(around_mean([line[row] for row in rows]) for line in lines)


def lines_of(cells):
    there = [cell for cell in cells if cell is not None]
    low, apart = (min(there), (max(there) - min(there)) or 1.0) if there else (0.0, 1.0)
    places = [None if cell is None else round((cell - low) / apart * UNIT) for cell in cells]
    mean = sum(place for place in places if place is not None) // max(len(there), 1)
    return [
        [mean if place is None else place for place in places],
        [UNIT if cell is None else 0 for cell in cells],
    ]


def around_mean(places):
    """Squares around the mean, times their number: only sets of equally many rows are compared."""
    return len(places) * sum(place**2 for place in places) - sum(places) ** 2
