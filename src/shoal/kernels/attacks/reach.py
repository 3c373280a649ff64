"""Published boxes that people fall into, or that lie nearest, and what the rows behind them say.

Boxes are `first[group, axis]` to `last[group, axis]`, a person stands at one code of each axis.
Code -1 is one that the attacker does not know: it fits everywhere. Boxes come in an order in which
neighbours are alike, so some at a time are passed over at once: those whose common box does not
hold the person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled

UNKNOWN = -1
RUN = 32  # boxes that are looked at together


@compiled
def covers(first: Ints, last: Ints, lo: Ints, hi: Ints) -> bool:
    """Tell whether a box holds everything from lo to hi, on every axis."""
    for axis in range(len(lo)):
        if lo[axis] >= 0 and (lo[axis] < first[axis] or hi[axis] > last[axis]):
            return False
    return True


@compiled
def runs_of(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Compute the common box of each run of boxes."""
    runs = (len(first) + RUN - 1) // RUN
    low = np.full((runs, first.shape[1]), np.int32(2**31 - 1))
    high = np.full((runs, first.shape[1]), np.int32(-1))
    for group in range(len(first)):
        for axis in range(first.shape[1]):
            low[group // RUN, axis] = min(low[group // RUN, axis], first[group, axis])
            high[group // RUN, axis] = max(high[group // RUN, axis], last[group, axis])
    return low, high


@compiled
def covering_count(first: Ints, last: Ints, lo: Ints, hi: Ints) -> Longs:
    """Count the boxes that hold each target.

    Targets are boxes `lo[target, axis]` to `hi[target, axis]`.
    """
    counts = np.zeros(len(lo), np.int64)
    low, high = runs_of(first, last)
    for target in range(len(lo)):
        for run in range(len(low)):
            if covers(low[run], high[run], lo[target], hi[target]):
                for group in range(run * RUN, min((run + 1) * RUN, len(first))):
                    counts[target] += covers(first[group], last[group], lo[target], hi[target])
    return counts


@compiled
def covering(first: Ints, last: Ints, lo: Ints, hi: Ints, starts: Longs) -> Ints:
    """List the boxes that hold each target: `matched[starts[target]:starts[target + 1]]`."""
    matched = np.empty(starts[-1], np.int32)
    low, high = runs_of(first, last)
    for target in range(len(lo)):
        at = starts[target]
        for run in range(len(low)):
            if covers(low[run], high[run], lo[target], hi[target]):
                for group in range(run * RUN, min((run + 1) * RUN, len(first))):
                    if covers(first[group], last[group], lo[target], hi[target]):
                        matched[at] = group
                        at += 1
    return matched


class AxisCells(NamedTuple):
    """The different cells of each axis: those of axis a stand from place at[a] on.

    Group g has cell `of[g, a]` on axis a.
    """

    first: Ints
    last: Ints
    at: Longs
    of: Ints


def cells_of(first: Ints, last: Ints) -> AxisCells:
    """List the different cells of boxes, axis by axis."""
    by_axis = [
        np.unique(np.stack(ends), axis=1, return_inverse=True)
        for ends in zip(first.T, last.T, strict=True)
    ]
    at = np.concatenate(([0], np.cumsum([cells.shape[1] for cells, _ in by_axis]))).astype(np.int64)
    ends = np.concatenate([cells for cells, _ in by_axis], axis=1).astype(np.int32)
    of = np.stack([inverse.reshape(-1) for _, inverse in by_axis], axis=1)
    return AxisCells(
        ends[0].copy(), ends[1].copy(), at, np.ascontiguousarray(of + at[:-1], np.int32)
    )


@compiled
def apart(costs: Costs, axis: int, first: int, last: int, code: int) -> int:
    """Compute what it costs to widen a cell until it holds a code.

    A cell that holds none lies between its two neighbours.
    """
    if code < 0 or (first <= code and code <= last):
        return 0
    if first <= last:
        return between(costs, axis, min(first, code), max(last, code)) - between(
            costs, axis, first, last
        )
    if first - last > 1:
        return costs.full[axis]
    near = min(first, costs.size[axis] - 1) if code >= first else max(last, 0)
    return between(costs, axis, min(near, code), max(near, code))


@compiled
def fill_gaps(costs: Costs, cells: AxisCells, codes: Ints, gap: Longs) -> None:
    """Compute how far each cell lies from a person."""
    for axis in range(len(codes)):
        for cell in range(cells.at[axis], cells.at[axis + 1]):
            gap[cell] = apart(costs, axis, cells.first[cell], cells.last[cell], codes[axis])


@compiled
def fill_distances(gap: Longs, cell_of: Ints, out: Longs) -> np.int64:
    """Compute how far each box lies from a person, by its cells; return the least distance.

    `cell_of[group, axis]`. Distances above the least so far are not summed up to the end.
    """
    least = np.int64(2**62)
    for group in range(len(cell_of)):
        total = np.int64(0)
        for axis in range(cell_of.shape[1]):
            total += gap[cell_of[group, axis]]
            if total > least:
                break
        out[group] = total
        least = min(least, total)
    return least


@compiled
def nearest(costs: Costs, cells: AxisCells, sizes: Counts, known: Ints, true: Ints) -> Longs:
    """Count the rows of the boxes nearest to each person, by what is known and by the truth.

    For each person: rows of the boxes nearest to what is known, rows of those that are also nearest
    to the truth, and rows of all that are nearest to the truth.

    A box that holds the truth is nearest to it.
    """
    counts = np.zeros((len(known), 3), np.int64)
    gap = np.zeros(len(cells.first), np.int64)
    far = np.zeros(len(sizes), np.int64)
    true_far = np.zeros(len(sizes), np.int64)
    for person in range(len(known)):
        fill_gaps(costs, cells, known[person], gap)
        least = fill_distances(gap, cells.of, far)
        fill_gaps(costs, cells, true[person], gap)
        true_least = fill_distances(gap, cells.of, true_far)
        for group in range(len(sizes)):
            near = far[group] == least
            right = true_far[group] == true_least
            counts[person, 0] += sizes[group] * near
            counts[person, 1] += sizes[group] * (near and right)
            counts[person, 2] += sizes[group] * right
    return counts


class Votes(NamedTuple):
    """Rows that fit people.

    Person p fits the boxes `matched[starts[p]:starts[p + 1]]`, and box g holds the values
    `value[at[g]:at[g + 1]]`, each in `held` rows.
    """

    starts: Longs
    matched: Ints
    at: Longs
    value: Ints
    held: Counts


@compiled
def gather(votes: Votes, person: int, into: Longs) -> None:
    """Count how often each value stands in the boxes of a person."""
    into[:] = 0
    for pair in range(votes.starts[person], votes.starts[person + 1]):
        box = votes.matched[pair]
        for place in range(votes.at[box], votes.at[box + 1]):
            into[votes.value[place]] += votes.held[place]


@compiled
def sum_up(rows: Longs, truth: int, out: Longs) -> None:
    """Sum up what the boxes of a person say about a value, in five counts.

    These are: rows, different values, rows of the most frequent value, how many values are as
    frequent, rows of the true value.
    """
    for some in rows:
        out[0] += some
        out[1] += some > 0
        if some > out[2]:
            out[2] = some
            out[3] = 0
        out[3] += some > 0 and some == out[2]
    out[4] = rows[truth]


@compiled
def tally(votes: Votes, truth: Ints, values: int) -> Longs:
    """Sum up what the boxes of each person say together, as `sum_up` does."""
    counts = np.zeros((len(truth), 5), np.int64)
    rows = np.zeros(values, np.int64)
    for person in range(len(truth)):
        gather(votes, person, rows)
        sum_up(rows, truth[person], counts[person])
    return counts


@compiled
def gather_agreed(votes: Votes, others: Votes, person: int, rows: Longs, other: Longs) -> None:
    """Count what two releases can both mean: of each value, the lesser number of rows.

    Where they agree on no value, the first one alone counts: the person is not in the other one.
    """
    gather(votes, person, rows)
    gather(others, person, other)
    agreed = 0
    for value in range(len(rows)):
        agreed += min(rows[value], other[value])
    if agreed:
        rows[:] = np.minimum(rows, other)


@compiled
def agreed_count(votes: Votes, others: Votes, people: int, values: int) -> Longs:
    """Count the values that two releases leave for each person."""
    rows = np.zeros(values, np.int64)
    other = np.zeros(values, np.int64)
    left = np.zeros(people, np.int64)
    for person in range(people):
        gather_agreed(votes, others, person, rows, other)
        left[person] = np.count_nonzero(rows)
    return left


@compiled
def agreed_values(votes: Votes, others: Votes, values: int, at: Longs) -> tuple[Ints, Longs]:
    """List these values with their numbers of rows: those of person p from place at[p] on."""
    rows = np.zeros(values, np.int64)
    other = np.zeros(values, np.int64)
    value = np.empty(at[-1], np.int32)
    held = np.empty(at[-1], np.int64)
    for person in range(len(at) - 1):
        gather_agreed(votes, others, person, rows, other)
        place = at[person]
        for each in range(values):
            if rows[each]:
                value[place] = each
                held[place] = rows[each]
                place += 1
    return value, held


def agreed(votes: Votes, others: Votes, people: int, values: int) -> Votes:
    """Put what two releases say about people together; everybody then has one box."""
    left = agreed_count(votes, others, people, values)
    at = np.concatenate(([0], np.cumsum(left))).astype(np.int64)
    everyone = np.arange(people + 1, dtype=np.int64)
    value, held = agreed_values(votes, others, values, at)
    return Votes(everyone, everyone[:-1].astype(np.int32), at, value, held)
