"""Sequential clustering: each row moves to the group where the loss falls most, in integers.

A row that joins a group of size s and cost D adds D and (s + 1) times what the box grows by, axis
by axis. No axis adds less than nothing, so groups that exceed the best known growth are dropped
after each axis, and the best one is exact. On one axis, the box around a point and a box costs the
most of three: the box, and the point with either of its ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.costs import Costs, between, fill_increments
from shoal.kernels.jit import compiled

# An axis with more codes than this is asked for each group, instead of once for each row.
WIDE = 1024
EMPTY = 2**62  # the cost of a group without rows: nobody joins it


class State(NamedTuple):
    """Groups that rows move between; the rows of a group form a ring of `after` and `before`."""

    codes: Ints  # [axes, rows]
    labels: Longs
    sizes: Counts
    lo: Ints  # [axis, group]
    hi: Ints
    parts: Ints  # [axis, group]: the cost of the box on each axis
    total: Longs  # [group]: over all axes, EMPTY without rows
    some: Longs  # [group]: one of its rows
    after: Longs
    before: Longs
    # [rows]: a group that may suit the row well; tried first, because that makes the search short
    hint: Longs


@compiled
def opened(costs: Costs, codes: Ints, labels: Longs, count: int, hint: Longs) -> State:
    """Build the state of rows with these labels, 0 to `count` - 1."""
    axes, rows = codes.shape
    state = State(
        codes,
        labels,
        np.zeros(count, np.int64),
        np.zeros((axes, count), np.int32),
        np.zeros((axes, count), np.int32),
        np.zeros((axes, count), np.int32),
        np.full(count, EMPTY),
        np.full(count, -1),
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        hint,
    )
    for row in range(rows):
        _enter(costs, state, row, labels[row])
    return state


class Sieve(NamedTuple):
    """Groups that may suit the row at hand, and arrays to compare them with."""

    axes: Longs  # in the order in which they are looked at
    at: Longs  # [axes + 1]: where the costs of each axis begin in `steps`
    steps: Ints  # the cost of the box from the row's code to each other code, for narrow axes
    groups: Longs  # those that are left, in ascending order
    growth: Longs  # by how much their losses rise on the axes looked at so far


@compiled
def selective_first(costs: Costs, codes: Ints) -> Longs:
    """List the axes from the one on which rows differ most to that on which they differ least.

    Rows that stand next to each other in the table are compared.
    """
    apart = np.zeros(codes.shape[0], np.int64)
    for axis in range(codes.shape[0]):
        for row in range(1, codes.shape[1]):
            one = codes[axis, row - 1]
            two = codes[axis, row]
            apart[axis] -= between(costs, axis, min(one, two), max(one, two))
    return np.argsort(apart, kind="mergesort")


@compiled
def move_rows(costs: Costs, axes: Longs, state: State, first: int, upto: int, singles: bool) -> int:
    """Offer each row, from `first` to `upto` - 1, its best move; return how many moved.

    `singles` says whether a row that stands alone has to join others, whatever it costs.
    """
    codes = state.codes
    at = np.zeros(len(axes) + 1, np.int64)
    at[1:] = np.cumsum(np.where(costs.size > WIDE, 0, costs.size + 1))
    steps = np.empty(at[-1], np.int32)
    groups = np.empty(len(state.sizes), np.int64)
    sieve = Sieve(axes, at, steps, groups, np.empty(len(state.sizes), np.int64))
    shown = np.full(len(axes), -1)
    moved = 0
    for row in range(first, upto):
        own = state.labels[row]
        if state.sizes[own] == 1 and not singles:
            continue
        limit = _saving(costs, state, row) - 1 if state.sizes[own] > 1 else EMPTY - 1
        if limit < 0:
            continue
        for axis in axes:
            if costs.size[axis] <= WIDE and codes[axis, row] != shown[axis]:
                shown[axis] = codes[axis, row]
                fill_increments(
                    costs, axis, shown[axis], shown[axis], steps[at[axis] : at[axis + 1]]
                )
        best = _best_group(costs, state, sieve, row, limit)
        if best >= 0:
            state.hint[row] = own
            _leave(costs, state, row)
            _enter(costs, state, row, best)
            moved += 1
    return moved


@compiled
def _best_group(costs: Costs, state: State, sieve: Sieve, row: int, limit: int) -> int:
    """Find the group whose loss grows least with a row and by no more than the limit; or -1.

    It is not the row's own, and the lowest of several.
    """
    own = state.labels[row]
    hint = state.hint[row]
    point = state.codes[:, row]
    if hint >= 0 and hint != own and state.total[hint] <= limit:
        sieve.groups[0] = hint
        sieve.growth[0] = state.total[hint]
        if _sieved(costs, point, state, sieve, limit, 1) == 1:
            limit = sieve.growth[0]
    count = 0
    for group in range(len(state.total)):
        sieve.groups[count] = group
        sieve.growth[count] = state.total[group]
        count += state.total[group] <= limit and group != own
    count = _sieved(costs, point, state, sieve, limit, count)
    best = -1
    for place in range(count):
        if best < 0 or sieve.growth[place] < limit:
            best = sieve.groups[place]
            limit = sieve.growth[place]
    return best


@compiled
def _sieved(costs: Costs, point: Ints, state: State, sieve: Sieve, limit: int, count: int) -> int:
    """Keep those of `count` groups that grow by no more than the limit; return how many they are.

    They stay in order, with what they grow by.
    """
    groups = sieve.groups
    growth = sieve.growth
    for axis in sieve.axes:
        lo = state.lo[axis]
        hi = state.hi[axis]
        parts = state.parts[axis]
        line = sieve.steps[sieve.at[axis] :]
        x = point[axis]
        kept = 0
        for place in range(count):
            group = groups[place]
            if costs.size[axis] <= WIDE:
                cost = max(parts[group], max(line[lo[group]], line[hi[group]]))
            else:
                cost = between(costs, axis, min(x, lo[group]), max(x, hi[group]))
            grown = growth[place] + (state.sizes[group] + 1) * np.int64(cost - parts[group])
            groups[kept] = group
            growth[kept] = grown
            kept += grown <= limit
        count = kept
    return count


@compiled
def _saving(costs: Costs, state: State, row: int) -> int:
    """Compute by how much the loss of a row's group, of two or more, falls when the row leaves."""
    codes = state.codes
    group = state.labels[row]
    left = 0
    for axis in range(len(codes)):
        lo = state.lo[axis, group]
        hi = state.hi[axis, group]
        if lo < codes[axis, row] < hi or lo == hi:
            left += state.parts[axis, group]
        else:
            lo, hi = _ends_without(codes[axis], state, row, lo, hi)
            left += between(costs, axis, lo, hi)
    return state.sizes[group] * state.total[group] - (state.sizes[group] - 1) * left


@compiled
def _ends_without(column: Ints, state: State, row: int, lo: int, hi: int) -> tuple[int, int]:
    """Find the ends of a group on one axis, one of its rows left out.

    The search is over as soon as both old ends are met.
    """
    other = state.after[row]
    low = high = column[other]
    while other != row and (low > lo or high < hi):
        low = min(low, column[other])
        high = max(high, column[other])
        other = state.after[other]
    return low, high


@compiled
def _leave(costs: Costs, state: State, row: int) -> None:
    """Take a row out of its group."""
    codes = state.codes
    group = state.labels[row]
    state.sizes[group] -= 1
    if state.sizes[group] == 0:
        state.total[group] = EMPTY
        return
    for axis in range(len(codes)):
        lo = state.lo[axis, group]
        hi = state.hi[axis, group]
        if codes[axis, row] == lo or codes[axis, row] == hi:
            lo, hi = _ends_without(codes[axis], state, row, lo, hi)
            _set_box(costs, state, group, axis, lo, hi)
    state.some[group] = state.after[row]
    state.after[state.before[row]] = state.after[row]
    state.before[state.after[row]] = state.before[row]


@compiled
def _enter(costs: Costs, state: State, row: int, group: int) -> None:
    """Put a row into a group."""
    codes = state.codes
    state.labels[row] = group
    if state.sizes[group] == 0:
        state.total[group] = 0
        state.parts[:, group] = 0
        state.lo[:, group] = codes[:, row]
        state.hi[:, group] = codes[:, row]
        state.some[group] = row
        state.after[row] = row
        state.before[row] = row
    other = state.some[group]
    after = state.after[other]
    state.after[other] = row
    state.before[after] = row
    state.before[row] = other
    state.after[row] = after
    state.sizes[group] += 1
    for axis in range(len(codes)):
        code = codes[axis, row]
        lo = min(state.lo[axis, group], code)
        hi = max(state.hi[axis, group], code)
        _set_box(costs, state, group, axis, lo, hi)


@compiled
def _set_box(costs: Costs, state: State, group: int, axis: int, lo: int, hi: int) -> None:
    """Set the box of a group on one axis, and its costs."""
    cost = between(costs, axis, lo, hi)
    state.lo[axis, group] = lo
    state.hi[axis, group] = hi
    state.total[group] += cost - state.parts[axis, group]
    state.parts[axis, group] = cost
