"""Trees: padding, shared labels, corner cases, size."""

from __future__ import annotations

import pytest

from shoal.declare.hierarchies.tree import EVERYTHING, Tree


def test_a_repeated_leaf_is_padding():
    tree = Tree.of_paths(
        [("Private", "Private", "*"), ("Local", "gov", "*"), ("State", "gov", "*")]
    )
    assert tree.height[tree.ancestor(0, 0)] == 0
    assert len(tree.labels) == 5


def test_a_leaf_among_others_under_its_own_label_is_no_padding():
    tree = Tree.of_paths(
        [("ham", "sausage", "*"), ("sausage", "sausage", "*"), ("beer", "drinks", "*")]
    )
    assert tree.written[tree.node[0, 1]] == "sausage"
    assert tree.written[tree.ancestor(0, 1)] == "sausage (group)"


@pytest.mark.parametrize(
    "paths", [[("a",)], [("a", "*")], [("a", "a")], [("*", "*")], [("*",)], [("*", "*", "*")]]
)
def test_a_single_leaf_stands_below_a_root(paths):
    tree = Tree.of_paths(paths)
    assert tree.leaves == (paths[0][0],)
    assert tree.height.tolist() == [1, 0] and tree.leaf_count.tolist() == [1, 1]
    assert tree.written[tree.root] == EVERYTHING and tree.ancestor(0, 0) != tree.root


def test_leaves_that_all_equal_their_parents():
    tree = Tree.of_paths([("a", "a", "*"), ("b", "b", "*")])
    assert tree.height[tree.root] == 1 and tree.written == ("*", "a", "b")


def test_a_root_without_a_star_is_published_as_one_and_a_leaf_called_star_stays():
    tree = Tree.of_paths([("*", "Any"), ("a", "Any")])
    assert tree.written == ("*", "*", "a") and tree.labels[tree.root] == "Any"


def test_an_inner_node_called_star_is_told_from_the_root():
    tree = Tree.of_paths([("a", "*", "Any"), ("b", "*", "Any"), ("c", "x", "Any")])
    assert tree.written[tree.ancestor(0, 1)] == "* (group)"


def test_many_nodes_of_one_label_are_numbered():
    tree = Tree.of_paths(
        [(f"{i}{side}", "Other", f"g{i}", "*") for i in range(3000) for side in "ab"]
    )
    texts = tree.written
    assert len(set(texts)) == len(texts)
    assert {"Other", "Other (group)", "Other (group 2)"} <= set(texts)


def test_several_roots_get_one_above():
    tree = Tree.of_paths([("a", "x"), ("b", "y")])
    assert tree.node.shape == (3, 2) and tree.written[tree.ancestor(0, 1)] == EVERYTHING


def test_no_leaves():
    tree = Tree.of_paths([])
    assert tree.written == ("*",) and tree.leaf_count.tolist() == [0] and tree.paths() == []


def test_a_leaf_at_two_places_is_a_fault():
    with pytest.raises(ValueError, match="two places"):
        Tree.of_paths([("a", "x", "*"), ("a", "y", "*")])


def test_paths_of_two_lengths_are_a_fault():
    with pytest.raises(ValueError, match="one length"):
        Tree.of_paths([("a", "x", "*"), ("b", "*")])
