"""What a set of rows costs on a column, read literally; integers of 2^20 for everything.

A column has `cells` (None is missing) and `tree`: None for numbers, else nested nodes, a leaf being
its name and an inner node a pair of a name and its children.
"""

from __future__ import annotations

UNIT = 2**20


def height(tree):
    return 0 if isinstance(tree, str) else 1 + max(height(child) for child in tree[1])


def leaves(tree):
    return (
        [tree] if isinstance(tree, str) else [leaf for child in tree[1] for leaf in leaves(child)]
    )


def lowest_above(tree, names):
    """The lowest node above all of these leaves."""
    if isinstance(tree, str):
        return tree
    for child in tree[1]:
        if names <= set(leaves(child)):
            return lowest_above(child, names)
    return tree


class Costs:
    """Costs of a table; remembers what it has worked out, and nothing else."""

    def __init__(self, columns):
        self.columns = columns
        self.known = [{} for _ in columns]
        self.ends = [
            (min(there), max(there)) if (there := _there(c.cells)) and c.tree is None else None
            for c in columns
        ]

    def of(self, rows):
        """The cost of a set of rows: the sum over all columns."""
        return sum(self.on(axis, rows) for axis in range(len(self.columns)))

    def on(self, axis, rows):
        """The cost on one column: range, or height of the lowest common ancestor; missing mixed
        with others is everything.
        """
        cells = self.columns[axis].cells
        held = frozenset(cells[row] for row in rows)
        if held not in self.known[axis]:
            self.known[axis][held] = self._on(axis, held)
        return self.known[axis][held]

    def _on(self, axis, held):
        tree = self.columns[axis].tree
        if held == {None}:
            return 0
        if None in held:
            return UNIT
        if tree is None:
            low, high = self.ends[axis]
            positions = [round((x - low) / ((high - low) or 1.0) * UNIT) for x in held]
            return max(positions) - min(positions)
        return round(height(lowest_above(tree, held)) / max(height(tree), 1) * UNIT)


def _there(cells):
    return [cell for cell in cells if cell is not None]
