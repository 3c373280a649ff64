"""FP-trees: transactions as paths from a root, planted once and narrowed item by item.

Items are ranks, 0 the most frequent, and every path counts upward, so frequent beginnings are
shared. All nodes of an item hang on a chain. The tree of an item holds what stands above its nodes,
without what is rare among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.jit import compiled


class PatternTree(NamedTuple):
    """An FP-tree: node 0 is the root; `chain[node]` is another node of its item, or -1."""

    item: Ints
    parent: Ints
    rows: Counts  # through each node
    chain: Ints
    head: Ints  # of each item: the first node of its chain, or -1
    total: Counts  # of each item: rows that hold it


class Sprout(NamedTuple):
    """A tree that grows, and the ways down it."""

    tree: PatternTree
    child: Ints  # [nodes]: one child of each node, or -1
    sibling: Ints  # [nodes]: another child of the same parent, or -1
    under_root: Ints  # [items]: the child of the root with each item, or -1


@compiled
def _sprout(nodes: int, items: int) -> Sprout:
    """Plant a tree that is a root alone, with room for nodes."""
    child = np.full(nodes, -1, np.int32)
    sibling = np.full(nodes, -1, np.int32)
    under_root = np.full(items, -1, np.int32)
    item = np.full(nodes, -1, np.int32)
    parent = np.full(nodes, -1, np.int32)
    chain = np.full(nodes, -1, np.int32)
    head = np.full(items, -1, np.int32)
    rows = np.zeros(nodes, np.int64)
    tree = PatternTree(item, parent, rows, chain, head, np.zeros(items, np.int64))
    return Sprout(tree, child, sibling, under_root)


@compiled
def _step(sprout: Sprout, node: int, item: int, made: int) -> int:
    """Find the node of an item under another node; make it in place `made` if there is none."""
    tree, child, sibling, under_root = sprout
    if node == 0:  # the root has too many children to look through
        below = under_root[item]
        if below < 0:
            under_root[item] = made
    else:
        below = child[node]
        while below >= 0 and tree.item[below] != item:
            below = sibling[below]
        if below < 0:
            sibling[made] = child[node]
            child[node] = made
    if below >= 0:
        return below
    tree.item[made] = item
    tree.parent[made] = node
    tree.chain[made] = tree.head[item]
    tree.head[item] = made
    return made


@compiled
def planted(starts: Longs, ranks: Ints, counts: Counts, items: int) -> PatternTree:
    """Plant the tree of paths `ranks[starts[p]:starts[p + 1]]`, each of `counts[p]` rows.

    The ranks of a path ascend.
    """
    sprout = _sprout(len(ranks) + 1, items)
    tree = sprout.tree
    made = 1
    for path in range(len(counts)):
        node = 0
        for place in range(starts[path], starts[path + 1]):
            node = _step(sprout, node, ranks[place], made)
            made += node == made
            tree.rows[node] += counts[path]
            tree.total[ranks[place]] += counts[path]
    return tree


@compiled
def narrowed(tree: PatternTree, item: int, minimum: int) -> PatternTree:
    """Plant the tree of the rows that hold an item, from the tree of all rows.

    It holds more frequent items alone, and those that at least `minimum` of these rows hold.
    """
    total = np.zeros(item, np.int64)
    longest = 0
    depth = 0
    node = tree.head[item]
    while node >= 0:
        above = tree.parent[node]
        steps = 0
        while above > 0:
            total[tree.item[above]] += tree.rows[node]
            above = tree.parent[above]
            steps = steps + 1
        longest = longest + steps
        depth = max(depth, steps)
        node = tree.chain[node]
    sprout = _sprout(longest + 1, item)
    slim = sprout.tree
    path = np.empty(depth, np.int32)
    made = 1
    node = tree.head[item]
    while node >= 0:
        above = tree.parent[node]
        steps = 0
        while above > 0:
            if total[tree.item[above]] >= minimum:
                path[steps] = tree.item[above]
                steps += 1
            above = tree.parent[above]
        place = 0
        for step in range(steps - 1, -1, -1):
            place = _step(sprout, place, path[step], made)
            made += place == made
            slim.rows[place] += tree.rows[node]
            slim.total[path[step]] += tree.rows[node]
        node = tree.chain[node]
    return slim
