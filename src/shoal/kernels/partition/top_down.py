"""Top-down specialization: cuts of nodes, what they gain, and the groups after them, in integers.

A node is a stretch of codes on one axis, `lo` to `hi`; its rows are a stretch of the axis's rows in
the order of their codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled


class ClassEntropy(NamedTuple):
    """Classes of rows, and what their entropy is counted with.

    The tallies are all 0 between calls; `disorder` is n * log2(n) for each n, rounded.
    """

    codes: Ints
    left: Longs
    right: Longs
    disorder: Longs


class Cut(NamedTuple):
    """A node and the children it is cut into; rows stand in the order of their codes."""

    order: Longs  # rows
    starts: Longs  # [codes + 1]: rows before each code
    firsts: Longs  # the first code of each child
    hi: int  # the last code of the node


class GroupCounts(NamedTuple):
    """Counts of groups, so that no call has to clear what it does not touch.

    All but `fresh` are [group].
    """

    seen: Longs  # the child, counted on from one call to the next, in which the group was last met
    kept: Longs  # the call in which it was last met
    held: Longs  # how many rows of that child
    number: Longs  # their new label
    fresh: Longs  # [rows]: new labels


@compiled
def children(costs: Costs, axis: int, lo: int, hi: int) -> Longs:
    """List the first code of each child of the lowest tree node above two codes.

    There is none where they share a leaf.
    """
    size = costs.size[axis]
    at = costs.node_at[axis]
    firsts = np.empty(hi - lo + 1, np.int64)
    if costs.node[at + lo] == costs.node[at + hi]:
        return firsts[:0]
    while costs.node[at + size + lo] != costs.node[at + size + hi]:
        at += size
    count = 0
    for code in range(lo, hi + 1):
        if code == lo or costs.node[at + code] != costs.node[at + code - 1]:
            firsts[count] = code
            count += 1
    return firsts[:count]


@compiled
def saved(costs: Costs, axis: int, starts: Longs, firsts: Longs, hi: int) -> int:
    """Compute by how much rows times cost falls when a node is cut.

    `starts[code]` counts the rows before each code.
    """
    lo = firsts[0]
    fall = (starts[hi + 1] - starts[lo]) * np.int64(between(costs, axis, lo, hi))
    for child in range(len(firsts)):
        last = firsts[child + 1] - 1 if child + 1 < len(firsts) else hi
        fall -= (starts[last + 1] - starts[firsts[child]]) * np.int64(
            between(costs, axis, firsts[child], last)
        )
    return fall


@compiled
def cut_that_saves(costs: Costs, axis: int, starts: Longs, lo: int, hi: int) -> Longs:
    """Cut a stretch of numbers in two where rows times cost falls most, ties by lowest code.

    Returns the first code of both children.
    """
    best = lo + 1
    least = np.int64(-1)
    for first in range(lo + 1, hi + 1):
        left = (starts[first] - starts[lo]) * np.int64(between(costs, axis, lo, first - 1))
        right = (starts[hi + 1] - starts[first]) * np.int64(between(costs, axis, first, hi))
        if least < 0 or left + right < least:
            best = first
            least = left + right
    return np.array([lo, best])


@compiled
def gained(classes: ClassEntropy, order: Longs, starts: Longs, firsts: Longs, hi: int) -> int:
    """Compute rows times the information about the class that a cut gains."""
    gain = _unrest(classes, order[starts[firsts[0]] : starts[hi + 1]])
    for child in range(len(firsts)):
        last = firsts[child + 1] - 1 if child + 1 < len(firsts) else hi
        gain -= _unrest(classes, order[starts[firsts[child]] : starts[last + 1]])
    return gain


@compiled
def _unrest(classes: ClassEntropy, rows: Longs) -> int:
    """Compute rows times the entropy of their classes."""
    unrest = classes.disorder[len(rows)]
    for row in rows:
        code = classes.codes[row]
        unrest += classes.disorder[classes.left[code]] - classes.disorder[classes.left[code] + 1]
        classes.left[code] += 1
    for row in rows:
        classes.left[classes.codes[row]] = 0
    return unrest


@compiled
def cut_that_gains(classes: ClassEntropy, order: Longs, starts: Longs, lo: int, hi: int) -> Longs:
    """Cut a stretch of numbers in two where it tells most about the class, ties by lowest code.

    Returns the first code of both children.
    """
    begin = starts[lo]
    end = starts[hi + 1]
    # The more of n * log2(n) is inside the classes of both sides, the less unrest there is.
    ordered = np.int64(0)
    for row in order[begin:end]:
        code = classes.codes[row]
        ordered += classes.disorder[classes.right[code] + 1] - classes.disorder[classes.right[code]]
        classes.right[code] += 1
    best = lo + 1
    least = np.int64(0)
    compared = False
    for first in range(lo + 1, hi + 1):
        for row in order[starts[first - 1] : starts[first]]:
            code = classes.codes[row]
            l = classes.left[code]
            r = classes.right[code]
            ordered += (
                classes.disorder[l + 1]
                - classes.disorder[l]
                + classes.disorder[r - 1]
                - classes.disorder[r]
            )
            classes.left[code] = l + 1
            classes.right[code] = r - 1
        unrest = (
            classes.disorder[starts[first] - begin]
            + classes.disorder[end - starts[first]]
            - ordered
        )
        if not compared or unrest < least:
            best = first
            least = unrest
            compared = True
    for row in order[begin:end]:
        classes.left[classes.codes[row]] = 0
        classes.right[classes.codes[row]] = 0
    return np.array([lo, best])


@compiled
def specialize(
    cut: Cut, labels: Longs, count: int, least: int, desk: GroupCounts, tick: int
) -> int:
    """Write the labels of a node's rows after its cut to the desk; return how many there are.

    It is -1 where a group would hold fewer than `least` rows. The first child of a group keeps its
    number. `tick` is above all that was written to the desk before.
    """
    order, starts, firsts, hi = cut
    for child in range(len(firsts)):
        end = firsts[child + 1] if child + 1 < len(firsts) else hi + 1
        rows = order[starts[firsts[child]] : starts[end]]
        for row in rows:
            group = labels[row]
            if desk.seen[group] != tick + child:
                desk.seen[group] = tick + child
                desk.held[group] = 0
                desk.number[group] = group
                if desk.kept[group] >= tick:
                    desk.number[group] = count
                    count += 1
                desk.kept[group] = tick
            desk.held[group] += 1
            desk.fresh[row] = desk.number[group]
        for row in rows:
            if desk.held[labels[row]] < least:
                return -1
    return count
