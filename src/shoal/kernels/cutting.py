"""Groups that hold more rows than they need, cut in two along one axis as long as that lowers the loss."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Counts, Ints, Labels, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.guards import Rules, Tally, add, change, clear, follows_all, tally_of
from shoal.kernels.jit import compiled

DEEPEST = 64  # cuts inside one another: who stands further inside stays as he is, so that the work is bounded
NOWHERE = -1


@compiled
def cut_apart(
    costs: Costs, codes: Ints, counts: Counts, k: int, rules: Rules, order: Ints, starts: Longs, labels: Labels
) -> int:
    """Cut the groups `order[starts[g]:starts[g + 1]]` of tuples; how many there are then. Rules are those of the tuples.

    A cut leaves k rows on either side, and what the rules ask for; it is the one that saves most, ties by lowest axis and
    place. Parts are numbered one after the other, the lower side of a cut first.
    """
    tallies, waiting, group = (tally_of(rules), tally_of(rules)), np.empty((DEEPEST + 1, 3), np.int64), 0
    room = np.empty(np.diff(starts).max() if len(starts) > 1 else 0, np.int64)
    for whole in range(len(starts) - 1):
        waiting[0, 0], waiting[0, 1], waiting[0, 2] = starts[whole], starts[whole + 1], 0
        left = 1
        while left:
            left -= 1
            start, stop, depth = waiting[left, 0], waiting[left, 1], waiting[left, 2]
            here, place = order[start:stop], NOWHERE
            if depth < DEEPEST and counts[here].sum() >= 2 * k:
                place = cut_best(costs, codes, counts, k, rules, tallies, here, room)
            if place == NOWHERE:
                labels[here] = group
                group += 1
                continue
            waiting[left, 0], waiting[left, 2] = start + place, depth + 1
            waiting[left + 1, 0], waiting[left + 1, 1], waiting[left + 1, 2] = start, start + place, depth + 1
            left += 2
    return group


@compiled
def cut_best(
    costs: Costs, codes: Ints, counts: Counts, k: int, rules: Rules, tallies: tuple[Tally, Tally], here: Ints, room: Longs
) -> int:
    """The place of the cut that saves most, NOWHERE if none does; the tuples then stand along its axis."""
    axes, rows, cost, wide = np.empty(len(codes), np.int64), counts[here].sum(), 0, 0
    for axis in range(len(codes)):
        paid = between(costs, axis, codes[axis][here].min(), codes[axis][here].max())
        cost += paid
        if paid > 0:  # the others can save nothing
            axes[wide] = axis
            wide += 1
    axes, found, place, least = axes[:wide], here, NOWHERE, rows * cost
    for i in range(wide):
        axis = axes[i]
        along = here[np.argsort(codes[axis][here], kind="mergesort")]
        at, loss = cut_along(costs, codes, counts, k, rules, tallies, axes, along, rows, least, room)
        if at != NOWHERE:
            found, place, least = along, at, loss
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
    """The place in an order of tuples at which a cut leaves less than `least`, as little as possible; and what it leaves."""
    lo, hi = np.empty(len(axes), np.int32), np.empty(len(axes), np.int32)
    beyond, place = 0, NOWHERE
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
                place, least = at, loss
    clear(before)
    clear(after)
    return place, least


@compiled
def widen(codes: Ints, axes: Longs, t: int, lo: Ints, hi: Ints, first: bool) -> None:
    """A tuple joins a box."""
    for i in range(len(axes)):
        code = codes[axes[i], t]
        lo[i], hi[i] = code if first else min(lo[i], code), code if first else max(hi[i], code)


@compiled
def paid_by(costs: Costs, axes: Longs, lo: Ints, hi: Ints) -> int:
    """What a box costs on some axes."""
    total = 0
    for i in range(len(axes)):
        total += between(costs, axes[i], lo[i], hi[i])
    return total
