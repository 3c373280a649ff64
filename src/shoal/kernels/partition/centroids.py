"""Distances between rows and the centres of groups, in integers, and the centres themselves.

On a line the centre is the mean. On a tree it stands under nodes: two that share a node are nearer
than two that don't, by what is gained between that node and the next one up. So one tuple is
compared with all centres at once, a step of a tree at a time, in loops without branches. An
expected distance has no such form and is read from a table. Missing is as far from anything else as
can be, and no part of a centre unless all are missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Floats, Ints, Labels, Longs
from shoal.kernels.jit import compiled

MEDOID = 0
ANCESTOR = 1
FREQUENCIES = 2
# A position on a line, further from all others than they can be from each other.
MISSING = np.int32(1 << 30)
NOWHERE = np.int32(-1)  # no node: at this step of a tree the centre stands under none
WORST = np.int32(2**31 - 1)


class TupleSpace(NamedTuple):
    """Places of tuples: a position on each line, a code on each tree, the nodes above each code."""

    lines: Ints  # [tuples, lines]
    reach: Ints  # [lines]: the largest distance
    leaves: Ints  # [tuples, trees]
    # [trees + 1]: where the codes of each tree begin, if all are laid end to end; missing is the
    # last of each
    codes: Longs
    full: Ints  # [trees]: the distance of codes that share no node
    steps: Longs  # [trees + 1]: where the steps of each tree begin, from leaf to root
    at: Longs  # [steps]: node[at[step] + code]
    node: Ints
    # by how much those who share this node are nearer than those who share the next one only
    gain: Ints


class Centres(NamedTuple):
    """A centre for each group, last index; which of the arrays count depends on the kind."""

    kind: int
    mean: Ints  # [lines, groups]
    held: Ints  # [steps, groups]: the node it stands under; unless FREQUENCIES
    medoid: Ints  # [trees, groups]: the code it stands on; MEDOID only
    table: Ints  # [codes of all trees, groups]: mean distance to each code; FREQUENCIES only


def centres_of(space: TupleSpace, kind: int, count: int) -> Centres:
    """Allocate `count` centres."""
    lines = space.lines.shape[1]
    trees = len(space.full)
    steps = int(space.steps[-1])
    codes = int(space.codes[-1])
    return Centres(
        kind,
        mean=np.full((lines, count), MISSING, np.int32),
        held=np.full((0 if kind == FREQUENCIES else steps, count), NOWHERE, np.int32),
        medoid=np.zeros((trees if kind == MEDOID else 0, count), np.int32),
        table=np.zeros((codes if kind == FREQUENCIES else 0, count), np.int32),
    )


@compiled
def _add_line(position: int, reach: int, mean: Ints, out: Ints) -> None:
    here = np.int32(position)
    most = np.int32(reach)
    for c in range(len(out)):
        apart = np.int32(abs(np.int32(here - mean[c])))
        out[c] += min(apart, most)


@compiled
def _subtract_gain(node: int, gain: int, held: Ints, out: Ints) -> None:
    here = np.int32(node)
    less = np.int32(gain)
    for c in range(len(out)):
        out[c] -= less if held[c] == here else np.int32(0)


@compiled
def _add_row(row: Ints, out: Ints) -> None:
    for c in range(len(out)):
        out[c] += row[c]


@compiled
def fill_distances(space: TupleSpace, centres: Centres, t: int, out: Ints) -> None:
    """Compute the distance of one tuple to every centre, into `out`."""
    out[:] = 0 if centres.kind == FREQUENCIES else space.full.sum()
    for line in range(len(space.reach)):
        _add_line(space.lines[t, line], space.reach[line], centres.mean[line], out)
    for tree in range(len(space.full)):
        code = space.leaves[t, tree]
        if centres.kind == FREQUENCIES:
            _add_row(centres.table[space.codes[tree] + code], out)
        else:
            for step in range(space.steps[tree], space.steps[tree + 1]):
                at = space.at[step] + code
                if space.gain[at] > 0:
                    _subtract_gain(space.node[at], space.gain[at], centres.held[step], out)


@compiled
def lowest(values: Ints) -> int:
    """Find the first place that holds the lowest value."""
    least = WORST
    for value in values:
        least = min(least, value)
    for place in range(len(values)):
        if values[place] == least:
            return place
    return -1


@compiled
def on_line(space: TupleSpace, centres: Centres, t: int, line: int, c: int) -> int:
    """Compute the distance of a tuple to a centre on one line."""
    return min(abs(int(space.lines[t, line]) - int(centres.mean[line, c])), int(space.reach[line]))


@compiled
def on_tree(space: TupleSpace, centres: Centres, t: int, tree: int, c: int) -> int:
    """Compute the distance of a tuple to a centre on one tree."""
    code = space.leaves[t, tree]
    if centres.kind == FREQUENCIES:
        return int(centres.table[space.codes[tree] + code, c])
    apart = int(space.full[tree])
    for step in range(space.steps[tree], space.steps[tree + 1]):
        at = space.at[step] + code
        if centres.held[step, c] == space.node[at]:
            apart -= space.gain[at]
    return apart


@compiled
def distance(space: TupleSpace, centres: Centres, t: int, c: int) -> int:
    """Compute the distance of a tuple to a centre."""
    total = 0
    for line in range(len(space.reach)):
        total += on_line(space, centres, t, line, c)
    for tree in range(len(space.full)):
        total += on_tree(space, centres, t, tree, c)
    return total


@compiled
def assign(space: TupleSpace, centres: Centres, first: int, last: int, nearest: Labels) -> None:
    """Label each tuple from `first` to before `last` with its nearest centre, ties by lowest."""
    out = np.empty(centres.mean.shape[1], np.int32)
    for t in range(first, last):
        fill_distances(space, centres, t, out)
        nearest[t] = lowest(out)


@compiled
def rounded(total: int, count: int) -> int:
    """Divide whole numbers, rounded half up."""
    return (2 * total + count) // (2 * count)


@compiled
def _mean(space: TupleSpace, members: Ints, line: int) -> int:
    """Compute the mean position of some tuples on a line, missing values left out."""
    total = 0
    there = 0
    for t in members:
        if space.lines[t, line] != MISSING:
            total += space.lines[t, line]
            there += 1
    return rounded(total, there) if there > 0 else int(MISSING)


@compiled
def recentre(space: TupleSpace, centres: Centres, c: int, members: Ints, seen: Longs) -> None:
    """Put a centre into the midst of some tuples, at least one.

    `seen` is 0 for every node, before and after.
    """
    for line in range(len(space.reach)):
        centres.mean[line, c] = _mean(space, members, line)
    codes = np.empty(len(members), np.int32)
    for tree in range(len(space.full)):
        there = _present(space, members, tree, codes)
        if centres.kind == MEDOID:
            _put_medoid(space, centres, tree, c, codes[:there], seen)
        elif centres.kind == ANCESTOR:
            _put_ancestor(space, centres, tree, c, codes[:there])
        else:
            _put_frequencies(space, centres, tree, c, codes[:there], seen)


@compiled
def _present(space: TupleSpace, members: Ints, tree: int, codes: Ints) -> int:
    """List the codes of some tuples, missing ones left out unless all are; return their number."""
    missing = space.codes[tree + 1] - space.codes[tree] - 1
    there = 0
    for t in members:
        if space.leaves[t, tree] != missing:
            codes[there] = space.leaves[t, tree]
            there += 1
    if there == 0:
        codes[:] = missing
        return len(members)
    return there


@compiled
def _most_shared(shared: Longs, codes: Ints) -> int:
    """Find the place of the code that shares most, ties first in axis order."""
    best = 0
    for i in range(1, len(codes)):
        if shared[i] > shared[best] or (shared[i] == shared[best] and codes[i] < codes[best]):
            best = i
    return best


@compiled
def _put_medoid(
    space: TupleSpace, centres: Centres, tree: int, c: int, codes: Ints, seen: Longs
) -> None:
    """Put a centre onto the code with the least sum of distances, ties first in axis order.

    It is the code that shares most.
    """
    shared = np.zeros(len(codes), np.int64)
    for step in range(space.steps[tree], space.steps[tree + 1]):
        at = space.at[step]
        for code in codes:
            seen[space.node[at + code]] += 1
        for i, code in enumerate(codes):
            shared[i] += space.gain[at + code] * seen[space.node[at + code]]
        for code in codes:
            seen[space.node[at + code]] = 0
    best = _most_shared(shared, codes)
    centres.medoid[tree, c] = codes[best]
    _put_ancestor(space, centres, tree, c, codes[best : best + 1])


@compiled
def _put_ancestor(space: TupleSpace, centres: Centres, tree: int, c: int, codes: Ints) -> None:
    """Put a centre under the nodes that all codes share."""
    for step in range(space.steps[tree], space.steps[tree + 1]):
        node = space.node[space.at[step] + codes[0]]
        for code in codes:
            if space.node[space.at[step] + code] != node:
                node = NOWHERE
                break
        centres.held[step, c] = node


@compiled
def _put_frequencies(
    space: TupleSpace, centres: Centres, tree: int, c: int, codes: Ints, seen: Longs
) -> None:
    """Fill in the mean distance of every code of the tree to some codes."""
    begin = space.codes[tree]
    end = space.codes[tree + 1]
    apart = np.full(end - begin, np.int64(space.full[tree]) * len(codes), np.int64)
    for step in range(space.steps[tree], space.steps[tree + 1]):
        at = space.at[step]
        for code in codes:
            seen[space.node[at + code]] += 1
        for code in range(end - begin):
            apart[code] -= np.int64(space.gain[at + code]) * seen[space.node[at + code]]
        for code in codes:
            seen[space.node[at + code]] = 0
    for code in range(end - begin):
        centres.table[begin + code, c] = rounded(apart[code], len(codes))


@compiled
def recentre_all(space: TupleSpace, centres: Centres, members: Ints, starts: Longs) -> None:
    """Put every centre into the midst of its members `members[starts[c]:starts[c + 1]]`.

    The centre of an empty group stays.
    """
    seen = np.zeros(space.node.max() + 1 if len(space.node) else 1, np.int64)
    for c in range(len(starts) - 1):
        if starts[c] < starts[c + 1]:
            recentre(space, centres, c, members[starts[c] : starts[c + 1]], seen)


@compiled
def squared_errors(space: TupleSpace, centres: Centres, tuples: Ints, labels: Labels) -> Floats:
    """Sum the squared distances of rows to their centre: on each line, then on each tree."""
    lines = len(space.reach)
    trees = len(space.full)
    errors = np.zeros(lines + trees)
    for row in range(len(labels)):
        for line in range(lines):
            errors[line] += np.float64(on_line(space, centres, tuples[row], line, labels[row])) ** 2
        for tree in range(trees):
            errors[lines + tree] += (
                np.float64(on_tree(space, centres, tuples[row], tree, labels[row])) ** 2
            )
    return errors


@compiled
def own_distances(space: TupleSpace, centres: Centres, tuples: Ints, labels: Labels) -> Longs:
    """Compute the distance of each row to its own centre."""
    distances = np.empty(len(labels), np.int64)
    for row in range(len(labels)):
        distances[row] = distance(space, centres, tuples[row], labels[row])
    return distances
