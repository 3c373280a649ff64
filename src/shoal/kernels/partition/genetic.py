"""Groups exchange rows, one for one, in integers.

Pairs of groups are drawn by rank, pairs of rows chosen by a heuristic.

Sizes never change. The rows of a group stand in ascending order, so that the first of equals is the
lowest row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints, Labels, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled
from shoal.kernels.partition.k_member import spread
from shoal.kernels.partition.medoid import medoid

RANDOM = 0
FARTHEST = 1
CROSS = 2
NEAREST = 3
ALWAYS = 0
BETTER = 1
ANNEALING = 2
WORST = 2**62


class Chromosomes(NamedTuple):
    """Groups as chromosomes: the rows of group g are `order[starts[g]:starts[g + 1]]`."""

    points: Ints  # [rows, axes]
    order: Longs
    starts: Longs
    labels: Labels
    losses: Longs  # [groups]: size times box
    ends: Ints  # [groups, axes, 4]: lowest, second lowest, second highest and highest code
    centres: Ints  # [axes, groups]: where their medoids are
    near: Ints  # [groups, some]: the groups nearest to each, when they were last ranked
    times: Longs  # scratch of the medoid
    far: Longs


class Generation(NamedTuple):
    """Rules of one generation: how parents and rows are chosen, and which exchanges take place."""

    crossover: int
    neighbours: int  # of NEAREST: how many rows of the second group are offered
    replacement: int
    temperature: float  # of the annealing
    # [groups + 1]: the probability that a rank is this one or worse, without an end to ranks
    tails: Floats
    draws: Floats  # [groups, 4]: for the ranks of both parents, and for two random rows; in [0, 1)
    waits: Floats  # [groups]: exponential, for the annealing


def population_of(
    costs: Costs, codes: Ints, labels: Labels, order: Longs, starts: Longs, near: int
) -> Chromosomes:
    """Build a population of groups with these labels; neighbours are not ranked yet."""
    axes = len(codes)
    count = len(starts) - 1
    most = int(costs.size.max()) + 1
    return Chromosomes(
        points=np.ascontiguousarray(codes.T),
        order=order.copy(),
        starts=starts,
        labels=labels.copy(),
        losses=np.zeros(count, np.int64),
        ends=np.zeros((count, axes, 4), np.int32),
        centres=np.zeros((axes, count), np.int32),
        near=np.zeros((count, min(near, count - 1)), np.int32),
        times=np.zeros(most, np.int64),
        far=np.zeros(most, np.int64),
    )


@compiled
def rows_of(groups: Chromosomes, group: int) -> Longs:
    """List the rows of a group, ascending."""
    return groups.order[groups.starts[group] : groups.starts[group + 1]]


@compiled
def describe(costs: Costs, groups: Chromosomes, first: int, upto: int) -> None:
    """Bring ends, loss and centre of the groups from `first` to `upto` - 1 up to date."""
    for group in range(first, upto):
        rows = rows_of(groups, group)
        ends = groups.ends[group]
        box = 0
        # nobody's: whoever joins is further out
        ends[:, :2] = np.int32(2**31 - 1)
        ends[:, 2:] = np.int32(-1)
        for axis in range(len(ends)):
            low, lower, higher, high = ends[axis]
            for row in rows:
                code = groups.points[row, axis]
                lower = min(lower, max(low, code))
                low = min(low, code)
                higher = max(higher, min(high, code))
                high = max(high, code)
            ends[axis, 0] = low
            ends[axis, 1] = lower
            ends[axis, 2] = higher
            ends[axis, 3] = high
            box += between(costs, axis, low, high)
        groups.losses[group] = len(rows) * box
        middle = rows[medoid(costs, groups.points, rows, groups.times, groups.far)]
        groups.centres[:, group] = groups.points[middle]


@compiled
def rank_neighbours(costs: Costs, groups: Chromosomes, first: int, upto: int) -> None:
    """Rank the groups nearest to each group from `first` to `upto` - 1, ties by lowest.

    The nearest centre comes first.
    """
    count = len(groups.losses)
    near = groups.near.shape[1]
    increments = np.zeros((groups.points.shape[1], int(costs.size.max()) + 1), np.int32)
    score = np.empty(count, np.int32)
    keys = np.empty(count, np.int64)
    for group in range(first, upto):
        spread(costs, groups.centres, count, groups.centres[:, group].copy(), increments, score)
        for other in range(count):
            keys[other] = np.int64(score[other]) * count + other
        keys[group] = WORST
        groups.near[group] = np.sort(np.partition(keys, near - 1)[:near]) % count


@compiled
def rank_of(draw: float, tails: Floats, count: int) -> int:
    """Find the geometric rank from 0 to count - 1 that belongs to a random number.

    Only products and comparisons, so that all machines agree.
    """
    reach = draw * (1.0 - tails[count])
    rank = 0
    while rank < count - 1 and 1.0 - tails[rank + 1] <= reach:
        rank += 1
    return rank


@compiled
def distances(costs: Costs, groups: Chromosomes, group: int, centre: int) -> Longs:
    """Compute how far the rows of a group are from the centre of another, or from their own."""
    rows = rows_of(groups, group)
    far = np.zeros(len(rows), np.int64)
    for axis in range(len(groups.centres)):
        middle = groups.centres[axis, centre]
        for i in range(len(rows)):
            code = groups.points[rows[i], axis]
            far[i] += between(costs, axis, min(code, middle), max(code, middle))
    return far


@compiled
def offered(
    costs: Costs, groups: Chromosomes, by: Generation, one: int, two: int, trial: int
) -> tuple[Longs, Longs]:
    """List the places of rows in two groups among which the best exchange is looked for.

    They ascend.
    """
    first = np.zeros(1, np.int64)
    second = np.zeros(1, np.int64)
    if by.crossover == RANDOM:
        first[0] = random_place(by.draws[trial, 2], len(rows_of(groups, one)))
        second[0] = random_place(by.draws[trial, 3], len(rows_of(groups, two)))
    elif by.crossover == FARTHEST:
        first[0] = np.argmax(distances(costs, groups, one, one))
        second[0] = np.argmax(distances(costs, groups, two, two))
    elif by.crossover == CROSS:
        first[0] = np.argmin(distances(costs, groups, one, two))
        second[0] = np.argmin(distances(costs, groups, two, one))
    else:
        nearest_first = np.argsort(distances(costs, groups, two, one), kind="mergesort")
        return np.arange(len(rows_of(groups, one))), np.sort(nearest_first[: by.neighbours])
    return first, second


@compiled
def random_place(draw: float, count: int) -> int:
    """Find the place from 0 to count - 1 that belongs to a random number."""
    return min(int(draw * count), count - 1)


@compiled
def exchanged(costs: Costs, groups: Chromosomes, group: int, leaving: Ints, entering: Ints) -> int:
    """Compute the loss of a group after a row has left it and another has come."""
    box = 0
    for axis in range(len(leaving)):
        ends = groups.ends[group, axis]
        lo = min(ends[1] if leaving[axis] == ends[0] else ends[0], entering[axis])
        hi = max(ends[2] if leaving[axis] == ends[3] else ends[3], entering[axis])
        box += between(costs, axis, lo, hi)
    return (groups.starts[group + 1] - groups.starts[group]) * box


@compiled
def best_exchange(
    costs: Costs, groups: Chromosomes, one: int, two: int, first: Longs, second: Longs
) -> tuple[int, int, int]:
    """Find the least loss of two groups after an exchange of offered rows, and both places.

    Ties go to the lowest rows.
    """
    a = rows_of(groups, one)
    b = rows_of(groups, two)
    least = WORST
    out = -1
    into = -1
    for i in first:
        for j in second:
            loss = exchanged(costs, groups, one, groups.points[a[i]], groups.points[b[j]])
            if loss < least:
                loss += exchanged(costs, groups, two, groups.points[b[j]], groups.points[a[i]])
                if loss < least:
                    least = loss
                    out = i
                    into = j
    return least, out, into


@compiled
def exchange(costs: Costs, groups: Chromosomes, one: int, two: int, out: int, into: int) -> None:
    """Let two rows change places."""
    a = rows_of(groups, one)
    b = rows_of(groups, two)
    groups.labels[a[out]] = two
    groups.labels[b[into]] = one
    a[out], b[into] = b[into], a[out]
    a.sort()
    b.sort()
    describe(costs, groups, one, one + 1)
    describe(costs, groups, two, two + 1)


@compiled
def evolve(
    costs: Costs, groups: Chromosomes, by: Generation, ranked: Longs, first: int, upto: int
) -> int:
    """Try the exchanges from `first` to `upto` - 1 of a generation; return how many took place.

    `ranked[trial:]` are the groups that have not been first parent yet, worst first.
    """
    accepted = 0
    for trial in range(first, upto):
        at = trial + rank_of(by.draws[trial, 0], by.tails, len(ranked) - trial)
        one = ranked[at]
        for place in range(at, trial, -1):
            ranked[place] = ranked[place - 1]
        ranked[trial] = one
        two = groups.near[one, rank_of(by.draws[trial, 1], by.tails, groups.near.shape[1])]
        some, others = offered(costs, groups, by, one, two, trial)
        then, out, into = best_exchange(costs, groups, one, two, some, others)
        worse = then - groups.losses[one] - groups.losses[two]
        heated = by.replacement == ANNEALING and worse <= by.temperature * by.waits[trial]
        if worse < 0 or heated or by.replacement == ALWAYS:
            exchange(costs, groups, one, two, out, into)
            accepted += 1
    return accepted
