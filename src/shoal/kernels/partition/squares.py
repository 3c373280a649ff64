"""Squared error: rows change groups, at first by chance as in annealing, then only to lower it.

    move:      a row leaves a group of more than k; where it would be the 2k-th, it takes its k - 1
               nearest away instead
    swap:      two rows of different groups change places
    dissolve:  each row of a group joins the group of one of its neighbours that it costs least

A step is taken if what it adds to the squared error is below a limit. Groups hold from k to 2k - 1
rows: a larger one would lose nothing by being cut. Adding a row at distance d from the mean of m
rows costs d^2 m / (m + 1) (Ward 1963).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints
from shoal.kernels.jit import compiled

ROUNDING = 1e-12  # what is less than this is no difference: z-scores are about 1
# Steps in 2^16 that dissolve a group, times the rows of a group: each costs as much as many swaps.
DISSOLVED = 1 << 12
# Values of an exponential law; rounded, so alike on every machine.
CHANCES = np.round(-np.log((np.arange(4096) + 0.5) / 4096), 6)


class GroupMembers(NamedTuple):
    """Rows and the groups in which they stand."""

    points: Floats  # [rows, lines]
    near: Ints  # [rows, neighbours], nearest first
    label: Ints
    place: Ints  # of a row among the members of its group
    members: Ints  # [groups, 2k]: in no order
    size: Ints
    sums: Floats  # [groups, lines]
    empty: Ints  # groups without rows, as a pile; the last number is its height


@compiled
def neighbours(points: Floats, most: int) -> Ints:
    """List the nearest other rows of each row, nearest first, ties by lowest row."""
    rows = len(points)
    count = min(most, len(points) - 1)
    near = np.zeros((rows, count), np.int32)
    distance = np.empty(count + 1)
    for row in range(rows):
        held = 0
        for other in range(rows):
            limit = distance[count - 1] if held == count else np.inf
            apart = _apart(points, row, other, limit)
            if apart >= limit or other == row:
                continue
            place = held if held < count else count - 1
            while place > 0 and distance[place - 1] > apart:
                distance[place] = distance[place - 1]
                near[row, place] = near[row, place - 1]
                place -= 1
            distance[place] = apart
            near[row, place] = other
            held = min(held + 1, count)
    return near


@compiled
def _apart(points: Floats, row: int, other: int, limit: float) -> float:
    """Compute the squared distance of two points; abandoned at the limit."""
    total = 0.0
    for line in range(points.shape[1]):
        step = points[row, line] - points[other, line]
        total += step * step
        if total >= limit:
            break
    return total


@compiled
def descend(points: Floats, near: Ints, labels: Ints, k: int, passes: int) -> None:
    """Take steps that lower the squared error until there are none, or `passes` are over.

    Rows are looked at one after the other, and then groups.
    """
    standing = _stand(points, near, labels, k)
    limit = -ROUNDING
    for _ in range(passes):
        steps = 0
        for row in range(len(points)):
            steps += _better(standing, row, k, limit)
        for group in range(len(standing.size)):
            steps += standing.size[group] > 0 and _dissolve(standing, group, k, limit)
        if steps == 0:
            break


@compiled
def _better(standing: GroupMembers, row: int, k: int, limit: float) -> bool:
    """Take the first step of a row towards the group of a neighbour that is below the limit."""
    for other in standing.near[row]:
        there = standing.label[other]
        if there == standing.label[row]:
            continue
        if _move(standing, row, there, k, limit):
            return True
        for place in range(standing.size[there]):
            if _swap(standing, row, standing.members[there, place], limit):
                return True
    return False


@compiled
def anneal(
    points: Floats, near: Ints, labels: Ints, k: int, steps: int, temperature: float, seed: int
) -> None:
    """Try random steps towards the groups of neighbours, at one temperature.

    Each may add as much as chance and temperature allow.
    """
    standing = _stand(points, near, labels, k)
    state = np.array([seed | 1], np.uint64)
    rows = len(points)
    count = near.shape[1]
    dissolved = max(DISSOLVED // k, 1)
    label = standing.label
    size = standing.size
    members = standing.members
    for _ in range(steps):
        row = _draw(state, rows)
        other = _draw(state, count)
        bits = _draw(state, 1 << 29)
        here = label[row]
        there = label[near[row, other]]
        limit = temperature * CHANCES[bits & 4095] - ROUNDING
        if (bits >> 12) & 65535 < dissolved:
            _dissolve(standing, here, k, limit)
        elif here != there:
            if size[here] > k and bits >> 28:
                _move(standing, row, there, k, limit)
            else:
                _swap(standing, row, members[there, _draw(state, size[there])], limit)


@compiled
def _draw(state: AnyArray, below: int) -> int:
    """Draw a random number from 0 to `below` - 1 by shifts and exclusive ors (Marsaglia 2003)."""
    bits = state[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    state[0] = bits
    return int(((bits >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))


@compiled
def squared_error(points: Floats, labels: Ints) -> float:
    """Sum over rows the squared distance to the mean of the group."""
    groups = labels.max() + 1
    sums = np.zeros((groups, points.shape[1]))
    size = np.zeros(groups)
    total = 0.0
    for row, group in enumerate(labels):
        size[group] += 1
        sums[group] += points[row]
    for row, group in enumerate(labels):
        for line in range(points.shape[1]):
            total += (points[row, line] - sums[group, line] / size[group]) ** 2
    return total


@compiled
def _stand(points: Floats, near: Ints, labels: Ints, k: int) -> GroupMembers:
    """Put rows into their groups in ascending order; labels change with them from now on."""
    rows, lines = points.shape
    most = max(rows // k, labels.max() + 1)
    standing = GroupMembers(
        points,
        near,
        labels,
        np.zeros(rows, np.int32),
        np.zeros((most, 2 * k), np.int32),
        np.zeros(most, np.int32),
        np.zeros((most, lines)),
        np.zeros(most + 1, np.int32),
    )
    for row in range(rows):
        _join(standing, row, labels[row])
    for group in range(most - 1, -1, -1):
        if standing.size[group] == 0:
            _close(standing, group)
    return standing


@compiled
def _close(standing: GroupMembers, group: int) -> None:
    """Put a group without rows on the pile of empty ones."""
    standing.size[group] = 0
    standing.sums[group] = 0.0
    standing.empty[standing.empty[-1]] = group
    standing.empty[-1] += 1


@compiled
def _join(standing: GroupMembers, row: int, group: int) -> None:
    """Put a row into a group."""
    standing.members[group, standing.size[group]] = row
    standing.place[row] = standing.size[group]
    standing.label[row] = group
    standing.size[group] += 1
    for line in range(standing.sums.shape[1]):
        standing.sums[group, line] += standing.points[row, line]


@compiled
def _leave(standing: GroupMembers, row: int) -> None:
    """Take a row out of its group; the last member takes its place."""
    group = standing.label[row]
    standing.size[group] -= 1
    last = standing.members[group, standing.size[group]]
    place = standing.place[row]
    standing.members[group, place] = last
    standing.place[last] = place
    for line in range(standing.sums.shape[1]):
        standing.sums[group, line] -= standing.points[row, line]


@compiled
def _from_mean(points: Floats, sums: Floats, size: int, row: int, group: int) -> float:
    """Compute the squared distance of a row to the mean of a group."""
    total = 0.0
    share = 1.0 / size
    for line in range(points.shape[1]):
        step = points[row, line] - sums[group, line] * share
        total += step * step
    return total


@compiled
def _error(standing: GroupMembers, group: int) -> float:
    """Compute the squared error of one group."""
    total = 0.0
    for place in range(standing.size[group]):
        total += _from_mean(
            standing.points,
            standing.sums,
            standing.size[group],
            standing.members[group, place],
            group,
        )
    return total


@compiled
def _joining(standing: GroupMembers, row: int, group: int) -> float:
    """Compute what a group costs more with a row."""
    size = standing.size[group]
    return _from_mean(standing.points, standing.sums, size, row, group) * size / (size + 1)


@compiled
def _leaving(standing: GroupMembers, row: int) -> float:
    """Compute what the group of a row costs less without it."""
    group = standing.label[row]
    size = standing.size[group]
    return _from_mean(standing.points, standing.sums, size, row, group) * size / (size - 1)


@compiled
def _move(standing: GroupMembers, row: int, there: int, k: int, limit: float) -> bool:
    """Move a row to another group, if that adds less than the limit and leaves k behind."""
    if standing.size[standing.label[row]] <= k:
        return False
    if standing.size[there] >= 2 * k - 1:
        return _part(standing, row, there, k, limit)
    if _joining(standing, row, there) - _leaving(standing, row) >= limit:
        return False
    _leave(standing, row)
    _join(standing, row, there)
    return True


@compiled
def _part(standing: GroupMembers, row: int, there: int, k: int, limit: float) -> bool:
    """Make a group of a row and its k - 1 nearest of a full group; tell whether it was made.

    It is made if that adds less than the limit.
    """
    here = standing.label[row]
    new = standing.empty[standing.empty[-1] - 1]
    added = -_error(standing, there) - _leaving(standing, row)
    apart = np.empty(2 * k)
    nearest = standing.members[there].copy()
    for place in range(standing.size[there]):
        apart[place] = _apart(standing.points, row, nearest[place], np.inf)
    nearest = nearest[np.argsort(apart[: standing.size[there]], kind="mergesort")[: k - 1]]
    standing.empty[-1] -= 1
    _leave(standing, row)
    _join(standing, row, new)
    for other in nearest:
        _leave(standing, other)
        _join(standing, other, new)
    if added + _error(standing, there) + _error(standing, new) < limit:
        return True
    for other in nearest:
        _leave(standing, other)
        _join(standing, other, there)
    _leave(standing, row)
    _join(standing, row, here)
    _close(standing, new)
    return False


@compiled
def _swap(standing: GroupMembers, row: int, other: int, limit: float) -> bool:
    """Let two rows change places, if that adds less than the limit."""
    here = standing.label[row]
    there = standing.label[other]
    if _swapping(standing.points, standing.sums, standing.size, here, there, row, other) >= limit:
        return False
    for line in range(standing.sums.shape[1]):
        step = standing.points[other, line] - standing.points[row, line]
        standing.sums[here, line] += step
        standing.sums[there, line] -= step
    standing.label[row] = there
    standing.label[other] = here
    standing.place[row], standing.place[other] = standing.place[other], standing.place[row]
    standing.members[here, standing.place[other]] = other
    standing.members[there, standing.place[row]] = row
    return True


@compiled
def _swapping(
    points: Floats, sums: Floats, size: Ints, here: int, there: int, row: int, other: int
) -> float:
    """Compute what two groups cost more when two of their rows change places."""
    one = 1.0 / size[here]
    two = 1.0 / size[there]
    square = 0.0
    along = 0.0
    for line in range(points.shape[1]):
        step = points[other, line] - points[row, line]
        square += step * step
        along += step * (sums[here, line] * one - sums[there, line] * two)
    return -(2 * along + square * (one + two))


@compiled
def _dissolve(standing: GroupMembers, group: int, k: int, limit: float) -> bool:
    """Send each member to the cheapest group of a neighbour; tell whether that was done.

    It is done if all groups have room and it adds less than the limit.
    """
    size = standing.size[group]
    gone = 0
    members = standing.members[group, :size].copy()
    added = -_error(standing, group)
    for row in members:
        cheapest, least = _cheapest(standing, row, group, k)
        added += least
        if added >= limit:
            break
        _join(standing, row, cheapest)
        gone += 1
    if gone == size:
        _close(standing, group)
        return True
    for row in members[:gone][::-1]:
        _leave(standing, row)
    for place, row in enumerate(members):
        standing.label[row] = group
        standing.place[row] = place
    return False


@compiled
def _cheapest(standing: GroupMembers, row: int, group: int, k: int) -> tuple[int, float]:
    """Find the cheapest group of a row's neighbours to join, and its cost.

    The group has room and is not `group`; the cost is infinite where there is none.
    """
    cheapest = -1
    least = np.inf
    for other in standing.near[row]:
        there = standing.label[other]
        if there != group and there != cheapest and standing.size[there] < 2 * k - 1:
            cost = _joining(standing, row, there)
            if cost < least - ROUNDING:
                cheapest = there
                least = cost
    return cheapest, least
