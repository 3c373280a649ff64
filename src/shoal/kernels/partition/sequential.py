"""Sequential clustering: row after row moves to the group where the total loss falls most, in
integers.

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

WIDE = (
    1024  # an axis with more codes than this is asked for each group, instead of once for each row
)
EMPTY = 2**62  # the cost of a group without rows: nobody joins it


class State(NamedTuple):
    """Groups that rows move between; the rows of a group form a ring of `after` and `before`."""

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
    """The state of rows with these labels."""
    axes, rows = codes.shape
    state = State(
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
        _enter(costs, codes, state, row, labels[row])
    return state


@compiled
def selective_first(costs: Costs, codes: Ints) -> Longs:
    """The axes from the one on which rows differ most to that on which they differ least, by
    neighbours in the table.
    """
    apart = np.zeros(codes.shape[0], np.int64)
    for axis in range(codes.shape[0]):
        for row in range(1, codes.shape[1]):
            one = codes[axis, row - 1]
            two = codes[axis, row]
            apart[axis] -= between(costs, axis, min(one, two), max(one, two))
    return np.argsort(apart, kind="mergesort")


@compiled
def move_rows(
    costs: Costs, codes: Ints, axes: Longs, state: State, first: int, upto: int, singles: bool
) -> int:
    """Offer each row, from `first` to `upto` - 1, its best move; how many moved.

    `singles` says whether a row that stands alone has to join others, whatever it costs.
    """
    at = np.zeros(len(axes) + 1, np.int64)
    at[1:] = np.cumsum(np.where(costs.size > WIDE, 0, costs.size + 1))
    steps = np.empty(at[-1], np.int32)
    shown = np.full(len(axes), -1)
    found = np.empty(len(state.sizes), np.int64)
    grown = np.empty(len(state.sizes), np.int64)
    moved = 0
    for row in range(first, upto):
        own = state.labels[row]
        if state.sizes[own] == 1 and not singles:
            continue
        limit = _saving(costs, codes, state, row) - 1 if state.sizes[own] > 1 else EMPTY - 1
        if limit < 0:
            continue
        for axis in axes:
            if costs.size[axis] <= WIDE and codes[axis, row] != shown[axis]:
                shown[axis] = codes[axis, row]
                fill_increments(
                    costs, axis, shown[axis], shown[axis], steps[at[axis] : at[axis + 1]]
                )
        best = _best_group(
            costs, codes[:, row], axes, state, own, limit, steps, at, found, grown, state.hint[row]
        )
        if best >= 0:
            state.hint[row] = own
            _leave(costs, codes, state, row)
            _enter(costs, codes, state, row, best)
            moved += 1
    return moved


@compiled
def _best_group(
    costs: Costs,
    point: Ints,
    axes: Longs,
    state: State,
    own: int,
    limit: int,
    steps: Ints,
    at: Longs,
    found: Longs,
    grown: Longs,
    hint: int,
) -> int:
    """The group, not a row's own, whose loss grows least with it and by no more than the limit,
    ties by lowest; or -1.
    """
    if hint >= 0 and hint != own and state.total[hint] <= limit:
        found[0] = hint
        grown[0] = state.total[hint]
        if _sieve(costs, point, axes, state, limit, steps, at, found, grown, 1) == 1:
            limit = grown[0]
    count = 0
    for group in range(len(state.total)):
        found[count] = group
        grown[count] = state.total[group]
        count += state.total[group] <= limit and group != own
    count = _sieve(costs, point, axes, state, limit, steps, at, found, grown, count)
    best = -1
    for f in range(count):
        if best < 0 or grown[f] < limit:
            best = found[f]
            limit = grown[f]
    return best


@compiled
def _sieve(
    costs: Costs,
    point: Ints,
    axes: Longs,
    state: State,
    limit: int,
    steps: Ints,
    at: Longs,
    found: Longs,
    grown: Longs,
    count: int,
) -> int:
    """Of these groups, how many grow by no more than the limit; they stay in order, with what they
    grow by.
    """
    for axis in axes:
        lo = state.lo[axis]
        hi = state.hi[axis]
        parts = state.parts[axis]
        line = steps[at[axis] :]
        x = point[axis]
        kept = 0
        for f in range(count):
            group = found[f]
            if costs.size[axis] <= WIDE:
                cost = max(parts[group], max(line[lo[group]], line[hi[group]]))
            else:
                cost = between(costs, axis, min(x, lo[group]), max(x, hi[group]))
            growth = grown[f] + (state.sizes[group] + 1) * np.int64(cost - parts[group])
            found[kept] = group
            grown[kept] = growth
            kept += growth <= limit
        count = kept
    return count


@compiled
def _saving(costs: Costs, codes: Ints, state: State, row: int) -> int:
    """What the loss of a row's group, of two or more, falls by when it leaves."""
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
    """The ends of a group on one axis, one of its rows left out; over as soon as both old ends are
    met.
    """
    other = state.after[row]
    low = high = column[other]
    while other != row and (low > lo or high < hi):
        low = min(low, column[other])
        high = max(high, column[other])
        other = state.after[other]
    return low, high


@compiled
def _leave(costs: Costs, codes: Ints, state: State, row: int) -> None:
    """Take a row out of its group."""
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
def _enter(costs: Costs, codes: Ints, state: State, row: int, group: int) -> None:
    """Put a row into a group."""
    state.labels[row] = group
    if state.sizes[group] == 0:
        state.total[group] = 0
        state.parts[:, group] = 0
        state.lo[:, group] = codes[:, row]
        state.hi[:, group] = codes[:, row]
        state.some[group] = state.after[row] = state.before[row] = row
    other = state.some[group]
    after = state.after[other]
    state.after[other] = row
    state.before[after] = row
    state.before[row] = other
    state.after[row] = after
    state.sizes[group] += 1
    for axis in range(len(codes)):
        code = codes[axis, row]
        _set_box(
            costs,
            state,
            group,
            axis,
            min(state.lo[axis, group], code),
            max(state.hi[axis, group], code),
        )


@compiled
def _set_box(costs: Costs, state: State, group: int, axis: int, lo: int, hi: int) -> None:
    """A new box on one axis."""
    cost = between(costs, axis, lo, hi)
    state.lo[axis, group] = lo
    state.hi[axis, group] = hi
    state.total[group] += cost - state.parts[axis, group]
    state.parts[axis, group] = cost
