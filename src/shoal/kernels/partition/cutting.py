"""Groups with more rows than they need, cut in two along one axis while that lowers the loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Labels, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import Costs, between
from shoal.kernels.guards import Rules, Tally, add, change, clear, follows_all, tally_of
from shoal.kernels.jit import compiled

# Cuts inside one another: parts further inside stay whole, so that the work is bounded.
DEEPEST = 64
NOWHERE = -1


class Cutting(NamedTuple):
    """Tuples whose groups are cut, and what each side of a cut has to hold."""

    costs: Costs
    codes: Ints  # [axes, tuples]
    counts: Counts  # [tuples]: rows
    k: int
    rules: Rules  # of the tuples


class Sides(NamedTuple):
    """Arrays for the two sides of the cuts that are compared."""

    before: Tally
    after: Tally
    beyond: Longs  # the loss of the tuples from each place on


@compiled
def cut_apart(cutting: Cutting, order: Ints, starts: Longs, labels: Labels) -> int:
    """Cut the groups `order[starts[g]:starts[g + 1]]` of tuples; return how many there are then.

    A cut leaves k rows on either side, and what the rules ask for; it is the one that saves most,
    ties by lowest axis and place. Parts are numbered one after the other, the lower side of a cut
    first.
    """
    largest = 0
    for whole in range(len(starts) - 1):
        largest = max(largest, starts[whole + 1] - starts[whole])
    rules = cutting.rules
    sides = Sides(tally_of(rules), tally_of(rules), np.empty(largest, np.int64))
    waiting = np.empty((DEEPEST + 1, 3), np.int64)
    group = 0
    for whole in range(len(starts) - 1):
        waiting[0, 0] = starts[whole]
        waiting[0, 1] = starts[whole + 1]
        waiting[0, 2] = 0
        left = 1
        while left:
            left -= 1
            start = waiting[left, 0]
            stop = waiting[left, 1]
            depth = waiting[left, 2]
            here = order[start:stop]
            place = NOWHERE
            if depth < DEEPEST and cutting.counts[here].sum() >= 2 * cutting.k:
                place = cut_best(cutting, sides, here)
            if place == NOWHERE:
                for t in here:
                    labels[t] = group
                group += 1
                continue
            waiting[left, 0] = start + place
            waiting[left, 2] = depth + 1
            waiting[left + 1, 0] = start
            waiting[left + 1, 1] = start + place
            waiting[left + 1, 2] = depth + 1
            left += 2
    return group


@compiled
def cut_best(cutting: Cutting, sides: Sides, here: Ints) -> int:
    """Find the place of the cut of some tuples that saves most, NOWHERE if none saves.

    The tuples are then put in the order of their codes on the axis of that cut.
    """
    codes = cutting.codes
    axes = np.empty(len(codes), np.int64)
    rows = cutting.counts[here].sum()
    cost = 0
    wide = 0
    for axis in range(len(codes)):
        paid = between(cutting.costs, axis, codes[axis][here].min(), codes[axis][here].max())
        cost += paid
        if paid > 0:  # the others can save nothing
            axes[wide] = axis
            wide += 1
    axes = axes[:wide]
    best = here
    place = NOWHERE
    least = rows * cost
    for i in range(wide):
        along = here[np.argsort(codes[axes[i]][here], kind="mergesort")]
        at, loss = cut_along(cutting, sides, axes, along, rows, least)
        if at != NOWHERE:
            best = along
            place = at
            least = loss
    copy(best, here)
    return place


@compiled
def cut_along(
    cutting: Cutting, sides: Sides, axes: Longs, along: Ints, rows: int, least: int
) -> tuple[int, int]:
    """Find the place in an order of tuples where a cut leaves the lowest loss below `least`.

    Returns the place, or NOWHERE, and the loss. The tuples hold `rows` rows, and their box costs
    something on these axes alone.
    """
    costs, codes, counts, k, rules = cutting
    before, after, beyond = sides
    lo = np.empty(len(axes), np.int32)
    hi = np.empty(len(axes), np.int32)
    above = 0
    place = NOWHERE
    for at in range(len(along) - 1, 0, -1):
        above += counts[along[at]]
        widen(codes, axes, along[at], lo, hi, at == len(along) - 1)
        beyond[at] = above * paid_by(costs, axes, lo, hi) if k <= above <= rows - k else 0
    for t in along:
        add(rules, after, t, counts[t])
    below = 0
    for at in range(1, len(along)):
        t = along[at - 1]
        below += counts[t]
        widen(codes, axes, t, lo, hi, at == 1)
        add(rules, before, t, counts[t])
        change(rules, after, t, -counts[t])
        if k <= below <= rows - k:
            loss = below * paid_by(costs, axes, lo, hi) + beyond[at]
            if loss < least and follows_all(rules, before) and follows_all(rules, after):
                place = at
                least = loss
    clear(before)
    clear(after)
    return place, least


@compiled
def widen(codes: Ints, axes: Longs, t: int, lo: Ints, hi: Ints, first: bool) -> None:
    """Let a tuple join a box on some axes; the first one is the box."""
    for i in range(len(axes)):
        code = codes[axes[i], t]
        lo[i] = code if first else min(lo[i], code)
        hi[i] = code if first else max(hi[i], code)


@compiled
def paid_by(costs: Costs, axes: Longs, lo: Ints, hi: Ints) -> int:
    """Compute what a box costs on some axes."""
    total = 0
    for i in range(len(axes)):
        total += between(costs, axes[i], lo[i], hi[i])
    return total
