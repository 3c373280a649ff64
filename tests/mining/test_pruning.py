"""A tree that is pruned afterwards predicts what scikit-learn's pruned tree predicts."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as Tree

from shoal.mining.pruning import closed_at, predicted


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("strength", [0.0, 0.0007, 0.0031, 0.0143, 0.9])
def test_it_predicts_as_a_tree_that_was_grown_with_that_pruning(classes, strength):
    rng = np.random.default_rng(classes)
    values = rng.integers(0, 30, (300, 3)).astype(float)
    target = np.where(
        rng.random(300) < 0.5, values[:, 0] * classes // 30, rng.integers(0, classes, 300)
    ).astype(int)
    weights = rng.integers(1, 4, 300).astype(float)
    whole = Tree(random_state=1).fit(values, target, weights)
    pruned = Tree(random_state=1, ccp_alpha=strength).fit(values, target, weights)
    others = rng.integers(0, 30, (200, 3)).astype(float)
    found = predicted(whole, strength)[whole.apply(others)]
    assert found.tolist() == pruned.predict(others).tolist()


def test_a_node_that_saves_exactly_what_a_leaf_costs_is_closed():
    # Two rows of two classes: impurity 1/2, and none below. Two leaves cost one strength more.
    tree = Tree(random_state=1).fit([[0.0], [1.0]], [0, 1])
    assert closed_at(tree, 0.5).tolist() == [0, 0, 0]
    assert closed_at(tree, 0.49).tolist() == [0, 1, 2]
