"""The boxes of a region, listed once; and groups made of them, cheapest first, in several orders.

    list:  from axis to axis, the tuples inside one part of one level are divided by the levels of
           the next. A part with too few rows is left, and so is one whose tuples would fit into a
           narrower part of an axis: that is another box of the list. What is left of all axes is a
           box.
    take:  box after box, the rows in it that have no group become one if they are k. If they are
           nearly k, groups made before lend the tuples that lie in the box too, the latest group
           first, as long as they keep k themselves.
    rest:  each tuple that is left joins the group whose loss grows least

Every part that is entered holds a box in the end, so the work is bounded by the number of boxes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.copying import copy
from shoal.kernels.costs import Costs, between, of_box, of_union
from shoal.kernels.jit import compiled
from shoal.kernels.partition.peel import Keys

FREE = -1  # the label of a tuple without a group; below it stand those that a group would lend
TOO_MANY = -1
# of the part at each depth: tuples, which level is at work, how far it is
SIZE = 0
LEVEL = 1
PLACE = 2


class Region(NamedTuple):
    """The tuples of a few groups."""

    codes: Ints  # [axes, tuples]
    counts: Longs
    worth: Ints


class BoxMembers(NamedTuple):
    """Tuples of boxes: those of box b are `members[starts[b] : starts[b + 1]]`."""

    starts: Longs
    members: Ints
    paid: Ints  # [boxes, axes]: cost


class Attempts(NamedTuple):
    """Orders in which boxes become groups; each is tried, and the best result is kept."""

    orders: Longs  # [attempts, boxes]
    leasts: Longs  # [attempts]: how many rows of a box may be enough, the others being lent


class Descent(NamedTuple):
    """State of a walk over the boxes of a region: one axis more is divided at each depth."""

    along: Ints  # [axes, tuples]: tuples in the order of their codes on each axis
    members: Ints  # [axes + 1, tuples]: of the part at each depth
    stack: Longs  # [axes + 1, 3]: SIZE, LEVEL and PLACE at each depth
    chosen: Longs  # [axes]: the level at each depth
    marks: Ints  # [tuples]: all 0 between calls


class GroupDraft(NamedTuple):
    """Groups that are being made of boxes."""

    labels: Ints  # [tuples]: group, or FREE
    size: Longs  # [groups]: rows


@compiled
def list_boxes(
    costs: Costs, region: Region, keys: Keys, levels: Longs, least: int, boxes: BoxMembers
) -> int:
    """List the boxes with `least` rows or more; return their number, or TOO_MANY for the room."""
    axes = len(region.codes)
    descent = descent_into(region)
    members = descent.members
    stack = descent.stack
    count = 0
    depth = 0
    boxes.starts[0] = 0
    enter(region, descent, 0, descent.along[0])
    while depth >= 0:
        if depth == axes:
            if count == len(boxes.paid) or not record(
                costs, region, members[depth, : stack[depth, SIZE]], count, boxes
            ):
                return TOO_MANY
            count = count + 1
            depth = depth - 1
        elif stack[depth, LEVEL] == levels[depth]:
            depth -= 1
        else:
            descent.chosen[depth] = stack[depth, LEVEL]
            start, end, rows = next_part(region, keys, descent, depth)
            if rows >= least and not fits_narrower(region, keys, descent, depth, start, end):
                depth += 1
                enter(region, descent, depth, members[depth - 1, start:end])
    return count


@compiled
def descent_into(region: Region) -> Descent:
    """Allocate the arrays of a walk, and sort the tuples along each axis."""
    axes, tuples = region.codes.shape
    along = np.empty((axes, tuples), np.int32)
    for axis in range(axes):
        copy(np.argsort(region.codes[axis], kind="mergesort"), along[axis])
    return Descent(
        along,
        np.empty((axes + 1, tuples), np.int32),
        np.zeros((axes + 1, 3), np.int64),
        np.zeros(axes, np.int64),
        np.zeros(tuples, np.int32),
    )


@compiled
def enter(region: Region, descent: Descent, depth: int, some: Ints) -> None:
    """Begin to divide some tuples along the axis of a depth.

    They are put in the order of their codes, so that every part of every level is a run.
    """
    members = descent.members[depth]
    marks = descent.marks
    descent.stack[depth, SIZE] = len(some)
    descent.stack[depth, LEVEL] = 0
    descent.stack[depth, PLACE] = 0
    if depth == len(descent.along):
        copy(some, members)
    elif len(some) * len(some) < 4 * len(marks):
        codes = region.codes[depth]
        for i in range(len(some)):
            place = i
            while place > 0 and codes[members[place - 1]] > codes[some[i]]:
                members[place] = members[place - 1]
                place -= 1
            members[place] = some[i]
    else:
        place = 0
        for t in some:
            marks[t] = 1
        for t in descent.along[depth]:
            members[place] = t  # or the next one
            place += marks[t]
            marks[t] = 0
            if place == len(some):
                break


@compiled
def next_part(region: Region, keys: Keys, descent: Descent, axis: int) -> tuple[int, int, int]:
    """Find where the next part begins and ends, and how many rows it holds.

    There are no slices here: they would take longer than the rest.
    """
    stack = descent.stack
    members = descent.members
    at = keys.at[axis, stack[axis, LEVEL]]
    start = stack[axis, PLACE]
    size = stack[axis, SIZE]
    part = keys.key[at + region.codes[axis, members[axis, start]]]
    end = start
    rows = 0
    while end < size and keys.key[at + region.codes[axis, members[axis, end]]] == part:
        rows += region.counts[members[axis, end]]
        end += 1
    stack[axis, PLACE] = end
    if end == size:
        stack[axis, LEVEL] = stack[axis, LEVEL] + 1
        stack[axis, PLACE] = 0
    return start, end, rows


@compiled
def fits_narrower(
    region: Region, keys: Keys, descent: Descent, last: int, start: int, end: int
) -> bool:
    """Tell whether all tuples of a part share a narrower part of an axis up to the last one.

    A narrower part is one of the level below the chosen one. The tuples stand from `start` to `end`
    at the depth of the last axis.
    """
    chosen = descent.chosen
    members = descent.members
    for axis in range(last, -1, -1):
        if chosen[axis] > 0:
            at = keys.at[axis, chosen[axis] - 1]
            i = end - 1
            part = keys.key[at + region.codes[axis, members[last, start]]]
            while i > start and keys.key[at + region.codes[axis, members[last, i]]] == part:
                i -= 1
            if i == start:
                return True
    return False


@compiled
def record(costs: Costs, region: Region, some: Ints, box: int, boxes: BoxMembers) -> bool:
    """Write down one box; tell whether there was room."""
    start = boxes.starts[box]
    end = start + len(some)
    if end > len(boxes.members):
        return False
    copy(some, boxes.members[start:end])
    boxes.starts[box + 1] = end
    for axis in range(len(region.codes)):
        lo = hi = region.codes[axis, some[0]]
        for t in some:
            lo = min(lo, region.codes[axis, t])
            hi = max(hi, region.codes[axis, t])
        boxes.paid[box, axis] = between(costs, axis, lo, hi)
    return True


@compiled
def renew(
    costs: Costs, region: Region, boxes: BoxMembers, attempts: Attempts, k: int, labels: Ints
) -> None:
    """Label the tuples of a region with those groups of all attempts that lose least."""
    lowest = -1
    draft = GroupDraft(np.empty(len(labels), np.int32), np.empty(len(labels), np.int64))
    for i in range(len(attempts.orders)):
        groups = take(region, boxes, attempts.orders[i], k, attempts.leasts[i], draft)
        loss = settle_rest(costs, region, groups, draft.labels)
        if lowest < 0 or loss < lowest:
            lowest = loss
            copy(draft.labels, labels)


@compiled
def take(
    region: Region, boxes: BoxMembers, order: Longs, k: int, least: int, draft: GroupDraft
) -> int:
    """Make groups of boxes in the given order, of k rows each; return how many.

    A box with `least` rows or more borrows the others from groups made before.
    """
    counts = region.counts
    labels = draft.labels
    size = draft.size
    groups = 0
    alive = region.counts.sum()
    labels[:] = FREE
    for box in order:
        if alive < least:
            break
        here = boxes.members[boxes.starts[box] : boxes.starts[box + 1]]
        rows = 0
        for t in here:
            rows += counts[t] if labels[t] == FREE else 0
        if rows < least or (rows < k and not borrow(counts, here, k - rows, k, groups, draft)):
            continue
        size[groups] = 0
        for t in here:
            if labels[t] == FREE:
                labels[t] = groups
                alive -= counts[t]
            size[groups] += counts[t] if labels[t] == groups else 0
        groups += 1
    return groups


@compiled
def borrow(counts: Longs, here: Ints, need: int, k: int, groups: int, draft: GroupDraft) -> bool:
    """Borrow `need` rows or a few more of a box from earlier groups; tell whether they have them.

    If so, the tuples that are lent get the label of the next group; else nothing changes.
    """
    labels = draft.labels
    size = draft.size
    for group in range(groups - 1, -1, -1):
        for t in here:
            if need > 0 and labels[t] == group and size[group] - counts[t] >= k:
                labels[t] = FREE - 1 - group
                size[group] = size[group] - counts[t]
                need = need - counts[t]
    for t in here:
        if labels[t] < FREE and need > 0:
            labels[t] = FREE - 1 - labels[t]
            size[labels[t]] += counts[t]
        elif labels[t] < FREE:
            labels[t] = groups
    return need <= 0


@compiled
def settle_rest(costs: Costs, region: Region, groups: int, labels: Ints) -> int:
    """Let each free tuple join the group whose loss grows least, ties by lowest; return the loss.

    The loss is that of all groups afterwards.
    """
    axes, tuples = region.codes.shape
    lo = np.full((groups, axes), np.int32(2**31 - 1), np.int32)
    hi = np.full((groups, axes), np.int32(-1), np.int32)
    weight = np.zeros(groups, np.int64)
    cost = np.zeros(groups, np.int64)
    total = 0
    for late in range(2):
        for t in range(tuples):
            if (labels[t] == FREE) != late:
                continue
            point = region.codes[:, t]
            worth = region.counts[t] * region.worth[t]
            best = labels[t]
            least = 0
            for group in range(groups if late else 0):
                growth = (weight[group] + worth) * of_union(
                    costs, lo[group], hi[group], point, point
                )
                growth -= weight[group] * cost[group]
                if best == FREE or growth < least:
                    best = group
                    least = growth
            labels[t] = best
            weight[best] += worth
            for axis in range(axes):
                lo[best, axis] = min(lo[best, axis], point[axis])
                hi[best, axis] = max(hi[best, axis], point[axis])
            cost[best] = of_box(costs, lo[best], hi[best]) if late else 0
        for group in range(groups):
            cost[group] = of_box(costs, lo[group], hi[group])
    for group in range(groups):
        total += weight[group] * cost[group]
    return total
