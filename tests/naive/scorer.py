"""Losses read literally from their definitions: plain values, rows of hierarchy files, one label
for each row.

A table is a list of columns, a column a list of values (None is missing). `files` holds for each
column None (a number) or the rows of its hierarchy file, each from a value up to the root. Label -1
is a withheld row.
"""

from __future__ import annotations

from collections import Counter
from math import ceil, log2


class Node:
    """A node of a hierarchy: the values under it, and its children."""

    def __init__(self, label, paths):
        """`paths`: for each value under the node the labels between the two, from the value up."""
        self.values = {value for value, _ in paths}
        below = {}
        for value, path in paths:
            if path:
                below.setdefault(path[-1], []).append((value, path[:-1]))
        self.children = [Node(name, inside) for name, inside in below.items()]
        if list(below) == [label]:  # a label that is only repeated makes no node
            self.children = self.children[0].children
        self.height = 1 + max(child.height for child in self.children) if self.children else 0

    def leaves(self):
        """The values in the order of the file, those of a node together."""
        return [leaf for child in self.children for leaf in child.leaves()] or list(self.values)

    def lowest_above(self, values):
        for child in self.children:
            if values <= child.values:
                return child.lowest_above(values)
        return self


def grow(rows):
    """The tree of a hierarchy file."""
    if len({row[-1] for row in rows}) > 1 or len(rows[0]) == 1:
        rows = [[*row, "*"] for row in rows]
    return Node(rows[0][-1], [(row[0], list(row[:-1])) for row in rows])


class Scorer:
    """All losses of one grouping of one table."""

    def __init__(self, columns, files, labels, classes=None):
        self.columns = columns
        self.trees = [None if rows is None else grow(rows) for rows in files]
        self.places = [
            tree and {leaf: place for place, leaf in enumerate(tree.leaves())}
            for tree in self.trees
        ]
        self.labels = list(labels)
        self.rows = len(self.labels)
        self.observed = [set(cells) - {None} for cells in columns]
        self.width = [
            None if rows is not None or not there else (max(there) - min(there)) or 1
            for rows, there in zip(files, self.observed, strict=True)
        ]
        self.classes = classes
        self.groups = {}
        for row, label in enumerate(self.labels):
            if label >= 0:
                self.groups.setdefault(label, []).append(row)
        self.withheld = [row for row, label in enumerate(self.labels) if label < 0]

    # what a set of values costs on a column

    def height_loss(self, column, values):
        return self._loss(
            column, values, lambda tree, there: tree.lowest_above(there).height / (tree.height or 1)
        )

    def leaf_loss(self, column, values):
        return self._loss(
            column, values, lambda tree, there: self._share(tree, tree.lowest_above(there).values)
        )

    def set_loss(self, column, values):
        return self._loss(column, values, self._share)

    def _loss(self, column, values, of_tree):
        there = set(values) - {None}
        if None in values:
            return 1.0 if there else 0.0
        if self.trees[column] is not None:
            return of_tree(self.trees[column], there)
        return (max(there) - min(there)) / self.width[column]

    @staticmethod
    def _share(tree, values):
        return (len(values) - 1) / (len(tree.values) - 1) if len(tree.values) > 1 else 0.0

    def box(self, column, values):
        """All values that a printed cell could stand for."""
        there = set(values) - {None}
        if None in values:
            return {None, *self.observed[column]} if there else {None}
        if self.trees[column] is not None:
            return self.trees[column].lowest_above(there).values
        lo = min(there)
        hi = max(there)
        return {value for value in self.observed[column] if lo <= value <= hi}

    # sums over the table

    def per_cell(self, loss):
        total = float(len(self.withheld) * len(self.columns))
        for rows in self.groups.values():
            for column, cells in enumerate(self.columns):
                total += len(rows) * loss(column, [cells[row] for row in rows])
        return total / (self.rows * len(self.columns))

    def total_information_loss(self):
        return self.per_cell(self.height_loss) * self.rows * len(self.columns)

    def height_share(self):
        return self.per_cell(self.height_loss)

    def leaf_share(self):
        return self.per_cell(self.leaf_loss)

    def loss_metric(self):
        return self.per_cell(self.set_loss)

    def _bits(self, of_cell):
        total = 0.0
        for column, cells in enumerate(self.columns):
            times = Counter(cells)
            for rows in [*self.groups.values(), self.withheld]:
                box = (
                    set(times)
                    if rows is self.withheld
                    else self.box(column, [cells[row] for row in rows])
                )
                inside = [times[value] for value in box if value in times]
                total += sum(of_cell(inside, sum(inside), times[cells[row]]) for row in rows)
        return total / (self.rows * len(self.columns))

    def non_uniform_entropy(self):
        return self._bits(lambda inside, rows, mine: log2(rows / mine))

    def entropy_loss(self):
        return self._bits(
            lambda inside, rows, mine: -sum(c / rows * log2(c / rows) for c in inside)
        )

    def discernibility(self):
        return sum(len(rows) ** 2 for rows in self.groups.values()) + len(self.withheld) * self.rows

    def average_group_size(self):
        return self.rows / len(self.groups) if self.groups else None

    def classification_metric(self):
        if self.classes is None:
            return None
        wrong = len(self.withheld)
        for rows in self.groups.values():
            times = Counter(self.classes[row] for row in rows)
            wrong += sum(times[self.classes[row]] < max(times.values()) for row in rows)
        return wrong / self.rows

    def row_loss(self, row):
        if self.labels[row] < 0:
            return 1.0
        rows = self.groups[self.labels[row]]
        losses = [
            self.height_loss(column, [cells[r] for r in rows])
            for column, cells in enumerate(self.columns)
        ]
        return sum(losses) / len(losses)

    def row_loss_p95(self):
        return sorted(self.row_loss(row) for row in range(self.rows))[
            ceil(self.rows * 95 / 100) - 1
        ]

    def worst_subgroup_loss(self):
        losses = [self.row_loss(row) for row in range(self.rows)]
        found = []
        for tree, cells in zip(self.trees, self.columns, strict=True):
            for value in set(cells) if tree is not None else ():
                mine = [loss for loss, cell in zip(losses, cells, strict=True) if cell == value]
                if len(mine) >= 30 and len(mine) * 1000 >= self.rows:
                    found.append(sum(mine) / len(mine))
        return max(found, default=None)

    # squared errors

    def _errors(self, column, rows):
        """The squared error of each of the rows as one group."""
        cells = self.columns[column]
        there = [cells[row] for row in rows if cells[row] is not None]
        if not there:
            return [0.0] * len(rows)
        if self.trees[column] is None:
            mean = sum(there) / len(there)
            width = self.width[column]
            return [
                1.0 if cells[row] is None else ((cells[row] - mean) / width) ** 2 for row in rows
            ]
        tree = self.trees[column]
        options = []
        for centre in set(there):
            apart = [tree.lowest_above({centre, value}).height for value in there]
            options.append(
                (sum(apart), sum(steps**2 for steps in apart), self.places[column][centre], centre)
            )
        centre = min(options)[-1]
        heights = [
            None if cells[row] is None else tree.lowest_above({centre, cells[row]}).height
            for row in rows
        ]
        return [1.0 if steps is None else (steps / (tree.height or 1)) ** 2 for steps in heights]

    def squared_error(self):
        total = float(len(self.withheld) * len(self.columns))
        for column in range(len(self.columns)):
            total += sum(sum(self._errors(column, rows)) for rows in self.groups.values())
        return total

    def squared_error_share(self):
        shares = []
        for column in range(len(self.columns)):
            most = self._errors(column, range(self.rows))
            if len(set(self.columns[column])) > 1:
                left = sum(sum(self._errors(column, rows)) for rows in self.groups.values())
                shares.append((left + sum(most[row] for row in self.withheld)) / sum(most))
        return sum(shares) / len(shares) if shares else None

    # what nobody can undercut

    def lower_bound(self, k):
        total = 0.0
        for row in range(self.rows):
            apart = [
                sum(
                    self.height_loss(column, [cells[row], cells[other]])
                    for column, cells in enumerate(self.columns)
                )
                for other in range(self.rows)
                if other != row
            ]
            total += (
                sorted(apart)[k - 2]
                if 2 <= k <= self.rows
                else len(self.columns)
                if k > self.rows
                else 0.0
            )
        return total
