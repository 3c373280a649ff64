"""Lattice: all combinations of one level for each column, and the search for the best of them.

    order  = all nodes by what they would lose if no row were left out, least first
    for each node of the order that may still be as good as the best:
        take a path from it to the top, always by the cheapest step
        halve the path again and again: look at the node in the middle;
            go on above it if it shows that the path's beginning is hopeless, else below it
        look at the node itself, if it may still be as good as the best

To look at a node is to count its groups and those that must be left out (`Nodes.look`). A node that
leaves out more rows than may be stays out, and so does every node below it: going down only divides
groups, so those that are too small stay so. Even where any number of rows may be left out, the rows
that a node leaves out are also left out below it, and cost everything there: that is a bound on the
loss of all nodes below. What is never looked at is worse than the best by such a bound, so the
result is the best of all nodes. Where several are wanted (`wanted`), the last of those found so far
takes the place of the best, and the result is that many of the best nodes.

Where the models look at more than sizes, groups that grow need not become safe:

| models | what a node tells of those below it |
|---|---|
| a safe group stays safe whoever joins (k, l-diversity) | all rows that it leaves out stay out |
| unions of safe groups are safe, no row may be left out | if it is unsafe, so are they |
| others | rows in groups below the least size stay out; every other node is looked at |
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.kernels.partition import full_domain as kernels
from shoal.kernels.partition.full_domain import NodeBounds

SLACK = 1e-12  # of a product that is compared as a float first


@dataclass(frozen=True)
class Look:
    """A node as it was seen: the rows that it leaves out, and what it loses."""

    withheld: int | None
    """The rows that are left out there; None where more would be than may, or all."""
    below: int
    """The rows that every node below leaves out, at least; more than may be if none is safe."""
    loss: int
    """What the node loses, in whole numbers that can be compared; 0 where it is no solution."""
    measured: float
    """The loss on the scale of the bounds."""
    uncharged: float = 0.0
    """What it would lose if no row were left out, on that scale."""


@dataclass(frozen=True)
class BestNode:
    """One of the best nodes: its levels, and what is left out there."""

    node: tuple[int, ...]
    look: Look


@dataclass
class Search:
    """The search of one lattice: bounds of all nodes, what was seen, and the best so far."""

    levels: Longs
    bounds: NodeBounds
    look: Callable[[Longs, float], Look]
    """Looks at a node, given what it may lose at most to be one of those that are wanted."""
    may: int
    """How many rows may be left out."""
    grows: bool = False
    """Whether nodes lose at least what those below them lose, which bounds don't know yet."""
    watch: Callable[[float], None] = lambda share: None
    wanted: int = 1
    """How many of the best nodes are to be found."""
    seen: dict[int, Look] = field(default_factory=dict)
    solutions: list[BestNode] = field(default_factory=list)
    """The best nodes so far, as many as are wanted, the best of all first."""
    nearest: BestNode | None = None
    """The node that leaves out fewest rows, where too many for a solution."""

    def run(self) -> list[BestNode]:
        """Find the nodes that lose least; of equals first those that leave out fewest rows.

        Of those first the ones with the lowest levels, column by column. None where no node is
        safe.
        """
        order = np.argsort(self.bounds.least, kind="stable")
        place = 0
        while True:
            place = kernels.next_open(self.bounds, order, place, self.may, self._limit())
            if place == len(order):
                return self.solutions
            self.watch(place / len(order))
            flat = int(order[place])
            if flat not in self.seen:
                self._halve(self._path(flat))
            if flat not in self.seen and self._may_win(flat):
                self._see(flat)
            place += 1

    def _limit(self) -> float:
        """Return what a node may lose at most to be one of those that are wanted."""
        if len(self.solutions) < self.wanted:
            return math.inf
        measured = self.solutions[-1].look.measured
        return measured * (1 + SLACK) if self.bounds.geometric else measured

    def _may_win(self, flat: int) -> bool:
        return (
            int(self.bounds.left_out[flat]) <= self.may
            and kernels.least_loss(self.bounds, flat) <= self._limit()
        )

    def _path(self, flat: int) -> list[int]:
        """Go from a node to the top, always by the step after which least is lost."""
        path = [flat]
        node = self._node(flat)
        while True:
            steps = [
                (float(self.bounds.least[path[-1] + stride]), column, path[-1] + int(stride))
                for column, stride in enumerate(self.bounds.strides)
                if node[column] + 1 < self.levels[column]
            ]
            if not steps:
                return path
            _, column, above = min(steps)
            node[column] += 1
            path.append(above)

    def _halve(self, path: list[int]) -> None:
        """Look at nodes of a path until the lowest that is not hopeless has been seen."""
        low = 0
        high = len(path) - 1
        while low <= high:
            middle = (low + high) // 2
            if path[middle] not in self.seen:
                self._see(path[middle])
            if self._hopeless(path, middle):
                low = middle + 1
            else:
                high = middle - 1

    def _hopeless(self, path: list[int], middle: int) -> bool:
        """Tell whether a node of a path shows that nothing below it can win."""
        if self.seen[path[middle]].below > self.may:
            return True
        return not self._may_win(path[0])

    def _see(self, flat: int) -> None:
        """Look at a node, and note what follows for others."""
        node = self._node(flat)
        look = self.look(node, self._limit())
        self.seen[flat] = look
        shape = tuple(self.levels)
        if look.below:
            below = self.bounds.left_out.reshape(shape)[tuple(slice(0, at + 1) for at in node)]
            np.maximum(below, look.below, out=below)
        if self.grows:
            above = self.bounds.least.reshape(shape)[tuple(slice(at, None) for at in node)]
            np.maximum(above, look.uncharged, out=above)
        here = BestNode(tuple(node.tolist()), look)
        if look.withheld is not None:
            # One that was not judged, as it loses more than the last, is dropped again at once.
            insort(self.solutions, here, key=_rank)
            del self.solutions[self.wanted :]
        fewest = self.nearest is None or look.below < self.nearest.look.below
        if look.withheld is None and fewest:
            self.nearest = here

    def _node(self, flat: int) -> Longs:
        return np.array(np.unravel_index(flat, tuple(self.levels)), np.int64)


def _rank(seen: BestNode) -> tuple[int, int, tuple[int, ...]]:
    return seen.look.loss, seen.look.withheld or 0, seen.node


def strides_of(levels: Sequence[int]) -> Longs:
    """Compute how far apart neighbours on each column stand in the flat order of nodes."""
    return np.array([math.prod(levels[column + 1 :]) for column in range(len(levels))], np.int64)


def outer_sum(of_levels: Sequence[Floats]) -> Floats:
    """Sum a figure of the level of each column, for all nodes of a lattice."""
    total = np.zeros(1)
    for each in of_levels:
        total = (total[:, None] + each[None, :]).ravel()
    return total
