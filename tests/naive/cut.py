"""A group cut in two along one axis, between tuples, where that lowers the loss most; its parts
likewise.
"""

from __future__ import annotations

from naive.costs import Costs


def cut(columns, rows, k, safe=lambda rows: True, beside=lambda row: ()):
    """The parts as lists of rows. Rows are alike if all their cells are, and what stands `beside`
    them.
    """
    cost = Costs(columns).of
    tuples = {}
    for row in rows:
        tuples.setdefault((*(column.cells[row] for column in columns), beside(row)), []).append(row)
    return _parts(columns, list(tuples.values()), k, cost, safe)


def _parts(columns, tuples, k, cost, safe):
    rows = _rows(tuples)
    if len(rows) < 2 * k:
        return [rows]
    least = len(rows) * cost(rows)
    sides = None
    for column in (column for column in columns if Costs([column]).of(rows) > 0):
        along = sorted(tuples, key=lambda some: _place(column, some[0]))
        for at in range(1, len(along)):
            parts = [_rows(side) for side in (along[:at], along[at:])]
            loss = sum(len(part) * cost(part) for part in parts)
            if loss < least and all(len(part) >= k and safe(part) for part in parts):
                least = loss
                sides = (along[:at], along[at:])
    return (
        [part for side in sides for part in _parts(columns, side, k, cost, safe)]
        if sides
        else [rows]
    )


def _rows(tuples):
    return [row for some in tuples for row in some]


def _place(column, row):
    """Where a row stands on an axis: numbers ascending, leaves from first to last, missing values
    behind them.
    """
    cell = column.cells[row]
    if cell is None:
        return 1, 0
    return 0, cell if column.tree is None else _leaves(column.tree).index(cell)


def _leaves(tree):
    return (
        [tree] if isinstance(tree, str) else [leaf for child in tree[1] for leaf in _leaves(child)]
    )
