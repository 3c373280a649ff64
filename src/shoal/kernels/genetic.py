"""Groups exchange rows, one for one: pairs of groups by rank, pairs of rows by a heuristic, in integers.

Sizes never change. The rows of a group stand in ascending order, so that the first of equals is the lowest row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints, Labels, Longs
from shoal.kernels.costs import Costs, between, of_box, of_union
from shoal.kernels.jit import compiled
from shoal.kernels.k_member import spread
from shoal.kernels.medoid import medoid

RANDOM, FARTHEST, CROSS, NEAREST = 0, 1, 2, 3
ALWAYS, BETTER, ANNEALING = 0, 1, 2
EMPTY = np.int32(2**31 - 1)


class Population(NamedTuple):
    """Groups as chromosomes: the rows of group g are `order[starts[g]:starts[g + 1]]`."""

    points: Ints  # [rows, axes]
    order: Longs
    starts: Longs
    labels: Labels
    losses: Longs  # [groups]: size times box
    centres: Ints  # [axes, groups]: where their medoids are
    near: Ints  # [groups, some]: the groups nearest to each
    times: Longs  # scratch of the medoid
    far: Longs


class Plan(NamedTuple):
    """How pairs are chosen, and which exchanges take place."""

    crossover: int
    neighbours: int  # how many rows of the second group are offered, if they are the nearest
    replacement: int
    temperature: float  # of the annealing
    tails: Floats  # [groups + 1]: the probability that a rank is this or worse
    draws: Floats  # [trials, 4]: for the two ranks, and for two random rows; in [0, 1)
    waits: Floats  # [trials]: exponential, for the annealing


@compiled
def describe(costs: Costs, groups: Population, group: int) -> None:
    """Bring loss and centre of a group up to date."""
    rows = groups.order[groups.starts[group] : groups.starts[group + 1]]
    lo, hi = box_without(groups.points, rows, -1)
    groups.losses[group] = len(rows) * of_box(costs, lo, hi)
    middle = rows[medoid(costs, groups.points, rows, groups.times, groups.far)]
    groups.centres[:, group] = groups.points[middle]


@compiled
def describe_all(costs: Costs, groups: Population) -> None:
    """Loss and centre of every group."""
    for group in range(len(groups.losses)):
        describe(costs, groups, group)


@compiled
def box_without(points: Ints, rows: Longs, place: int) -> tuple[Ints, Ints]:
    """The box of some rows without the one in a place; without any, a box that takes the shape of whatever joins it."""
    axes = points.shape[1]
    lo, hi = np.full(axes, EMPTY), np.full(axes, np.int32(-1))
    for i in range(len(rows)):
        if i != place:
            for axis in range(axes):
                lo[axis], hi[axis] = min(lo[axis], points[rows[i], axis]), max(hi[axis], points[rows[i], axis])
    return lo, hi


@compiled
def rank_of(draw: float, tails: Floats, count: int) -> int:
    """A geometric rank from 0 to count - 1: the share of a draw that falls on it."""
    reach, rank = draw * (1.0 - tails[count]), 0
    while rank < count - 1 and 1.0 - tails[rank + 1] <= reach:
        rank += 1
    return rank


@compiled
def rank_neighbours(costs: Costs, groups: Population, first: int, upto: int) -> None:
    """For each group from `first` to `upto` - 1 the nearest others, nearest centre first, ties by lowest number."""
    count, near = len(groups.losses), groups.near.shape[1]
    increments = np.zeros((groups.points.shape[1], int(costs.size.max()) + 1), np.int32)
    score, keys = np.empty(count, np.int32), np.empty(count, np.int64)
    for group in range(first, upto):
        spread(costs, groups.centres, count, groups.centres[:, group].copy(), increments, score)
        for other in range(count):
            keys[other] = np.int64(score[other]) * count + other
        keys[group] = np.int64(2**62)
        groups.near[group] = np.sort(np.partition(keys, near - 1)[:near]) % count


@compiled
def distances(costs: Costs, points: Ints, rows: Longs, point: Ints) -> Longs:
    """How far each row is from a point."""
    far = np.zeros(len(rows), np.int64)
    for i in range(len(rows)):
        for axis in range(len(point)):
            code = points[rows[i], axis]
            far[i] += between(costs, axis, min(code, point[axis]), max(code, point[axis]))
    return far


@compiled
def offered(costs: Costs, groups: Population, plan: Plan, one: int, two: int, trial: int) -> tuple[Longs, Longs]:
    """The places of rows in two groups, in ascending order, among which the best exchange is looked for."""
    a = groups.order[groups.starts[one] : groups.starts[one + 1]]
    b = groups.order[groups.starts[two] : groups.starts[two + 1]]
    here, there = groups.centres[:, one].copy(), groups.centres[:, two].copy()
    first, second = np.zeros(1, np.int64), np.zeros(1, np.int64)
    if plan.crossover == RANDOM:
        first[0] = min(int(plan.draws[trial, 2] * len(a)), len(a) - 1)
        second[0] = min(int(plan.draws[trial, 3] * len(b)), len(b) - 1)
    elif plan.crossover == FARTHEST:
        first[0] = np.argmax(distances(costs, groups.points, a, here))
        second[0] = np.argmax(distances(costs, groups.points, b, there))
    elif plan.crossover == CROSS:
        first[0] = np.argmin(distances(costs, groups.points, a, there))
        second[0] = np.argmin(distances(costs, groups.points, b, here))
    else:
        first = np.arange(len(a))
        near = np.argsort(distances(costs, groups.points, b, here), kind="mergesort")
        second = np.sort(near[: plan.neighbours])
    return first, second


@compiled
def best_exchange(
    costs: Costs, points: Ints, a: Longs, b: Longs, first: Longs, second: Longs
) -> tuple[int, int, int]:
    """The least loss of two groups after an exchange, and the places of its rows."""
    least, out, into = np.int64(2**62), -1, -1
    lo, hi = np.empty((len(second), points.shape[1]), np.int32), np.empty((len(second), points.shape[1]), np.int32)
    for s in range(len(second)):
        lo[s], hi[s] = box_without(points, b, second[s])
    for i in first:
        low, high = box_without(points, a, i)
        for s in range(len(second)):
            entering, leaving = points[b[second[s]]], points[a[i]]
            loss = len(a) * of_union(costs, low, high, entering, entering)
            if loss < least:
                loss += len(b) * of_union(costs, lo[s], hi[s], leaving, leaving)
                if loss < least:
                    least, out, into = loss, i, second[s]
    return least, out, into


@compiled
def exchange(costs: Costs, groups: Population, one: int, two: int, out: int, into: int) -> None:
    """Carry out an exchange."""
    a = groups.order[groups.starts[one] : groups.starts[one + 1]]
    b = groups.order[groups.starts[two] : groups.starts[two + 1]]
    groups.labels[a[out]], groups.labels[b[into]] = two, one
    a[out], b[into] = b[into], a[out]
    a.sort()
    b.sort()
    describe(costs, groups, one)
    describe(costs, groups, two)


@compiled
def evolve(costs: Costs, groups: Population, plan: Plan, ranked: Longs, first: int, upto: int) -> int:
    """Trials from `first` to `upto` - 1 of a generation; how many exchanges took place.

    `ranked[trial:]` are the groups that have not been a first parent yet, worst first.
    """
    count, accepted = len(groups.losses), 0
    for trial in range(first, upto):
        at = trial + rank_of(plan.draws[trial, 0], plan.tails, count - trial)
        one = ranked[at]
        ranked[trial + 1 : at + 1] = ranked[trial:at].copy()
        ranked[trial] = one
        two = groups.near[one, rank_of(plan.draws[trial, 1], plan.tails, groups.near.shape[1])]
        a = groups.order[groups.starts[one] : groups.starts[one + 1]]
        b = groups.order[groups.starts[two] : groups.starts[two + 1]]
        some, others = offered(costs, groups, plan, one, two, trial)
        then, out, into = best_exchange(costs, groups.points, a, b, some, others)
        worse = then - groups.losses[one] - groups.losses[two]
        if (
            plan.replacement == ALWAYS
            or worse < 0
            or (plan.replacement == ANNEALING and worse <= plan.temperature * plan.waits[trial])
        ):
            exchange(costs, groups, one, two, out, into)
            accepted += 1
    return accepted
