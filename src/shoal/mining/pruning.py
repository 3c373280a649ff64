"""Pruning: what a decision tree predicts in each node once it is pruned, without growing it again.

The pruned tree is the smallest subtree that minimizes impurity + strength x leaves (Breiman,
Friedman, Olshen & Stone 1984, chapter 3). It is found from the leaves up: a node is closed where
being a leaf costs no more than what the subtree below it costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.arrays import Longs

NOISE = 1e-12  # of sums that are equal but for their rounding


def closed_at(tree: Any, strength: float) -> Longs:
    """Find the node in which each node of a fitted tree ends, pruned with some strength.

    A node of the pruned tree ends in itself, one below it in the closed node above.
    """
    grown = tree.tree_
    left = grown.children_left.tolist()
    right = grown.children_right.tolist()
    share = grown.weighted_n_node_samples / grown.weighted_n_node_samples[0]
    alone = (grown.impurity * share + strength).tolist()
    cost = list(alone)
    # Nodes are numbered from the root down, so that children come after their parents.
    for node in range(len(left) - 1, -1, -1):
        if left[node] >= 0:
            cost[node] = min(alone[node], cost[left[node]] + cost[right[node]])
    ends = list(range(len(left)))
    for node in range(len(left)):
        if left[node] >= 0 and (ends[node] != node or cost[node] >= alone[node] - NOISE):
            ends[left[node]] = ends[right[node]] = ends[node]
    return np.array(ends, np.int64)


def predicted(tree: Any, strength: float) -> Longs:
    """Predict a class for each node of a fitted tree; strength 0 leaves the tree as it is."""
    guess = tree.classes_[tree.tree_.value[:, 0, :].argmax(axis=1)]
    if strength:
        guess = guess[closed_at(tree, strength)]
    return np.asarray(guess, np.int64)
