"""Rows around centres, read literally: distances in whole numbers of 2^20, centres of each kind,
and the adjustment to k.

The centre of a column is None if all are missing; missing cells have no other part in it. Of
numbers it is the rounded mean. Of leaves it is the leaf with the least sum of distances (medoid),
or the list of leaves itself: their lowest common ancestor counts (ancestor), or the mean distance
to each of them (frequencies).
"""

from __future__ import annotations

import numpy as np

from naive.costs import UNIT, height, leaves, lowest_above


class Space:
    """A table with distances; `weights` stretch its columns."""

    def __init__(self, columns, kind, known=None, weights=None):
        self.columns = columns
        self.kind = kind
        self.known = {} if known is None else known
        self.weights = weights or [1.0] * len(columns)
        self.places = [[self.place(column, cell) for cell in column.cells] for column in columns]

    def stretched(self, weights):
        return Space(self.columns, self.kind, self.known, weights)

    def place(self, column, cell):
        """A number's share of the range as a whole number."""
        if column.tree is not None or cell is None:
            return cell
        there = [other for other in column.cells if other is not None]
        low = min(there)
        high = max(there)
        return round((cell - low) / ((high - low) or 1.0) * UNIT)

    def above(self, axis, held):
        """The cost of the lowest node above some leaves."""
        key = axis, frozenset(held)
        if key not in self.known:
            tree = self.columns[axis].tree
            self.known[key] = round(
                height(lowest_above(tree, set(held))) / max(height(tree), 1) * UNIT
            )
        return self.known[key]

    def centre(self, rows):
        return [
            self.centre_on(axis, [self.places[axis][row] for row in rows])
            for axis in range(len(self.columns))
        ]

    def centre_on(self, axis, places):
        there = [place for place in places if place is not None]
        tree = self.columns[axis].tree
        if not there:
            return None
        if tree is None:
            return half_up(sum(there), len(there))
        if self.kind != "medoid":
            return there
        order = leaves(tree)
        return min(
            set(there),
            key=lambda leaf: (sum(self.above(axis, [leaf, x]) for x in there), order.index(leaf)),
        )

    def on(self, axis, place, centre):
        """The distance of a place to a centre on one column."""
        weight = self.weights[axis]
        if place is None or centre is None:
            return 0 if place is centre else round(UNIT * weight)
        if self.columns[axis].tree is None:
            return min(abs(round(place * weight) - round(centre * weight)), round(UNIT * weight))
        if self.kind == "medoid":
            return round(self.above(axis, [place, centre]) * weight)
        if self.kind == "ancestor":
            return self.above(axis, [place, *centre])
        return half_up(sum(self.above(axis, [place, x]) for x in centre), len(centre))

    def distance(self, row, centre):
        return sum(
            self.on(axis, places[row], centre[axis]) for axis, places in enumerate(self.places)
        )

    def nearest(self, row, centres, among=None):
        return min(
            range(len(centres)) if among is None else among,
            key=lambda g: (self.distance(row, centres[g]), g),
        )

    def error(self, groups):
        """The squared error of groups around means and medoids."""
        return sum(squared_errors(Space(self.columns, "medoid", self.known), groups))


def half_up(total, count):
    return (2 * total + count) // (2 * count)


def squared_errors(space, groups):
    """On each column, the sum of squared distances to the group's centre; 1 is everything."""
    errors = [0] * len(space.columns)
    for rows in filter(None, groups):
        centre = space.centre(rows)
        for axis, places in enumerate(space.places):
            errors[axis] += sum(space.on(axis, places[row], centre[axis]) ** 2 for row in rows)
    return [error / UNIT**2 for error in errors]


def recentre(space, groups, centres):
    """Centres into the midst of their rows; that of an empty group stays."""
    for g, rows in enumerate(groups):
        if rows:
            centres[g] = space.centre(rows)


def grouped(chosen, count):
    groups = [[] for _ in range(count)]
    for row, group in enumerate(chosen):
        groups[group].append(row)
    return groups


def adjust(space, groups, centres, k, rng):
    """Every group keeps its k nearest rows; the others, in random order, go where rows are lacking,
    or to the nearest.
    """
    recentre(space, groups, centres)
    pool = []
    for g, rows in enumerate(groups):
        rows.sort(key=lambda row: (space.distance(row, centres[g]), row))
        pool += rows[k:]
        del rows[k:]
    recentre(space, groups, centres)
    for row in rng.permutation(np.array(sorted(pool), np.int64)).tolist():
        lacking = [g for g, rows in enumerate(groups) if len(rows) < k]
        g = space.nearest(row, centres, lacking or None)
        groups[g].append(row)
        centres[g] = space.centre(groups[g])
    return groups


class Rounds:
    """Rounds until the groups have been there before, 5 in a row are no better than the best, or
    enough.
    """

    def __init__(self, most):
        self.most = most
        self.seen = []
        self.best = None
        self.least = float("inf")
        self.since = 0

    def over(self, groups, error):
        self.since += 1
        if error < self.least:
            self.best = [list(rows) for rows in groups]
            self.least = error
            self.since = 0
        parts = {frozenset(rows) for rows in groups if rows}
        again = parts in self.seen
        self.seen.append(parts)
        return again or self.since == 5 or len(self.seen) == self.most
