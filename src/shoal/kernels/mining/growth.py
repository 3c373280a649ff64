"""FP-trees: transactions as paths from a root, planted once and narrowed to one item after the
other.

Items are ranks, 0 the most frequent, and every path counts upward, so frequent beginnings are
shared. All nodes of an item hang on a chain. The tree of an item holds what stands above its nodes,
without what is rare among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Counts, Ints, Longs
from shoal.kernels.jit import compiled


class Tree(NamedTuple):
    """Node 0 is the root; `chain[node]` is another node of its item, or -1."""

    item: Ints
    parent: Ints
    rows: Counts  # through each node
    chain: Ints
    head: Ints  # of each item: the first node of its chain, or -1
    total: Counts  # of each item: rows that hold it


@compiled
def _sprout(nodes: int, items: int) -> tuple[Tree, Ints, Ints, Ints]:
    """A root alone, with room for nodes; and of each node a child, a sibling, and of each item a
    child of the root.
    """
    child = np.full(nodes, -1, np.int32)
    sibling = np.full(nodes, -1, np.int32)
    under_root = np.full(items, -1, np.int32)
    item = np.full(nodes, -1, np.int32)
    parent = np.full(nodes, -1, np.int32)
    chain = np.full(nodes, -1, np.int32)
    head = np.full(items, -1, np.int32)
    return (
        Tree(item, parent, np.zeros(nodes, np.int64), chain, head, np.zeros(items, np.int64)),
        child,
        sibling,
        under_root,
    )


@compiled
def _step(
    tree: Tree, child: Ints, sibling: Ints, under_root: Ints, node: int, item: int, made: int
) -> int:
    """The node of an item under another one; the next free place where there is none yet."""
    if node == 0:  # the root has too many children to look through
        found = under_root[item]
        if found < 0:
            under_root[item] = made
    else:
        found = child[node]
        while found >= 0 and tree.item[found] != item:
            found = sibling[found]
        if found < 0:
            sibling[made] = child[node]
            child[node] = made
    if found >= 0:
        return found
    tree.item[made] = item
    tree.parent[made] = node
    tree.chain[made] = tree.head[item]
    tree.head[item] = made
    return made


@compiled
def planted(starts: Longs, ranks: Ints, counts: Counts, items: int) -> Tree:
    """The tree of paths `ranks[starts[p]:starts[p + 1]]`, each ascending and standing for
    `counts[p]` rows.
    """
    tree, child, sibling, under_root = _sprout(len(ranks) + 1, items)
    made = 1
    for path in range(len(counts)):
        node = 0
        for place in range(starts[path], starts[path + 1]):
            node = _step(tree, child, sibling, under_root, node, ranks[place], made)
            made += node == made
            tree.rows[node] += counts[path]
            tree.total[ranks[place]] += counts[path]
    return tree


@compiled
def narrowed(tree: Tree, item: int, minimum: int) -> Tree:
    """The tree of the rows that hold an item: more frequent items alone, and those that enough of
    these rows hold.
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
    slim, child, sibling, under_root = _sprout(longest + 1, item)
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
            place = _step(slim, child, sibling, under_root, place, path[step], made)
            made += place == made
            slim.rows[place] += tree.rows[node]
            slim.total[path[step]] += tree.rows[node]
        node = tree.chain[node]
    return slim
