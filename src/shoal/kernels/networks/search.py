"""Swaps of nodes between clusters, by the exact change of what attributes and structure lose.

    attributes: sum over clusters of size * cost of the box, in whole numbers
    structure:  SIL = 2 m - 2 Q,  Q = sum over clusters and pairs of clusters of e^2 / pairs

Sizes stay, so a swap of u in A and v in B changes the counts of A and B with the clusters of their
neighbours alone: e(A, c) gains w_v(c) - w_u(c), and e(B, c) loses it, w being numbers of
neighbours. Counts stand in a square table, or in a hash table where there are too many clusters
for one (`keys` then names the pairs; -1 is a free place). Floats are summed in a fixed order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints, Longs
from shoal.kernels.costs import Costs, between
from shoal.kernels.jit import compiled
from shoal.kernels.networks.counting import Near

FULLEST = 0.85  # of a hash table: beyond it a sweep stops, and the table is made anew


class NodeClusters(NamedTuple):
    """NodeClusters whose sizes stay: the members of c are `members[begin[c]:begin[c + 1]]`."""

    labels: Ints
    members: Ints
    place: Ints  # where each node stands in `members`
    begin: Longs
    box: Longs  # [clusters]: cost of the box


class EdgeCounts(NamedTuple):
    """Numbers of edges of pairs of clusters: in a square (one key), or by hash."""

    keys: Longs
    counts: Ints
    used: Longs  # [1]: places taken


class Proposals(NamedTuple):
    """From where candidates come, and which swaps are allowed."""

    orders: Ints  # [orders, nodes]: nodes that stand near each other are alike
    ranks: Ints  # [orders, nodes]: where each node stands
    alike: Ints  # nodes are swapped only with those of the same number


class Weights(NamedTuple):
    """Weigh a change: the price of attributes and of structure, and the heat of the search."""

    attributes: float
    structure: float
    heat: float
    reach: int  # how far in an order


class SwapSearch(NamedTuple):
    """All that a sweep reads and changes."""

    costs: Costs
    codes: Ints
    near: Near
    clusters: NodeClusters
    table: EdgeCounts
    proposals: Proposals


class Changes(NamedTuple):
    """Changes of counts by a swap: by cluster, the clusters touched, and inside A, B and between.

    Behind the counts in `moved` stand marks; `touched` lists each cluster once behind its length.
    """

    moved: Longs
    touched: Longs
    inside: Longs


@compiled
def _draw(state: AnyArray, below: int) -> int:
    """Draw a whole number below a limit (xorshift)."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    drawn: int = np.int64((x >> np.uint64(11)) % np.uint64(below))  # type: ignore[assignment]
    return drawn


@compiled
def _slot(table: EdgeCounts, count: int, one: int, other: int) -> int:
    """Find the place of a pair of clusters; a free one where the pair has none yet."""
    key = np.int64(min(one, other)) * count + max(one, other)
    keys = table.keys
    if len(keys) == 1:
        return key  # type: ignore[return-value]
    mask = np.uint64(len(keys) - 1)
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = (mixed >> np.uint64(24)) & mask
    while keys[at] != -1 and keys[at] != key:
        at = (at + np.uint64(1)) & mask
    return np.int64(at)  # type: ignore[return-value]


@compiled
def _edges(table: EdgeCounts, count: int, one: int, other: int) -> int:
    at = _slot(table, count, one, other)
    return table.counts[at]


@compiled
def _add(table: EdgeCounts, count: int, one: int, other: int, change: int) -> None:
    if change == 0:
        return
    at = _slot(table, count, one, other)
    if len(table.keys) > 1 and table.keys[at] == -1:
        table.keys[at] = np.int64(min(one, other)) * count + max(one, other)
        table.used[0] += 1
    table.counts[at] += change


@compiled
def fill(table: EdgeCounts, count: int, labels: Ints, one: Ints, other: Ints) -> None:
    """Count the edges of all pairs of clusters."""
    for edge in range(len(one)):
        _add(table, count, labels[one[edge]], labels[other[edge]], 1)


@compiled
def refill(table: EdgeCounts, count: int, old_keys: Longs, old_counts: Ints) -> None:
    """Move counts to an empty table; pairs that have lost all edges are left behind."""
    for at in range(len(old_keys)):
        if old_keys[at] >= 0 and old_counts[at] > 0:
            key = old_keys[at]
            _add(table, count, key // count, key % count, old_counts[at])


@compiled
def _box_without(search: SwapSearch, cluster: int, out: int, joins: int) -> int:
    """Compute the cost of a cluster's box when one node has left it and another has joined."""
    codes = search.codes
    clusters = search.clusters
    total = 0
    for axis in range(codes.shape[0]):
        lo = codes[axis, joins]
        hi = lo
        for at in range(clusters.begin[cluster], clusters.begin[cluster + 1]):
            node = clusters.members[at]
            if node != out:
                code = codes[axis, node]
                lo = min(lo, code)
                hi = max(hi, code)
        total += between(search.costs, axis, lo, hi)
    return total


@compiled
def _candidate(search: SwapSearch, node: int, reach: int, state: AnyArray) -> int:
    """Choose a node that may be like another: near in an order, two edges away, or any."""
    starts = search.near.starts
    ends = search.near.ends
    proposals = search.proposals
    kind = _draw(state, 8)
    degree = starts[node + 1] - starts[node]
    if kind < 4 and degree > 0:
        middle = ends[starts[node] + _draw(state, degree)]
        if kind == 0:
            return middle
        of_middle = starts[middle + 1] - starts[middle]
        return ends[starts[middle] + _draw(state, of_middle)]
    count = len(starts) - 1
    if kind == 7 or len(proposals.orders) == 0:
        return _draw(state, count)
    order = _draw(state, len(proposals.orders))
    at = proposals.ranks[order, node] + _draw(state, 2 * reach + 1) - reach
    return proposals.orders[order, min(max(at, 0), count - 1)]


@compiled
def _weigh_neighbours(search: SwapSearch, node: int, sign: int, changes: Changes) -> None:
    """Add the clusters of a node's neighbours to the changes."""
    near = search.near
    moved = changes.moved
    touched = changes.touched
    marks = len(moved) // 2
    for at in range(near.starts[node], near.starts[node + 1]):
        cluster = search.clusters.labels[near.ends[at]]
        moved[cluster] += sign
        if moved[marks + cluster] == 0:
            moved[marks + cluster] = 1
            touched[0] += 1
            touched[touched[0]] = cluster


@compiled
def _linked(near: Near, one: int, other: int) -> int:
    starts = near.starts
    ends = near.ends
    lo = starts[one]
    hi = starts[one + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if ends[middle] < other:
            lo = middle + 1
        else:
            hi = middle
    return 1 if lo < starts[one + 1] and ends[lo] == other else 0


@compiled
def _inside_changes(search: SwapSearch, u: int, v: int, inside: Longs) -> None:
    """Compute what a swap changes in A, in B and between them, into `inside`."""
    starts = search.near.starts
    ends = search.near.ends
    clusters = search.clusters
    a = clusters.labels[u]
    b = clusters.labels[v]
    u_a = 0
    u_b = 0
    v_a = 0
    v_b = 0
    for at in range(starts[u], starts[u + 1]):
        label = clusters.labels[ends[at]]
        u_a += label == a
        u_b += label == b
    for at in range(starts[v], starts[v + 1]):
        label = clusters.labels[ends[at]]
        v_a += label == a
        v_b += label == b
    linked = _linked(search.near, u, v)
    inside[0] = v_a - linked - u_a
    inside[1] = u_b - linked - v_b
    inside[2] = (u_a + v_b + linked) - (u_b + v_a - linked)


@compiled
def _gained(edges: int, change: int, pairs: float) -> float:
    """Compute how much e^2 / pairs grows when e changes."""
    if change == 0:
        return 0.0
    return (2.0 * edges + change) * change / pairs


@compiled
def _structure_gain(search: SwapSearch, a: int, b: int, changes: Changes) -> float:
    """Compute how much Q grows by a swap between two clusters."""
    clusters = search.clusters
    table = search.table
    moved = changes.moved
    touched = changes.touched
    inside = changes.inside
    count = len(clusters.begin) - 1
    size_a = float(clusters.begin[a + 1] - clusters.begin[a])
    size_b = float(clusters.begin[b + 1] - clusters.begin[b])
    total = 0.0
    for at in range(1, touched[0] + 1):
        c = touched[at]
        change = moved[c]
        if change != 0 and c != a and c != b:
            size = float(clusters.begin[c + 1] - clusters.begin[c])
            total += _gained(_edges(table, count, a, c), change, size_a * size)
            total += _gained(_edges(table, count, b, c), -change, size_b * size)
    if size_a > 1.0:
        pairs = size_a * (size_a - 1.0) / 2.0
        total += _gained(_edges(table, count, a, a), inside[0], pairs)
    if size_b > 1.0:
        pairs = size_b * (size_b - 1.0) / 2.0
        total += _gained(_edges(table, count, b, b), inside[1], pairs)
    return total + _gained(_edges(table, count, a, b), inside[2], size_a * size_b)


@compiled
def _swap(search: SwapSearch, u: int, v: int, changes: Changes) -> None:
    """Carry a swap out."""
    clusters = search.clusters
    table = search.table
    moved = changes.moved
    touched = changes.touched
    inside = changes.inside
    count = len(clusters.begin) - 1
    a = clusters.labels[u]
    b = clusters.labels[v]
    for at in range(1, touched[0] + 1):
        c = touched[at]
        if c != a and c != b:
            _add(table, count, a, c, moved[c])
            _add(table, count, b, c, -moved[c])
    _add(table, count, a, a, inside[0])
    _add(table, count, b, b, inside[1])
    _add(table, count, a, b, inside[2])
    place = clusters.place[u]
    clusters.members[place] = v
    clusters.members[clusters.place[v]] = u
    clusters.place[u] = clusters.place[v]
    clusters.place[v] = place
    clusters.labels[u] = b
    clusters.labels[v] = a


@compiled
def _weigh(search: SwapSearch, u: int, v: int, changes: Changes) -> None:
    """Compute all changes of counts by a swap of two nodes."""
    changes.touched[0] = 0
    _weigh_neighbours(search, u, -1, changes)
    _weigh_neighbours(search, v, 1, changes)
    _inside_changes(search, u, v, changes.inside)


@compiled
def _forget(changes: Changes) -> None:
    """Set the changes back to nothing."""
    marks = len(changes.moved) // 2
    for at in range(1, changes.touched[0] + 1):
        changes.moved[changes.touched[at]] = 0
        changes.moved[marks + changes.touched[at]] = 0
    changes.touched[0] = 0


@compiled
def _member(clusters: NodeClusters, cluster: int, state: AnyArray) -> int:
    size = clusters.begin[cluster + 1] - clusters.begin[cluster]
    return clusters.members[clusters.begin[cluster] + _draw(state, size)]


@compiled
def _taken(delta: float, heat: float, state: AnyArray) -> bool:
    """Tell whether a change is taken: it lowers the loss, or raises it within the heat."""
    if delta < 0.0 or heat <= 0.0:
        return delta < 0.0
    chance = (_draw(state, 1 << 30) + 1) / float(1 << 30)
    return delta < -heat * math.log(chance)


@compiled
def sweep(search: SwapSearch, weights: Weights, tries: int, state: AnyArray) -> Floats:
    """Try swaps; take those that lower the loss, or raise it by no more than the heat allows.

    Gives the change of the loss, the swaps taken, and the sum and number of changes weighed.
    """
    clusters = search.clusters
    keys = search.table.keys
    count = len(clusters.begin) - 1
    changes = Changes(
        np.zeros(2 * count, np.int64), np.zeros(count + 1, np.int64), np.zeros(3, np.int64)
    )
    told = np.zeros(4)
    for _ in range(tries):
        if len(keys) > 1 and search.table.used[0] > len(keys) * FULLEST:
            break
        u = _draw(state, len(clusters.labels))
        a = clusters.labels[u]
        b = clusters.labels[_candidate(search, u, weights.reach, state)]
        v = _member(clusters, b, state)
        if a == b or search.proposals.alike[u] != search.proposals.alike[v]:
            continue
        box_a = _box_without(search, a, u, v)
        box_b = _box_without(search, b, v, u)
        size_a = clusters.begin[a + 1] - clusters.begin[a]
        size_b = clusters.begin[b + 1] - clusters.begin[b]
        change = size_a * (box_a - clusters.box[a]) + size_b * (box_b - clusters.box[b])
        delta = weights.attributes * change
        if weights.structure > 0.0:
            _weigh(search, u, v, changes)
            delta -= weights.structure * _structure_gain(search, a, b, changes)
        told[2] += abs(delta)
        told[3] += 1.0
        if _taken(delta, weights.heat, state):
            _swap(search, u, v, changes)
            clusters.box[a] = box_a
            clusters.box[b] = box_b
            told[0] += delta
            told[1] += 1.0
        _forget(changes)
    return told
