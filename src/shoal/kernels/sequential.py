"""Sequential clustering: row after row moves to the group where the total loss falls most, in integers.

A row that joins a group of size s and cost D adds D and (s + 1) times what the box grows by. So groups whose own D
exceeds the best found so far are skipped, and a sum over the axes is abandoned when it does: the best group is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, between, fill_increments
from shoal.kernels.jit import compiled

WIDE = 1024  # axes with more codes than this have no row of steps


class State(NamedTuple):
    """Groups that rows move between. Boxes are [group, axis]; rows of a group are a ring of `after` and `before`."""

    labels: Longs
    sizes: Longs
    lo: Ints
    hi: Ints
    parts: Ints  # [group, axis]: the cost of the box on each axis
    total: Longs  # [group]: over all axes
    some: Longs  # [group]: one of its rows
    after: Longs
    before: Longs
    hint: Longs  # [rows]: the group that was best when the row was last looked at


@compiled
def opened(costs: Costs, table: Ints, labels: Longs, count: int, hint: Longs) -> State:
    """The state of rows with these labels; `table[row, axis]`."""
    rows, axes = table.shape
    state = State(
        labels, np.zeros(count, np.int64), np.zeros((count, axes), np.int32), np.zeros((count, axes), np.int32),
        np.zeros((count, axes), np.int32), np.zeros(count, np.int64), np.full(count, -1), np.empty(rows, np.int64),
        np.empty(rows, np.int64), hint,
    )  # fmt: skip
    for row in range(rows):
        _enter(costs, table, state, row, labels[row])
    return state


@compiled
def move_rows(costs: Costs, table: Ints, state: State, first: int, upto: int, singles: bool) -> int:
    """Offer each row, from `first` to `upto` - 1, the best move; how many moved. `singles` says whether a row that stands
    alone has to join others."""
    axes = table.shape[1]
    at = np.zeros(axes + 1, np.int64)
    at[1:] = np.cumsum(np.where(costs.size > WIDE, 0, costs.size + 1))
    steps, shown = np.empty(at[axes], np.int32), np.full(axes, -1)
    moved = 0
    for row in range(first, upto):
        if state.sizes[state.labels[row]] > 1:
            limit = _saving(costs, table, state, row) - 1
        elif singles:
            limit = np.int64(2**62)
        else:
            continue
        if limit < 0:
            continue
        for axis in range(axes):
            if costs.size[axis] <= WIDE and table[row, axis] != shown[axis]:
                shown[axis] = table[row, axis]
                fill_increments(costs, axis, shown[axis], shown[axis], steps[at[axis] : at[axis + 1]])
        best = _best_group(costs, table[row], state, state.labels[row], limit, steps, at, state.hint[row])
        if best >= 0:
            state.hint[row] = state.labels[row]
            _leave(costs, table, state, row)
            _enter(costs, table, state, row, best)
            moved += 1
    return moved


@compiled
def _saving(costs: Costs, table: Ints, state: State, row: int) -> int:
    """What the loss of a row's group falls by when it leaves."""
    group = state.labels[row]
    total = state.total[group]
    left = 0
    for axis in range(table.shape[1]):
        code, lo, hi = table[row, axis], state.lo[group, axis], state.hi[group, axis]
        if code == lo or code == hi:
            lo, hi = _ends_without(table, state, row, axis, lo, hi)
            left += between(costs, axis, lo, hi)
        else:
            left += state.parts[group, axis]
    return state.sizes[group] * total - (state.sizes[group] - 1) * left


@compiled
def _ends_without(table: Ints, state: State, row: int, axis: int, lo: int, hi: int) -> tuple[int, int]:
    """The ends of a group of two or more on one axis, one of its rows left out; over as soon as both ends are met."""
    other = state.after[row]
    low = high = table[other, axis]
    while other != row and (low > lo or high < hi):
        low, high = min(low, table[other, axis]), max(high, table[other, axis])
        other = state.after[other]
    return low, high


@compiled
def _best_group(costs: Costs, point: Ints, state: State, own: int, limit: int, steps: Ints, at: Longs, hint: int) -> int:
    """The group, not a row's own, whose loss grows least with it and by no more than the limit; ties by lowest; -1 if none."""
    best = -1
    if hint >= 0 and hint < len(state.sizes) and hint != own and state.sizes[hint] > 0:
        growth = _growth(costs, point, state, hint, limit, steps, at)
        if growth <= limit:
            best, limit = hint, growth
    for group in range(len(state.sizes)):
        if state.total[group] > limit or state.sizes[group] == 0 or group == own:
            continue
        growth = _growth(costs, point, state, group, limit, steps, at)
        if growth < limit or (growth == limit and (best < 0 or group < best)):
            best, limit = group, growth
    return best


@compiled
def _growth(costs: Costs, point: Ints, state: State, group: int, limit: int, steps: Ints, at: Longs) -> int:
    """What the loss of a group grows by when a row joins; abandoned above the limit."""
    growth, size = state.total[group], state.sizes[group] + 1
    for axis in range(len(point)):
        if point[axis] < state.lo[group, axis]:
            end = state.hi[group, axis]
        elif point[axis] > state.hi[group, axis]:
            end = state.lo[group, axis]
        else:
            continue
        if costs.size[axis] <= WIDE:
            cost = steps[at[axis] + end]
        else:
            cost = between(costs, axis, min(point[axis], end), max(point[axis], end))
        growth += size * (cost - state.parts[group, axis])
        if growth > limit:
            break
    return growth


@compiled
def _leave(costs: Costs, table: Ints, state: State, row: int) -> None:
    """Take a row out of its group."""
    group = state.labels[row]
    if state.sizes[group] > 1:
        for axis in range(table.shape[1]):
            lo, hi = state.lo[group, axis], state.hi[group, axis]
            if table[row, axis] == lo or table[row, axis] == hi:
                lo, hi = _ends_without(table, state, row, axis, lo, hi)
                _set_box(costs, state, group, axis, lo, hi)
    state.sizes[group] -= 1
    state.some[group] = state.after[row]
    state.after[state.before[row]] = state.after[row]
    state.before[state.after[row]] = state.before[row]


@compiled
def _enter(costs: Costs, table: Ints, state: State, row: int, group: int) -> None:
    """Put a row into a group."""
    state.labels[row] = group
    alone = state.sizes[group] == 0
    other = row if alone else state.some[group]
    after = row if alone else state.after[other]
    for axis in range(table.shape[1]):
        code = table[row, axis]
        lo = code if alone else min(state.lo[group, axis], code)
        hi = code if alone else max(state.hi[group, axis], code)
        _set_box(costs, state, group, axis, lo, hi)
    state.sizes[group] += 1
    state.some[group] = row
    state.after[other], state.before[after] = row, row
    state.before[row], state.after[row] = other, after


@compiled
def _set_box(costs: Costs, state: State, group: int, axis: int, lo: int, hi: int) -> None:
    state.lo[group, axis], state.hi[group, axis] = lo, hi
    cost = between(costs, axis, lo, hi)
    state.total[group] += cost - state.parts[group, axis]
    state.parts[group, axis] = cost


@compiled
def total_loss(state: State) -> int:
    """Size times cost over all groups."""
    return np.sum(state.sizes * state.total)
