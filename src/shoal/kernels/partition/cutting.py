"""Groups that hold more rows than they need, cut in two along one axis as long as that lowers the
loss.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Counts, Ints, Labels, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.guards import Rules, Tally, add, change, clear, follows_all, tally_of
from shoal.kernels.jit import compiled

# cuts inside one another: who stands further inside stays as he is, so that the work is bounded
DEEPEST = 64
NOWHERE = -1


@compiled
def cut_apart(
    costs: Costs,
    codes: Ints,
    counts: Counts,
    k: int,
    rules: Rules,
    order: Ints,
    starts: Longs,
    labels: Labels,
) -> int:
    """Cut the groups `order[starts[g]:starts[g + 1]]` of tuples; how many there are then. Rules are
    those of the tuples.

    A cut leaves k rows on either side, and what the rules ask for; it is the one that saves most,
    ties by lowest axis and place. Parts are numbered one after the other, the lower side of a cut
    first.
    """
    tallies = (tally_of(rules), tally_of(rules))
    waiting = np.empty((DEEPEST + 1, 3), np.int64)
    group = 0
    room = np.empty(np.diff(starts).max() if len(starts) > 1 else 0, np.int64)
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
            if depth < DEEPEST and counts[here].sum() >= 2 * k:
                place = cut_best(costs, codes, counts, k, rules, tallies, here, room)
            if place == NOWHERE:
                labels[here] = group
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
def cut_best(
    costs: Costs,
    codes: Ints,
    counts: Counts,
    k: int,
    rules: Rules,
    tallies: tuple[Tally, Tally],
    here: Ints,
    room: Longs,
) -> int:
    """The place of the cut that saves most, NOWHERE if none does; the tuples then stand along its
    axis.
    """
    axes = np.empty(len(codes), np.int64)
    rows = counts[here].sum()
    cost = 0
    wide = 0
    for axis in range(len(codes)):
        paid = between(costs, axis, codes[axis][here].min(), codes[axis][here].max())
        cost += paid
        if paid > 0:  # the others can save nothing
            axes[wide] = axis
            wide += 1
    axes = axes[:wide]
    found = here
    place = NOWHERE
    least = rows * cost
    for i in range(wide):
        axis = axes[i]
        along = here[np.argsort(codes[axis][here], kind="mergesort")]
        at, loss = cut_along(
            costs, codes, counts, k, rules, tallies, axes, along, rows, least, room
        )
        if at != NOWHERE:
            found = along
            place = at
            least = loss
    here[:] = found
    return place


@compiled
def cut_along(
    costs: Costs,
    codes: Ints,
    counts: Counts,
    k: int,
    rules: Rules,
    tallies: tuple[Tally, Tally],
    axes: Longs,
    along: Ints,
    rows: int,
    least: int,
    room: Longs,
) -> tuple[int, int]:
    """The place in an order of tuples at which a cut leaves less than `least`, as little as
    possible; and what it leaves.
    """
    lo = np.empty(len(axes), np.int32)
    hi = np.empty(len(axes), np.int32)
    beyond = 0
    place = NOWHERE
    for at in range(len(along) - 1, 0, -1):
        beyond += counts[along[at]]
        widen(codes, axes, along[at], lo, hi, at == len(along) - 1)
        room[at] = beyond * paid_by(costs, axes, lo, hi) if k <= beyond <= rows - k else 0
    before, after = tallies
    for t in along:
        add(rules, after, t, counts[t])
    behind = 0
    for at in range(1, len(along)):
        t = along[at - 1]
        behind += counts[t]
        widen(codes, axes, t, lo, hi, at == 1)
        add(rules, before, t, counts[t])
        change(rules, after, t, -counts[t])
        if k <= behind <= rows - k:
            loss = behind * paid_by(costs, axes, lo, hi) + room[at]
            if loss < least and follows_all(rules, before) and follows_all(rules, after):
                place = at
                least = loss
    clear(before)
    clear(after)
    return place, least


@compiled
def widen(codes: Ints, axes: Longs, t: int, lo: Ints, hi: Ints, first: bool) -> None:
    """A tuple joins a box."""
    for i in range(len(axes)):
        code = codes[axes[i], t]
        lo[i] = code if first else min(lo[i], code)
        hi[i] = code if first else max(hi[i], code)


@compiled
def paid_by(costs: Costs, axes: Longs, lo: Ints, hi: Ints) -> int:
    """What a box costs on some axes."""
    total = 0
    for i in range(len(axes)):
        total += between(costs, axes[i], lo[i], hi[i])
    return total
